#!/bin/bash
# Makes the images that run in a cluster: the control plane's, the pod network's, the storage's. Each is one program on
# nothing, except where the program calls others: those share one small root.
# usage: images.sh [VERSION]    of Kubernetes
source "$(dirname "$0")/lib.sh"
use_release "${1:-$KUBERNETES_VERSION}"
source "$TESTBED_DIR/archive.sh"
source "$TESTBED_DIR/image-names.sh"
source "$TESTBED_DIR/busybox.sh"
take_lock
need jq=jq mmdebstrap=mmdebstrap pigz=pigz

readonly bin=$KINDR_TESTBED/bin release_bin=$RELEASE/bin layers=$KINDR_TESTBED/layers
readonly tools_packages=iptables,nftables,iproute2,conntrack,kmod,ipset,busybox-static
readonly path='PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

# The shared root is unpacked only, not installed: nothing in it needs a package's scripts, apt or dpkg.
make_tools() {
  local work command
  work=$(mktemp -d "$KINDR_TESTBED/tools.XXXXXX")
  as_root mmdebstrap --quiet --variant=extract --format=directory "${NO_DOCS[@]}" --include="$tools_packages" "$DEBIAN" "$work/root"
  cd "$work/root"
  as_root rm -rf var dev proc sys run tmp etc/apt usr/lib/x86_64-linux-gnu/{perl*,gconv} usr/share/{doc,bug,lintian}
  as_root install -D -m 0755 "$REPO_DIR/node-image/base/usr/local/sbin/choose-iptables" usr/local/sbin/choose-iptables
  for command in ip{,6}tables{,-save,-restore}; do as_root ln -sf /usr/local/sbin/choose-iptables "usr/sbin/$command"; done
  link_applets .
  pack_layer . "$layers/tools.tar"
  compress "$layers/tools.tar"
  cd "$TESTBED_DIR"
  as_root rm -rf "$work"
}

# Nodes keep each layer's archive as well as its files, for those that need the archive: quickly made smaller is enough.
compress() { pigz -1 --no-name --keep --force "$1" && touch "$1.gz"; }

# image NAME CONFIG PROGRAM AT LAYER...: an image of the layers with one program on top.
image() {
  local name=$1 config=$2 program=$3 at=$4 work layer
  work=$(mktemp -d "$KINDR_TESTBED/image.XXXXXX")
  layer=$RELEASE/layers/$(basename "$program").tar
  install -D -m 0755 "$program" "$work$at"
  pack_layer "$work" "$layer"
  compress "$layer"
  rm -rf "$work"
  assemble "$(archive_of "$name")" "$name" "$config" "${@:5}" "$layer"
}

make_images() {
  local program config="{\"Env\": [\"$path\"], \"WorkingDir\": \"/\"}"
  for program in kube-apiserver kube-controller-manager kube-scheduler etcd; do
    image "$(kubernetes_image "$program")" "$config" "$release_bin/$program" "/usr/local/bin/$program" "$layers/etc.tar"
  done
  image "$(kubernetes_image kube-proxy)" "$config" "$release_bin/kube-proxy" /usr/local/bin/kube-proxy "$layers/tools.tar" "$layers/etc.tar"
  image "$(kubernetes_image coredns)" '{"Entrypoint": ["/coredns"]}' "$release_bin/coredns" /coredns "$layers/etc.tar"
  image "$(kubernetes_image pause)" '{"Entrypoint": ["/pause"]}' "$bin/kindr-pause" /pause
  image "$PODNET_IMAGE" "$(jq -c '.Entrypoint = ["kindr-podnet"]' <<<"$config")" \
    "$bin/kindr-podnet" /usr/local/bin/kindr-podnet "$layers/tools.tar" "$layers/etc.tar"
  image "$PROVISIONER_IMAGE" "$config" "$bin/local-path-provisioner" /usr/local/bin/local-path-provisioner "$layers/etc.tar"
  assemble "$(archive_of "$HELPER_IMAGE")" "$HELPER_IMAGE" "$config" "$layers/busybox.tar" "$layers/etc.tar"
}

have_layer() { [ -f "$layers/$1.tar" ]; }
have_images() { local name; for name in $(node_images); do [ -f "$(archive_of "$name")" ] || return 1; done; }

readonly release_programs=(kube-apiserver kube-controller-manager kube-scheduler kube-proxy etcd coredns)
readonly programs=(local-path-provisioner kindr-pause kindr-podnet)

started=$(date +%s%N)
"$TESTBED_DIR/cargo-static.sh" kindr-pause kindr-podnet
say "static programs: built in $(seconds_since "$started")"
busybox_layers
step tools-layer "unpacking the network tools" "have_layer tools" "=$tools_packages" "=$DEBIAN" \
  "$REPO_DIR/node-image/base/usr/local/sbin/choose-iptables" "$TESTBED_DIR/images.sh" "$TESTBED_DIR/archive.sh" -- make_tools
step "images-$KUBERNETES_VERSION" "putting the images of Kubernetes $KUBERNETES_VERSION together" have_images "$TESTBED_DIR/images.sh" "$TESTBED_DIR/archive.sh" \
  "$TESTBED_DIR/image-names.sh" "${release_programs[@]/#/$release_bin/}" \
  "${programs[@]/#/$bin/}" "=$(stamp_of tools-layer)$(stamp_of busybox-layers)" -- make_images
