#!/bin/bash
# Builds the programs of a Kubernetes, and what a cluster needs beside it, from Go modules pinned in go/.
# usage: kubernetes.sh [VERSION]
source "$(dirname "$0")/lib.sh"
use_release "${1:-$KUBERNETES_VERSION}"
take_lock
need go=golang-go

export GOCACHE=$KINDR_TESTBED/go/build GOMODCACHE=$KINDR_TESTBED/go/mod
export CGO_ENABLED=0 GOFLAGS=-mod=readonly
readonly kubernetes_programs=(kube-apiserver kube-controller-manager kube-proxy kube-scheduler kubeadm kubectl kubelet)

build_kubernetes() {
  local variables=k8s.io/component-base/version
  cd "$TESTBED_DIR/$RELEASE_MODULES/kubernetes"
  # Kubernetes learns its version at link time; kubeadm refuses to work for an unknown one.
  go build -trimpath -o "$RELEASE/bin/" -ldflags "-s -w -X $variables.gitVersion=$KUBERNETES_VERSION -X $variables.gitMajor=1 \
-X $variables.gitMinor=$KUBERNETES_MINOR -X $variables.gitTreeState=clean" "${kubernetes_programs[@]/#/k8s.io/kubernetes/cmd/}"
}

# build MODULE BIN PROGRAM PACKAGE: one program of the module in the folder MODULE.
build() {
  local module=$1 bin=$2 program=$3 package=$4 flags="-s -w" tags=""
  cd "$TESTBED_DIR/$module"
  if [ "${module##*/}" = containerd ]; then
    flags+=" -X github.com/containerd/containerd/v2/version.Version=$(go list -m -f '{{.Version}}' github.com/containerd/containerd/v2)"
    # Snapshotters that no node uses.
    tags=no_btrfs,no_devmapper,no_zfs
  fi
  go build -trimpath -ldflags "$flags" -tags "$tags" -o "$bin/$program" "$package"
}

# have_programs BIN PROGRAM...
have_programs() {
  local program
  for program in "${@:2}"; do [ -x "$1/$program" ] || return 1; done
}

# programs BIN MODULES STAMP: builds what the list on standard input asks for: a module's folder, a program, its package.
programs() {
  local module program package
  while read -r module program package; do
    # Some releases have more than others.
    if [ ! -d "$TESTBED_DIR/$2/$module" ]; then continue; fi
    step "go-$program$3" "building $program" "have_programs $1 $program" "$TESTBED_DIR/$2/$module" "=$package" -- \
      build "$2/$module" "$1" "$program" "$package"
  done
}

step "kubernetes-$KUBERNETES_VERSION" "building Kubernetes $KUBERNETES_VERSION (about 6 minutes on 2 cores when new)" \
  "have_programs $RELEASE/bin ${kubernetes_programs[*]}" "$TESTBED_DIR/$RELEASE_MODULES/kubernetes" "$TESTBED_DIR/kubernetes.sh" \
  "=$KUBERNETES_VERSION" -- build_kubernetes
programs "$RELEASE/bin" "$RELEASE_MODULES" "-$KUBERNETES_VERSION" <<'LIST'
etcd etcd go.etcd.io/etcd/server/v3
etcd etcdctl go.etcd.io/etcd/etcdctl/v3
coredns coredns github.com/coredns/coredns
crictl crictl sigs.k8s.io/cri-tools/cmd/crictl
containerd containerd github.com/containerd/containerd/v2/cmd/containerd
containerd ctr github.com/containerd/containerd/v2/cmd/ctr
containerd containerd-shim-runc-v2 github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2
LIST
programs "$KINDR_TESTBED/bin" go "" <<'LIST'
local-path-provisioner local-path-provisioner github.com/rancher/local-path-provisioner
fuse-overlayfs-snapshotter containerd-fuse-overlayfs-grpc github.com/containerd/fuse-overlayfs-snapshotter/v2/cmd/containerd-fuse-overlayfs-grpc
LIST
