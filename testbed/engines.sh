#!/bin/bash
# Makes `docker` answer. One that answers already is left as it is; only a machine that has none gets one.
# usage: engines.sh
source "$(dirname "$0")/lib.sh"
take_lock

readonly runtime=/usr/local/bin/kindr-bounded-runtime
readonly daemon_config=/etc/docker/daemon.json

# CAP_SYS_RESOURCE is bit 24. Without it no engine can start a privileged container, unless its requests are bounded.
lacks_sys_resource() { (((16#$(awk '/^CapBnd:/ {print $2}' /proc/self/status) >> 24 & 1) == 0)); }

install_docker() {
  need dockerd=docker.io iptables=iptables jq=jq
  if ! command -v docker >/dev/null; then install_packages docker.io; fi
  if lacks_sys_resource; then
    say "engines: this host cannot grant CAP_SYS_RESOURCE, so docker gets a runtime that does not ask for it"
    "$TESTBED_DIR/cargo-static.sh" kindr-bounded-runtime
    as_root install -m 0755 "$KINDR_TESTBED/bin/kindr-bounded-runtime" "$runtime"
    configure_runtime
  fi
}

# Adds the runtime to what the daemon's configuration may already say.
configure_runtime() {
  local old='{}' new
  if [ -s "$daemon_config" ]; then old=$(cat "$daemon_config"); fi
  new=$(jq --arg path "$runtime" '.runtimes.bounded.path = $path | .["default-runtime"] = "bounded"' <<<"$old")
  as_root mkdir -p "${daemon_config%/*}"
  as_root tee "$daemon_config" >/dev/null <<<"$new"
}

start_docker() {
  local log=$KINDR_TESTBED/dockerd.log pid
  say "engines: starting dockerd, its log is $log"
  # The daemon outlives this script, so it must not keep the lock, nor the terminal.
  as_root setsid dockerd >"$log" 2>&1 </dev/null 9>&- &
  pid=$!
  for _ in $(seq 300); do
    if docker version >/dev/null 2>&1; then return; fi
    kill -0 "$pid" 2>/dev/null || { tail -20 "$log" >&2; fail "dockerd ended"; }
    sleep 0.1
  done
  tail -20 "$log" >&2
  fail "dockerd did not answer within 30 s"
}

started=$(date +%s%N)
if docker info >/dev/null 2>&1; then
  say "engines: docker $(docker version --format '{{.Server.Version}}') answers, left as it is"
else
  install_docker
  start_docker
  say "engines: docker $(docker version --format '{{.Server.Version}}') is up after $(seconds_since "$started")"
fi
