#!/bin/bash
# Makes `nerdctl` answer: builds it and its containerd from Go modules, and starts that beside whatever else runs here. A
# nerdctl that answers already is left as it is.
# usage: engine-nerdctl.sh RELEASE    the Kubernetes release whose containerd is taken
source "$(dirname "$0")/lib.sh"
use_release "$1"
source "$TESTBED_DIR/engine-lib.sh"
take_lock

# Nothing is shared with a containerd that docker or a Kubernetes of this machine may have.
readonly place=$KINDR_TESTBED/containerd run=/run/kindr-containerd settings=/etc/nerdctl/nerdctl.toml
readonly socket=$run/containerd.sock

answers() { nerdctl info >/dev/null 2>&1; }

install_nerdctl() {
  source "$TESTBED_DIR/go.sh"
  containerd_programs
  programs "$KINDR_TESTBED/bin" go "" <<<"$NERDCTL_PROGRAM"
  need runc=runc iptables=iptables
  [ -x /usr/lib/cni/bridge ] || install_packages containernetworking-plugins
  if command -v nerdctl >/dev/null && ! cmp --quiet "$KINDR_TESTBED/bin/nerdctl" "$(command -v nerdctl)"; then
    say "engines: $(command -v nerdctl) is used as it is"
  else
    as_root install -m 0755 "$KINDR_TESTBED/bin/nerdctl" /usr/local/bin/nerdctl
  fi
}

configure() {
  mkdir -p "$place"/{root,nerdctl,cni}
  cat >"$place/config.toml" <<TOML
version = 3
root = "$place/root"
state = "$run"
# Kubernetes' own plugins want a CNI configuration, and nobody here asks them for anything.
disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.cri.v1.images", "io.containerd.cri.v1.runtime",
  "io.containerd.internal.v1.opt"]

[grpc]
address = "$socket"

[ttrpc]
address = "$socket.ttrpc"
TOML
  if [ -e "$settings" ]; then return; fi
  as_root mkdir -p "${settings%/*}"
  as_root tee "$settings" >/dev/null <<TOML
# Written by kindr's test bed, for the containerd that it starts.
address = "$socket"
data_root = "$place/nerdctl"
cni_path = "/usr/lib/cni"
cni_netconfpath = "$place/cni"
TOML
}

# The runtime is the first `runc` on the daemon's PATH, and its shim must be of the same containerd.
daemon_path() {
  local first=$RELEASE/bin
  if lacks_sys_resource; then
    install_bounded_runtime containerd
    mkdir -p "$place/bin"
    ln -sf "$BOUNDED_RUNTIME" "$place/bin/runc"
    first=$place/bin:$first
  fi
  echo "$first:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
}

started=$(date +%s%N)
if answers; then
  update_bounded_runtime nerdctl
  text="answers, left as it is"
else
  install_nerdctl
  configure
  start_daemon containerd answers env PATH="$(daemon_path)" "$RELEASE/bin/containerd" --config "$place/config.toml"
  text="is up"
fi
let_bridges_through
raise_inotify_limit
say "engines: $(nerdctl --version) with containerd \
$(nerdctl version --format '{{range .Server.Components}}{{if eq .Name "containerd"}}{{.Version}}{{end}}{{end}}') $text ($(seconds_since "$started"))"
