#!/bin/bash
# Builds the Kubernetes programs, and what a cluster needs beside them, from Go modules pinned in go/*/go.mod.
# usage: kubernetes.sh
source "$(dirname "$0")/lib.sh"
take_lock
need go=golang-go

export GOCACHE=$KINDR_TESTBED/go/build GOMODCACHE=$KINDR_TESTBED/go/mod
export CGO_ENABLED=0 GOFLAGS=-mod=readonly
readonly bin=$KINDR_TESTBED/bin
readonly kubernetes_programs=(kube-apiserver kube-controller-manager kube-proxy kube-scheduler kubeadm kubectl kubelet)

build_kubernetes() {
  local variables=k8s.io/component-base/version minor
  minor=$(cut -d. -f2 <<<"$KUBERNETES_VERSION")
  cd "$TESTBED_DIR/go/kubernetes"
  # Kubernetes learns its version at link time; kubeadm refuses to work for an unknown one.
  go build -trimpath -o "$bin/" -ldflags "-s -w -X $variables.gitVersion=$KUBERNETES_VERSION -X $variables.gitMajor=1 \
-X $variables.gitMinor=$minor -X $variables.gitTreeState=clean" "${kubernetes_programs[@]/#/k8s.io/kubernetes/cmd/}"
}

# build FOLDER PROGRAM PACKAGE [FLAGS...]: one program of the module in go/FOLDER.
build() {
  cd "$TESTBED_DIR/go/$1"
  go build -trimpath -ldflags '-s -w' -o "$bin/$2" "${@:4}" "$3"
}

have_programs() {
  local program
  for program in "${@:-${kubernetes_programs[@]}}"; do [ -x "$bin/$program" ] || return 1; done
}

step kubernetes "building Kubernetes $KUBERNETES_VERSION (about 6 minutes on 2 cores when new)" have_programs \
  "$TESTBED_DIR/go/kubernetes" "$TESTBED_DIR/kubernetes.sh" "=$KUBERNETES_VERSION" -- build_kubernetes
while read -r folder program package; do
  step "go-$program" "building $program" "have_programs $program" "$TESTBED_DIR/go/$folder" "=$package" -- \
    build "$folder" "$program" "$package"
done <<'LIST'
etcd etcd go.etcd.io/etcd/server/v3
etcd etcdctl go.etcd.io/etcd/etcdctl/v3
coredns coredns github.com/coredns/coredns
crictl crictl sigs.k8s.io/cri-tools/cmd/crictl
local-path-provisioner local-path-provisioner github.com/rancher/local-path-provisioner
fuse-overlayfs-snapshotter containerd-fuse-overlayfs-grpc github.com/containerd/fuse-overlayfs-snapshotter/v2/cmd/containerd-fuse-overlayfs-grpc
LIST
