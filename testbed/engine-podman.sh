#!/bin/bash
# Makes `podman` answer. One that answers already is left as it is; only a machine that has none gets one.
# usage: engine-podman.sh
source "$(dirname "$0")/lib.sh"
source "$TESTBED_DIR/engine-lib.sh"
take_lock

# A file of its own beside the user's settings, which stay as they are.
readonly settings=/etc/containers/containers.conf.d/kindr-testbed.conf

answers() { podman info >/dev/null 2>&1; }

# podman starts its runtime itself. crun would do on most hosts, but not where cgroup v1 and v2 are both mounted.
configure_runtime() {
  local wanted
  wanted=$(printf '[engine]\nruntime = "bounded"\n\n[engine.runtimes]\nbounded = ["%s"]\n' "$BOUNDED_RUNTIME")
  install_bounded_runtime podman
  if [ "$(cat "$settings" 2>/dev/null)" = "$wanted" ]; then return; fi
  as_root mkdir -p "${settings%/*}"
  as_root tee "$settings" >/dev/null <<<"$wanted"
}

started=$(date +%s%N)
if answers; then
  text="answers, left as it is"
else
  # Its networks need the last two, and a node's names are found by the third.
  need podman=podman runc=runc aardvark-dns=aardvark-dns netavark=netavark iptables=iptables
  text="is installed"
fi
if lacks_sys_resource; then configure_runtime; fi
let_bridges_through
raise_inotify_limit
answers || { podman info >&2 || true; fail "podman does not answer"; }
say "engines: podman $(podman version --format '{{.Client.Version}}') $text ($(seconds_since "$started"))"
