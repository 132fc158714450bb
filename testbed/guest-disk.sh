#!/bin/bash
# Makes the disk of the rootless guest: Debian with cgroup v2 and an unprivileged user `dev`, whose services have all
# controllers, with rootless podman and docker, and the node image loaded into the user's podman. Leaves
# $KINDR_TESTBED/guest/disk.img, a sparse file.
# usage: guest-disk.sh
source "$(dirname "$0")/lib.sh"
source "$TESTBED_DIR/archive.sh"
take_lock_named guest-lock

readonly guest=$KINDR_TESTBED/guest parts=$TESTBED_DIR/guest
readonly root=$guest/root.tar disk=$guest/disk.img node=$RELEASE/images/node.tar
packages=systemd,systemd-sysv,dbus,dbus-user-session,libpam-systemd,udev,kmod,procps,jq,ca-certificates,curl
packages+=,iproute2,iptables,nftables,conntrack,uidmap,podman,crun,netavark,aardvark-dns,slirp4netns,fuse-overlayfs
packages+=,docker.io,rootlesskit,containernetworking-plugins

make_root() {
  mkdir -p "$guest"
  debian_root "$root" "$packages" --customize-hook="$parts/root-hook.sh \"\$1\" \"$parts\""
}

make_disk() {
  local work
  need mkfs.ext4=e2fsprogs unshare=util-linux setpriv=util-linux
  work=$(mktemp -d "$guest/root.XXXXXX")
  # shellcheck disable=SC2064 # the folder is to be in the trap, whatever becomes of the variable
  trap "rm -rf '$work'" EXIT
  as_root tar --extract --file "$root" --directory "$work" --numeric-owner
  as_root mkfs.ext4 -q -F -d "$work" "$disk.new" 20G
  as_root rm -rf "$work"
  mkdir -p "$work"
  # Loading takes minutes inside the guest and one outside of it: the user's own podman does it, on the mounted disk.
  as_root unshare --mount --pid --fork --propagation private "$parts/load-outside.sh" "$disk.new" "$work" "$node" 9>&-
  mv "$disk.new" "$disk"
}

have_root() { [ -f "$root" ]; }
have_disk() { [ -f "$disk" ]; }

step guest-root "unpacking Debian $DEBIAN for the rootless guest (a minute)" have_root \
  "=$packages" "=$DEBIAN" "$parts/root-hook.sh" "$parts/guest-run" "$TESTBED_DIR/archive.sh" -- make_root
step guest-disk "making the guest's disk and loading $NODE_IMAGE into it" have_disk \
  "=$(stamp_of guest-root)" "=$(stamp_of "node-image-$KUBERNETES_VERSION")" "=$(image_id docker "$NODE_IMAGE")" "$parts/load-outside.sh" "${BASH_SOURCE[0]}" -- make_disk
