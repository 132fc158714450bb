# shellcheck shell=bash disable=SC2154
# Part of the entrypoint: fits containerd's configuration to the host, and puts the preloaded images in their place.

readonly containerd_config=/etc/containerd/config.toml

prepare_containerd() {
  local snapshotter
  mkdir -p /var/lib/containerd
  snapshotter=${KIND_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER:-$(choose_snapshotter)}
  sed -i "s/^\( *snapshotter = \).*/\1\"$snapshotter\"/" "$containerd_config"
  if [ "$snapshotter" = fuse-overlayfs ]; then
    ln -sf ../containerd-fuse-overlayfs.service /etc/systemd/system/multi-user.target.wants/
  fi
  # Where scores cannot be lowered, containers keep their parent's instead of failing to start.
  if $user_namespace || ! may_lower_oom_score; then
    sed -i 's/^\( *restrict_oom_score_adj = \).*/\1true/' "$containerd_config"
  fi
  if [ "$snapshotter" = overlayfs ]; then place_snapshots; fi
}

# Prints the snapshotter that works on the file systems at hand.
choose_snapshotter() {
  case $(stat -f -c %T /var/lib/containerd) in
    zfs) echo native ;; # overlayfs cannot be stacked on it everywhere, and its own snapshotter needs the host's tools
    fuseblk | fuse) echo fuse-overlayfs ;;
    *) if can_overlay /var/lib/containerd /var/lib/containerd; then echo overlayfs; else echo fuse-overlayfs; fi ;;
  esac
}

# can_overlay LOWER UPPER: whether an overlay of a folder in LOWER with an upper folder in UPPER can be mounted and written.
can_overlay() {
  local work lower=$1 code=1
  work=$(mktemp -d "$2/overlay-XXXXXX")
  mkdir "$work/lower" "$work/upper" "$work/work" "$work/merged"
  if [ "$lower" = "$2" ]; then lower=$work/lower; fi
  if mount -t overlay -o "lowerdir=$lower,upperdir=$work/upper,workdir=$work/work" overlay "$work/merged" 2>/dev/null; then
    if touch "$work/merged/written" 2>/dev/null; then code=0; fi
    umount "$work/merged"
  fi
  rm -rf "$work"
  return $code
}

# The preloaded images' files lie outside /var, where the engine does not copy them into each node's volume; /var holds
# links to them. An overlay of an overlay works twice deep only: where the image itself lies deeper, copies replace the
# links. That takes seconds, which is what it took always before the links.
place_snapshots() {
  local store=$state/preload/snapshots link target=/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots
  if [ ! -d "$store" ] || can_overlay "$store" /var/lib/containerd; then return; fi
  say "cannot use the preloaded images in place, copying them"
  for link in "$target"/*; do
    if [ -L "$link" ]; then
      cp -a "$(readlink "$link")" "$link.copy" && rm "$link" && mv "$link.copy" "$link"
    fi
  done
}
