#!/bin/bash
# Builds the programs of a Kubernetes, and what a cluster needs beside it, from Go modules pinned in go/.
# usage: kubernetes.sh [VERSION]
source "$(dirname "$0")/lib.sh"
use_release "${1:-$KUBERNETES_VERSION}"
take_lock
source "$TESTBED_DIR/go.sh"

readonly kubernetes_programs=(kube-apiserver kube-controller-manager kube-proxy kube-scheduler kubeadm kubectl kubelet)

build_kubernetes() {
  local variables=k8s.io/component-base/version
  cd "$TESTBED_DIR/$RELEASE_MODULES/kubernetes"
  # Kubernetes learns its version at link time; kubeadm refuses to work for an unknown one.
  go build -trimpath -o "$RELEASE/bin/" -ldflags "-s -w -X $variables.gitVersion=$KUBERNETES_VERSION -X $variables.gitMajor=1 \
-X $variables.gitMinor=$KUBERNETES_MINOR -X $variables.gitTreeState=clean" "${kubernetes_programs[@]/#/k8s.io/kubernetes/cmd/}"
}

step "kubernetes-$KUBERNETES_VERSION" "building Kubernetes $KUBERNETES_VERSION (about 6 minutes on 2 cores when new)" \
  "have_programs $RELEASE/bin ${kubernetes_programs[*]}" "$TESTBED_DIR/$RELEASE_MODULES/kubernetes" "$TESTBED_DIR/kubernetes.sh" \
  "=$KUBERNETES_VERSION" -- build_kubernetes
programs "$RELEASE/bin" "$RELEASE_MODULES" "-$KUBERNETES_VERSION" <<'LIST'
etcd etcd go.etcd.io/etcd/server/v3
etcd etcdctl go.etcd.io/etcd/etcdctl/v3
coredns coredns github.com/coredns/coredns
crictl crictl sigs.k8s.io/cri-tools/cmd/crictl
LIST
containerd_programs
programs "$KINDR_TESTBED/bin" go "" <<'LIST'
local-path-provisioner local-path-provisioner github.com/rancher/local-path-provisioner
fuse-overlayfs-snapshotter containerd-fuse-overlayfs-grpc github.com/containerd/fuse-overlayfs-snapshotter/v2/cmd/containerd-fuse-overlayfs-grpc
LIST
