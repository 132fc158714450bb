# shellcheck shell=bash
# What the engines of the test bed share: a runtime for hosts that may not grant CAP_SYS_RESOURCE, their daemons, and peace
# between their firewalls.

BOUNDED_RUNTIME=/usr/local/bin/kindr-bounded-runtime

# CAP_SYS_RESOURCE is bit 24. Without it no engine can start a privileged container, unless its requests are bounded.
lacks_sys_resource() { (((16#$(awk '/^CapBnd:/ {print $2}' /proc/self/status) >> 24 & 1) == 0)); }

install_bounded_runtime() {
  "$TESTBED_DIR/cargo-static.sh" kindr-bounded-runtime
  if cmp --quiet "$KINDR_TESTBED/bin/kindr-bounded-runtime" "$BOUNDED_RUNTIME"; then return; fi
  say "engines: this host cannot grant CAP_SYS_RESOURCE, so $1 gets a runtime that does not ask for it"
  # By another name first: the old one may be running.
  as_root install -m 0755 "$KINDR_TESTBED/bin/kindr-bounded-runtime" "$BOUNDED_RUNTIME.new"
  as_root mv "$BOUNDED_RUNTIME.new" "$BOUNDED_RUNTIME"
}

# The runtime changes with this repository, also where the engine itself is left as it is.
update_bounded_runtime() {
  if [ -x "$BOUNDED_RUNTIME" ] && lacks_sys_resource; then install_bounded_runtime "$1"; fi
}

# docker drops what it does not know, and where bridges are filtered this takes the packets that pods on two nodes of
# another engine send each other: their addresses are no node's. What stays on one bridge is let through.
let_bridges_through() {
  local rule=(DOCKER-USER -m physdev --physdev-is-bridged -j ACCEPT)
  if ! as_root iptables -S FORWARD 2>/dev/null | grep -qx -- '-P FORWARD DROP'; then return; fi
  if as_root iptables -S DOCKER-USER >/dev/null 2>&1 && ! as_root iptables -C "${rule[@]}" 2>/dev/null; then
    say "engines: docker's firewall lets through what stays on one bridge"
    as_root iptables -I "${rule[@]}"
  fi
}

# Every node takes some 20 of the inotify instances that a user may have, and all engines here are root's.
raise_inotify_limit() {
  local limit=/proc/sys/fs/inotify/max_user_instances
  if [ "$(cat "$limit")" -ge 512 ]; then return; fi
  say "engines: nodes of three engines need more than $(cat "$limit") inotify instances, now they may have 512"
  echo 512 | as_root tee "$limit" >/dev/null
}

# start_daemon NAME CHECK COMMAND...: starts a daemon that outlives this script, and waits until CHECK holds.
start_daemon() {
  local name=$1 check=$2 log=$KINDR_TESTBED/$1.log pid
  shift 2
  say "starting $name, its log is $log"
  # It must not keep the lock, nor the terminal.
  as_root setsid "$@" >"$log" 2>&1 </dev/null 9>&- &
  pid=$!
  for _ in $(seq 300); do
    if $check; then return; fi
    kill -0 "$pid" 2>/dev/null || { tail -20 "$log" >&2; fail "$name ended"; }
    sleep 0.1
  done
  tail -20 "$log" >&2
  fail "$name did not answer within 30 s"
}
