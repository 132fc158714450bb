#!/bin/bash
# Makes the node image: the base image, Kubernetes' programs, the manifests, and the images of a cluster ready to run.
# usage: node-image.sh
source "$(dirname "$0")/lib.sh"
source "$TESTBED_DIR/archive.sh"
source "$TESTBED_DIR/image-names.sh"
take_lock
need jq=jq

readonly bin=$KINDR_TESTBED/bin layers=$KINDR_TESTBED/layers base=$REPO_DIR/node-image/base manifests=$REPO_DIR/node-image/manifests

# Unpacking and importing is containerd's work, so it is done by the one that nodes have, in a container of their base.
make_preload() {
  local container name archives=()
  for name in $(node_images); do archives+=("$(basename "$(archive_of "$name")")"); done
  container=$(docker run --detach --privileged --entrypoint sleep --network none --volume /state \
    --volume "$KINDR_TESTBED/images:/images:ro" --volume "$TESTBED_DIR:/testbed:ro" "$BASE_IMAGE" infinity)
  # shellcheck disable=SC2064 # the container's id is to be in the trap, whatever becomes of the variable
  trap "docker rm --force --volumes '$container' >/dev/null" EXIT
  docker exec "$container" /testbed/preload.sh "${archives[@]}" >"$layers/preload.tar.new"
  mv "$layers/preload.tar.new" "$layers/preload.tar"
}

make_node() {
  local work program
  work=$(mktemp -d "$KINDR_TESTBED/node.XXXXXX")
  mkdir -p "$work/usr/bin" "$work/kind/manifests" "$work/etc/containerd"
  for program in kubeadm kubelet kubectl crictl; do install -m 0755 "$bin/$program" "$work/usr/bin/"; done
  install -D -m 0755 "$bin/containerd-fuse-overlayfs-grpc" "$work/usr/local/bin/containerd-fuse-overlayfs-grpc"
  printf '%s' "$KUBERNETES_VERSION" >"$work/kind/version"
  for file in "$manifests"/*.yaml; do
    sed -e "s|PODNET_IMAGE|$PODNET_IMAGE|; s|PROVISIONER_IMAGE|$PROVISIONER_IMAGE|; s|HELPER_IMAGE|$HELPER_IMAGE|" "$file" \
      >"$work/kind/manifests/${file##*/}"
  done
  sed "s|PAUSE_IMAGE|$(kubernetes_image pause)|" "$base/etc/containerd/config.toml" >"$work/etc/containerd/config.toml"
  pack_layer "$work" "$layers/node.tar"
  rm -rf "$work"
  assemble "$KINDR_TESTBED/images/node.tar" "$NODE_IMAGE" "$(node_config)" \
    "$layers/node-root.tar" "$layers/preload.tar" "$layers/node-files.tar" "$layers/node.tar"
  load_image "$KINDR_TESTBED/images/node.tar" "$NODE_IMAGE"
}

have_preload() { [ -f "$layers/preload.tar" ]; }
have_node() { have_image "$NODE_IMAGE"; }

step preload "importing and unpacking the images of a cluster" have_preload \
  "=$(stamp_of images)" "=$(stamp_of node-root)" "$TESTBED_DIR/preload.sh" -- make_preload
step node-image "putting $NODE_IMAGE together" have_node "=$(stamp_of preload)" "=$(stamp_of base-image)" \
  "=$(stamp_of kubernetes)" "=$(stamp_of go-crictl)" "=$(stamp_of go-containerd-fuse-overlayfs-grpc)" "$manifests" "$TESTBED_DIR/node-image.sh" "$TESTBED_DIR/archive.sh" \
  "$TESTBED_DIR/image-names.sh" -- make_node
