# shellcheck shell=bash
# What the images of a cluster are called. Those of Kubernetes itself are asked of the kubeadm that will look for them.

readonly PODNET_IMAGE=kindr/podnet:v0.1.0
readonly PROVISIONER_IMAGE=kindr/local-path-provisioner:v0.0.30
readonly HELPER_IMAGE=kindr/local-path-helper:v0.1.0

# The lists are the same for one kubeadm, and asking it takes a moment.
kubernetes_images() {
  local list=$RELEASE/images/list
  if [ ! -s "$list" ] || [ "$list" -ot "$RELEASE/bin/kubeadm" ]; then
    "$RELEASE/bin/kubeadm" config images list --kubernetes-version "$KUBERNETES_VERSION" >"$list.new"
    mv "$list.new" "$list"
  fi
  cat "$list"
}

# kubernetes_image NAME: the whole name of one of them, for example of "etcd".
kubernetes_image() { kubernetes_images | grep "/$1:"; }

node_images() {
  kubernetes_images
  printf '%s\n' "$PODNET_IMAGE" "$PROVISIONER_IMAGE" "$HELPER_IMAGE"
}

archive_of() { echo "$RELEASE/images/$(tr '/:' '__' <<<"$1").tar"; }
