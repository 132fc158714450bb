#!/bin/bash
# Makes the image that nodes are built on: Debian with systemd, containerd and network tools, and this project's files.
# usage: base-image.sh
source "$(dirname "$0")/lib.sh"
source "$TESTBED_DIR/archive.sh"
take_lock
need jq=jq

readonly base_files=$REPO_DIR/node-image/base
readonly root=$KINDR_TESTBED/layers/node-root.tar base_layer=$KINDR_TESTBED/layers/node-files.tar
packages=systemd,systemd-sysv,iptables,nftables,iproute2,conntrack,ethtool,socat,util-linux,mount,kmod,ebtables,ipset
packages+=,libseccomp2,containerd,runc,containernetworking-plugins,fuse-overlayfs,jq,curl,ca-certificates,procps,hostname
packages+=,iputils-ping,rsync,e2fsprogs,haproxy

make_root() {
  debian_root "$root" "$packages" --customize-hook="$TESTBED_DIR/node-root-hook.sh \"\$1\""
}

make_layer() {
  local work
  work=$(mktemp -d "$KINDR_TESTBED/files.XXXXXX")
  cp -a "$base_files/." "$work/"
  mkdir -p "$work"/etc/systemd/system/multi-user.target.wants "$work"/{etc/kubernetes/manifests,kind/manifests,opt/cni}
  local unit
  for unit in containerd kubelet undo-mount-hacks; do
    ln -s "../$unit.service" "$work/etc/systemd/system/multi-user.target.wants/"
  done
  ln -s /usr/lib/cni "$work/opt/cni/bin"
  pack_layer "$work" "$base_layer"
  rm -rf "$work"
  # Without the stop signal, stopping a node waits for its whole time limit: systemd does not end on SIGTERM.
  assemble "$KINDR_TESTBED/images/node-base.tar" "$BASE_IMAGE" "$(node_config)" "$root" "$base_layer"
  load_image "$KINDR_TESTBED/images/node-base.tar" "$BASE_IMAGE"
}

have_root() { [ -f "$root" ]; }
have_base() { [ -f "$base_layer" ] && have_image "$BASE_IMAGE"; }

step node-root "unpacking Debian $DEBIAN for nodes (half a minute)" have_root \
  "=$packages" "=$DEBIAN" "$TESTBED_DIR/node-root-hook.sh" "$TESTBED_DIR/archive.sh" -- make_root
step base-image "putting the node base image together" have_base \
  "=$(stamp_of node-root)" "$base_files" "$TESTBED_DIR/base-image.sh" "$TESTBED_DIR/archive.sh" -- make_layer
