#!/bin/bash
# Makes `docker` answer. One that answers already is left as it is; only a machine that has none gets one.
# usage: engine-docker.sh
source "$(dirname "$0")/lib.sh"
source "$TESTBED_DIR/engine-lib.sh"
take_lock

readonly daemon_config=/etc/docker/daemon.json

install_docker() {
  need dockerd=docker.io iptables=iptables jq=jq
  if ! command -v docker >/dev/null; then install_packages docker.io; fi
  if lacks_sys_resource; then
    install_bounded_runtime docker
    configure_runtime
  fi
}

# Adds the runtime to what the daemon's configuration may already say.
configure_runtime() {
  local old='{}' new
  if [ -s "$daemon_config" ]; then old=$(cat "$daemon_config"); fi
  new=$(jq --arg path "$BOUNDED_RUNTIME" '.runtimes.bounded.path = $path | .["default-runtime"] = "bounded"' <<<"$old")
  as_root mkdir -p "${daemon_config%/*}"
  as_root tee "$daemon_config" >/dev/null <<<"$new"
}

# A docker whose data were removed leaves the rules of its networks. A new network of the same subnet would be masqueraded
# within itself, and etcd refuses members that come from another address than their certificate names.
drop_stale_rules() {
  local bridge rule
  as_root iptables -t nat -S POSTROUTING 2>/dev/null |
    sed -n 's/^-A \(POSTROUTING -s [0-9./]* ! -o \(br-[0-9a-f]*\) -j MASQUERADE\)$/\2 \1/p' |
    while read -r bridge rule; do
      if [ -e "/sys/class/net/$bridge" ]; then continue; fi
      say "engines: dropping the rule of a network that is gone: $rule"
      read -ra rule <<<"$rule"
      as_root iptables -t nat -D "${rule[@]}"
    done || true
}

answers() { docker version >/dev/null 2>&1; }

started=$(date +%s%N)
if docker info >/dev/null 2>&1; then
  update_bounded_runtime docker
  say "engines: docker $(docker version --format '{{.Server.Version}}') answers, left as it is"
else
  install_docker
  drop_stale_rules
  start_daemon dockerd answers dockerd
  say "engines: docker $(docker version --format '{{.Server.Version}}') is up after $(seconds_since "$started")"
fi
