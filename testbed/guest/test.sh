#!/bin/bash
# The test inside the rootless guest, as root: what is missing is told before anything is made, and clusters of an
# unprivileged user's engines work.
# usage: test.sh ENGINE[:SNAPSHOTTER]...    /share holds kindr, kubectl, nerdctl and its containerd, and the archives of the
#   node image and the test tools
set -euo pipefail

readonly image=kindr/node:VERSION tools=kindr/test-tools:v1 drop_in=/etc/systemd/system/user@.service.d/delegate.conf

say() { echo "guest: $(cut -d. -f1 /proc/uptime) s: $*"; }
fail() { say "FAILED: $*"; exit 1; }

# Runs a command as the user, in the user's systemd: what it starts may outlive it, as the port forwarders of podman do.
path=/share/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/usr/share/docker.io/contrib snapshotter=
in_dev() { runuser --user dev -- env XDG_RUNTIME_DIR=/run/user/1000 PATH=$path "$@"; }
as_dev() {
  in_dev systemd-run --quiet --user --pipe --wait --property=KillMode=process \
    --setenv=PATH=$path --setenv=DOCKER_HOST=unix:///run/user/1000/docker.sock \
    --setenv=XDG_RUNTIME_DIR=/run/user/1000 --setenv=KUBECONFIG=/home/dev/kubeconfig \
    --setenv=KIND_EXPERIMENTAL_CONTAINERD_SNAPSHOTTER="$snapshotter" --working-directory=/home/dev "$@"
}

restart_user() {
  systemctl daemon-reload
  systemctl restart user@1000.service
  for _ in $(seq 100); do
    if in_dev systemctl --user is-system-running 2>/dev/null | grep -qE 'running|degraded'; then return; fi
    sleep 0.2
  done
  fail "the user's systemd does not run"
}

# A cluster must not be tried without the controllers that it needs: they are named, with what mends it.
missing_controllers_are_told() {
  local before after said
  printf '[Service]\nDelegate=memory pids\n' >"$drop_in"
  restart_user
  before=$(as_dev podman ps -aq | wc -l)
  if said=$(as_dev kindr create --provider podman --name lacking --image "$image" 2>&1); then fail "a cluster without controllers"; fi
  after=$(as_dev podman ps -aq | wc -l)
  echo "$said"
  grep -q 'lacks cpuset' <<<"$said" || fail "the missing controller is not named"
  grep -q 'Delegate=cpu cpuset io memory pids' <<<"$said" || fail "there is no remedy"
  [ "$before" = "$after" ] || fail "containers were made"
  if as_dev kindr doctor --provider podman >/tmp/report 2>&1; then fail "doctor sees nothing"; fi
  grep -q 'lacks cpuset' /tmp/report || { cat /tmp/report; fail "doctor does not name the controller"; }
  printf '[Service]\nDelegate=cpu cpuset io memory pids\n' >"$drop_in"
  restart_user
  say "missing controllers are told"
}

# start_unit NAME PROGRAM: runs a daemon as a service of the user.
start_unit() {
  install -d -o dev -g dev /home/dev/.config/systemd/user
  cat >"/home/dev/.config/systemd/user/$1.service" <<U
[Service]
Environment=PATH=$path
ExecStart=$2
Delegate=yes
Type=notify
NotifyAccess=all
KillMode=mixed
U
  as_dev systemctl --user daemon-reload
  as_dev systemctl --user start "$1.service" || { in_dev journalctl --user --no-pager --lines 30 --unit "$1"; fail "$1 does not start"; }
}

start_podman() { :; }
start_docker() { start_unit docker /usr/share/docker.io/contrib/dockerd-rootless.sh; }

start_nerdctl() {
  install -d -o dev -g dev /home/dev/.config/nerdctl
  echo 'cni_path = "/usr/lib/cni"' >/home/dev/.config/nerdctl/nerdctl.toml
  start_unit containerd /share/bin/containerd-rootless.sh
}

# Makes an engine answer that does not run yet, and gives it the node image, unless it has that.
start() {
  if as_dev "$1" image inspect "$image" >/dev/null 2>&1; then return; fi
  "start_$1"
  say "$1 answers: $(as_dev "$1" info --format '{{.ServerVersion}}')"
  as_dev "$1" load --quiet --input /share/node.tar
  say "$1 has the node image"
}

kubectl() { as_dev kubectl "$@"; }

cluster_works() {
  local engine=$1 name=rootless-$1 left address answer used
  say "$engine: what doctor says"
  as_dev kindr doctor --provider "$engine"
  say "$engine: creating a cluster${snapshotter:+ with $snapshotter}"
  as_dev kindr create --provider "$engine" --name "$name" --image "$image" --wait 10m
  say "$engine: the cluster is there"
  kubectl get nodes,pods -A
  [ "$(as_dev kindr get nodes --name "$name")" = "$name-control-plane" ] || fail "get nodes does not find it"
  used=$(as_dev "$engine" exec "$name-control-plane" sed -n 's/^ *snapshotter = "\(.*\)"/\1/p' /etc/containerd/config.toml)
  [ "$used" = "${snapshotter:-overlayfs}" ] || fail "the node's containerd has the snapshotter $used"
  kubectl wait --for=condition=Ready node --all --timeout=60s
  as_dev "$engine" exec -i "$name-control-plane" ctr --namespace k8s.io images import - </share/tools.tar
  kubectl create deployment web --image "$tools" --replicas 1 -- httpd -f -p 8080 -h /etc
  kubectl expose deployment web --port 80 --target-port 8080
  kubectl rollout status deployment web --timeout=300s
  kubectl --namespace kube-system rollout status deployment coredns --timeout=300s
  address=$(kubectl get service web --output 'jsonpath={.spec.clusterIP}')
  answer=$(kubectl exec deployment/web -- nslookup -type=a web.default.svc.cluster.local. 2>&1) || fail "a name is not looked up: $answer"
  grep -q "$address" <<<"$answer" || fail "a name is not resolved to $address: $answer"
  answer=$(kubectl exec deployment/web -- timeout 30 wget -q -O - http://web.default.svc.cluster.local/hostname 2>&1) || fail "a pod does not answer: $answer"
  grep -q web- <<<"$answer" || fail "a pod answers $answer"
  say "$engine: a pod answers by its Service's name"
  as_dev kindr delete --name "$name"
  left=$(as_dev "$engine" ps -aq; as_dev "$engine" volume ls -q)
  [ -z "$left" ] || fail "left behind: $left"
  say "$engine: nothing is left of it"
}

missing_controllers_are_told
for wanted in "$@"; do
  engine=${wanted%%:*}
  case $wanted in *:*) snapshotter=${wanted#*:} ;; *) snapshotter= ;; esac
  start "$engine"
  cluster_works "$engine"
done
say "all is well"
