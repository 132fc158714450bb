# shellcheck shell=bash
# Builds programs from Go modules pinned in go/, each only when it changed.
need go=golang-go

export GOCACHE=$KINDR_TESTBED/go/build GOMODCACHE=$KINDR_TESTBED/go/mod
export CGO_ENABLED=0 GOFLAGS=-mod=readonly

# build MODULE BIN PROGRAM PACKAGE: one program of the module in the folder MODULE.
build() {
  local module=$1 bin=$2 program=$3 package=$4 flags="-s -w" tags=""
  cd "$TESTBED_DIR/$module" || return
  if [ "${module##*/}" = containerd ]; then
    flags+=" -X github.com/containerd/containerd/v2/version.Version=$(go list -m -f '{{.Version}}' github.com/containerd/containerd/v2)"
    # Snapshotters that no node uses.
    tags=no_btrfs,no_devmapper,no_zfs
  elif [ "$module" = go/nerdctl ]; then
    flags+=" -X github.com/containerd/nerdctl/v2/pkg/version.Version=$(go list -m -f '{{.Version}}' github.com/containerd/nerdctl/v2)"
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

# The containerd of a release that has one of its own: for its nodes, and for the engine that nerdctl drives.
containerd_programs() {
  programs "$RELEASE/bin" "$RELEASE_MODULES" "-$KUBERNETES_VERSION" <<'LIST'
containerd containerd github.com/containerd/containerd/v2/cmd/containerd
containerd ctr github.com/containerd/containerd/v2/cmd/ctr
containerd containerd-shim-runc-v2 github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2
LIST
}

# shellcheck disable=SC2034 # for those who make it
readonly NERDCTL_PROGRAM="nerdctl nerdctl github.com/containerd/nerdctl/v2/cmd/nerdctl"
