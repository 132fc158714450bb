# shellcheck shell=bash
# For hosts whose engines may not grant CAP_SYS_RESOURCE: a runtime that does not ask for it.

BOUNDED_RUNTIME=/usr/local/bin/kindr-bounded-runtime

# CAP_SYS_RESOURCE is bit 24. Without it no engine can start a privileged container, unless its requests are bounded.
lacks_sys_resource() { (((16#$(awk '/^CapBnd:/ {print $2}' /proc/self/status) >> 24 & 1) == 0)); }

install_bounded_runtime() {
  say "$1 gets a runtime that does not ask for CAP_SYS_RESOURCE, which this host cannot grant"
  "$TESTBED_DIR/cargo-static.sh" kindr-bounded-runtime
  if cmp --quiet "$KINDR_TESTBED/bin/kindr-bounded-runtime" "$BOUNDED_RUNTIME"; then return; fi
  # By another name first: the old one may be running.
  as_root install -m 0755 "$KINDR_TESTBED/bin/kindr-bounded-runtime" "$BOUNDED_RUNTIME.new"
  as_root mv "$BOUNDED_RUNTIME.new" "$BOUNDED_RUNTIME"
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
