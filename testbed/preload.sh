#!/bin/bash
# Run in a container of the node base image: imports image archives into a fresh containerd, unpacks them, and prints the
# result as a layer.
#
# The engine copies the image's /var into a volume for each node. So that this copies next to nothing, the content and the
# unpacked files lie in /kind/preload, and containerd's folder in /var has links to them. All nodes of a machine then share
# one copy of these files, on disk and in memory.
# usage: preload.sh ARCHIVE...    archives in /images; /state must be no overlay (a volume)
set -euo pipefail
readonly store=/state/containerd out=/state/out socket=/run/preload.sock
readonly content=io.containerd.content.v1.content/blobs/sha256 snapshots=io.containerd.snapshotter.v1.overlayfs/snapshots

containerd --root "$store" --state /run/preload --address "$socket" --config /dev/null >/state/log 2>&1 &
daemon=$!
trap 'kill "$daemon" 2>/dev/null' EXIT
for _ in $(seq 100); do
  if ctr --address "$socket" version >/dev/null 2>&1; then break; fi
  sleep 0.1
done
# The archives of the layers stay, for snapshotters that cannot use the unpacked files, and to export images.
for archive in "$@"; do
  ctr --address "$socket" --namespace k8s.io images import --snapshotter overlayfs "/images/$archive" >&2
done
kill "$daemon"
wait "$daemon" || true
trap - EXIT

# A layer that deletes files would be unpacked to whiteouts, and an image cannot carry those as plain files.
if find "$store/$snapshots" -type c | grep -q .; then
  echo "an image has whiteouts" >&2
  exit 1
fi

mkdir -p "$out/kind/preload" "$out/var/lib"
mv "$store/$content" "$out/kind/preload/blobs"
mv "$store/$snapshots" "$out/kind/preload/snapshots"
mkdir "$store/$content" "$store/$snapshots"
for file in "$out"/kind/preload/blobs/*; do ln -s "/kind/preload/blobs/${file##*/}" "$store/$content/"; done
for file in "$out"/kind/preload/snapshots/*; do ln -s "/kind/preload/snapshots/${file##*/}" "$store/$snapshots/"; done
rm -rf "$store"/*/ingest "$store"/tmpmounts
mv "$store" "$out/var/lib/containerd"
tar --create --directory "$out" --sort=name --numeric-owner .
