#!/bin/bash
# Makes a node image: the base image, Kubernetes' programs, the manifests, and the images of a cluster ready to run.
# usage: node-image.sh [VERSION]    of Kubernetes
source "$(dirname "$0")/lib.sh"
use_release "${1:-$KUBERNETES_VERSION}"
source "$TESTBED_DIR/archive.sh"
source "$TESTBED_DIR/image-names.sh"
take_lock
need jq=jq

readonly bin=$RELEASE/bin layers=$KINDR_TESTBED/layers parts=$REPO_DIR/node-image
node_programs=(kubeadm kubelet kubectl crictl)
containerd_config=$parts/base/etc/containerd/config.toml
# A release with a containerd of its own puts it over Debian's.
own_containerd() { [ -d "$TESTBED_DIR/$RELEASE_MODULES/containerd" ]; }
if own_containerd; then
  node_programs+=(containerd ctr containerd-shim-runc-v2)
  containerd_config=$parts/containerd-2/config.toml
fi

# Unpacking and importing is containerd's work, so it is done by the one that nodes have, in a container of their base.
make_preload() {
  local container name archives=()
  for name in $(node_images); do archives+=("$(basename "$(archive_of "$name")")"); done
  container=$(docker run --detach --privileged --entrypoint sleep --network none --volume /state \
    --volume "$RELEASE/images:/images:ro" --volume "$bin:/programs:ro" --volume "$TESTBED_DIR:/testbed:ro" "$BASE_IMAGE" infinity)
  # shellcheck disable=SC2064 # the container's id is to be in the trap, whatever becomes of the variable
  trap "docker rm --force --volumes '$container' >/dev/null" EXIT
  docker exec --env PATH=/programs:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container" \
    /testbed/preload.sh "${archives[@]}" >"$RELEASE/layers/preload.tar.new"
  mv "$RELEASE/layers/preload.tar.new" "$RELEASE/layers/preload.tar"
}

make_node() {
  local work program
  work=$(mktemp -d "$KINDR_TESTBED/node.XXXXXX")
  mkdir -p "$work/usr/bin" "$work/kind/manifests" "$work/etc/containerd"
  for program in "${node_programs[@]}"; do install -m 0755 "$bin/$program" "$work/usr/bin/"; done
  install -D -m 0755 "$KINDR_TESTBED/bin/containerd-fuse-overlayfs-grpc" "$work/usr/local/bin/containerd-fuse-overlayfs-grpc"
  printf '%s' "$KUBERNETES_VERSION" >"$work/kind/version"
  for file in "$parts"/manifests/*.yaml; do
    sed -e "s|PODNET_IMAGE|$PODNET_IMAGE|; s|PROVISIONER_IMAGE|$PROVISIONER_IMAGE|; s|HELPER_IMAGE|$HELPER_IMAGE|" "$file" \
      >"$work/kind/manifests/${file##*/}"
  done
  sed "s|PAUSE_IMAGE|$(kubernetes_image pause)|" "$containerd_config" >"$work/etc/containerd/config.toml"
  # The same that the base has of Debian's, see node-root-hook.sh.
  if own_containerd; then "$bin/ctr" oci spec | jq 'del(.process.rlimits)' >"$work/etc/containerd/base-spec.json"; fi
  pack_layer "$work" "$RELEASE/layers/node.tar"
  rm -rf "$work"
  assemble "$RELEASE/images/node.tar" "$NODE_IMAGE" "$(node_config)" \
    "$layers/node-root.tar" "$RELEASE/layers/preload.tar" "$layers/node-files.tar" "$RELEASE/layers/node.tar"
  load_image "$RELEASE/images/node.tar" "$NODE_IMAGE"
}

have_preload() { [ -f "$RELEASE/layers/preload.tar" ]; }
have_node() { have_image "$NODE_IMAGE"; }

stamps="$(stamp_of "kubernetes-$KUBERNETES_VERSION") $(stamp_of go-containerd-fuse-overlayfs-grpc)"
for program in crictl containerd ctr containerd-shim-runc-v2; do stamps+=" $(stamp_of "go-$program-$KUBERNETES_VERSION")"; done

step "preload-$KUBERNETES_VERSION" "importing and unpacking the images of a cluster" have_preload \
  "=$(stamp_of "images-$KUBERNETES_VERSION")" "=$(stamp_of node-root)" "=$(stamp_of "go-containerd-$KUBERNETES_VERSION")" \
  "$TESTBED_DIR/preload.sh" -- make_preload
step "node-image-$KUBERNETES_VERSION" "putting $NODE_IMAGE together" have_node \
  "=$(stamp_of "preload-$KUBERNETES_VERSION")" "=$(stamp_of base-image)" "=$stamps" "$containerd_config" "$parts/manifests" \
  "$TESTBED_DIR/node-image.sh" "$TESTBED_DIR/archive.sh" "$TESTBED_DIR/image-names.sh" -- make_node
load_beside "node-image-$KUBERNETES_VERSION" "$RELEASE/images/node.tar" "$NODE_IMAGE"
