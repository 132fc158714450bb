#!/bin/bash
# Proves that kindr works for a user without root's rights: clusters of rootless engines in a guest with cgroup v2.
# usage: test-rootless.sh RELEASE [ENGINE[:SNAPSHOTTER]...]    all three, and podman with fuse-overlayfs, if none is named;
#   nerdctl drives the containerd of the Kubernetes release
source "$(dirname "$0")/lib.sh"

newest=$1 engines=("${@:2}")
if [ ${#engines[@]} = 0 ]; then engines=(podman docker nerdctl podman:fuse-overlayfs); fi
"$TESTBED_DIR/cargo-static.sh" kindr
share=$(mktemp -d "$KINDR_TESTBED/guest/share.XXXXXX")
trap 'rm -rf "$share"' EXIT
chmod 0755 "$share"
mkdir "$share/bin"
install -m 0755 "$KINDR_TESTBED/bin/kindr" "$RELEASE/bin/kubectl" "$share/bin/"
# nerdctl and its containerd, which Debian's release has not. The script that starts it without root's rights is nerdctl's.
(
  use_release "$newest"
  take_lock
  source "$TESTBED_DIR/go.sh"
  containerd_programs
  programs "$KINDR_TESTBED/bin" go "" <<<"$NERDCTL_PROGRAM"
  source=$(cd "$TESTBED_DIR/go/nerdctl" && go mod download && go list -m -f '{{.Dir}}' github.com/containerd/nerdctl/v2)
  install -m 0755 "$RELEASE"/bin/{containerd,containerd-shim-runc-v2,ctr} "$KINDR_TESTBED/bin/nerdctl" \
    "$source/extras/rootless/containerd-rootless.sh" "$share/bin/"
)
# hostfs shows the host's files with the host's modes, and follows no links out of the folder.
for archive in "$RELEASE/images/node.tar:node.tar" "$KINDR_TESTBED/images/test-tools.tar:tools.tar"; do
  ln "${archive%:*}" "$share/${archive#*:}" 2>/dev/null || cp "${archive%:*}" "$share/${archive#*:}"
  chmod 0644 "$share/${archive#*:}"
done
sed "s|kindr/node:VERSION|$NODE_IMAGE|" "$TESTBED_DIR/guest/test.sh" >"$share/test.sh"
printf 'bash /share/test.sh %s\n' "${engines[*]}" >"$share/run.sh"
"$TESTBED_DIR/guest-boot.sh" "$share" 3000
