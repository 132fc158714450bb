#!/bin/bash
# Proves that the node image keeps the contract that kind has with its own: the real kind makes clusters of it, and what
# people expect of a cluster works in them.
# usage: test-contract.sh [VERSION] [ipv4|ipv6|dual]...    all three by default; the first is the thorough one
source "$(dirname "$0")/lib.sh"
if [[ ${1:-} == v* ]]; then
  use_release "$1"
  shift
fi
need jq=jq

readonly kind=$KINDR_TESTBED/kind/usr/bin/kind kubectl=$RELEASE/bin/kubectl tools=kindr/test-tools:v1
work=$(mktemp -d)
cluster="" passed=0 failed=0
export KUBECONFIG=$work/kubeconfig

clean_up() {
  if [ -n "$cluster" ]; then "$kind" delete cluster --name "$cluster" >"$work/delete.log" 2>&1 || cat "$work/delete.log" >&2; fi
  cluster=""
}
trap 'clean_up; rm -rf "$work"' EXIT

# check TEXT COMMAND...: tries for a minute, since much in a cluster comes about in its own time.
check() {
  local text=$1 started
  started=$(date +%s%N)
  shift
  for _ in $(seq "${TRIES:-120}"); do
    if "$@" >"$work/output" 2>&1; then
      echo "ok      $text ($(seconds_since "$started"))"
      passed=$((passed + 1))
      return
    fi
    sleep 0.5
  done
  echo "FAILED  $text"
  sed 's/^/        /' "$work/output"
  failed=$((failed + 1))
}

# create FAMILY: a control plane and a worker. Nodes of one family come up together, so one worker tells enough.
create() {
  local started
  cluster=kindr-contract-$1-$$
  started=$(date +%s%N)
  printf 'kind: Cluster\napiVersion: kind.x-k8s.io/v1alpha4\nnetworking: {ipFamily: %s}\nnodes: [{role: control-plane}, {role: worker}]\n' "$1" >"$work/config.yaml"
  # kind does not say it itself, and from here on the kubelet does not start on cgroup v1 otherwise.
  if [ "$KUBERNETES_MINOR" -ge 35 ]; then
    printf 'kubeadmConfigPatches: ["{kind: KubeletConfiguration, apiVersion: kubelet.config.k8s.io/v1beta1, failCgroupV1: false}"]\n' >>"$work/config.yaml"
  fi
  if "$kind" create cluster --name "$cluster" --image "$NODE_IMAGE" --config "$work/config.yaml" --wait 120s >"$work/create.log" 2>&1; then
    echo "ok      kind creates a cluster of two nodes, $1 ($(seconds_since "$started"))"
    passed=$((passed + 1))
  else
    echo "FAILED  kind creates a cluster, $1"
    cat "$work/create.log"
    failed=$((failed + 1))
    return 1
  fi
  check "all nodes are ready" nodes_ready
  check "every pod of the system runs" system_runs
  # Everything that follows is run in pods of this image, on a node chosen by name.
  check "kind loads an image" "$kind" load docker-image "$tools" --name "$cluster"
}

nodes_ready() { [ "$("$kubectl" get nodes --no-headers | awk '$2 == "Ready"' | wc -l)" = 2 ]; }
system_runs() {
  local states
  states=$("$kubectl" get pods --all-namespaces --output json |
    jq -r '.items[] | [.status.phase, (.status.containerStatuses // [] | all(.ready))] | @text') || return 1
  [ -n "$states" ] && ! grep -qvF '["Running",true]' <<<"$states"
}

# pod NAME NODE COMMAND...: a pod on that node, whether or not ordinary pods may run there.
pod() {
  # One word a line: jq itself would take words like -c for its own options.
  printf '%s\n' "${@:3}" | jq -nR --arg name "$1" --arg node "$cluster-$2" --arg image "$tools" \
    '{apiVersion: "v1", kind: "Pod", metadata: {name: $name, labels: {app: $name}},
      spec: {nodeName: $node, terminationGracePeriodSeconds: 0,
        containers: [{name: "main", image: $image, imagePullPolicy: "Never", command: [inputs]}]}}' | "$kubectl" apply --filename - >/dev/null
}

in_pod() { "$kubectl" exec "$1" -- "${@:2}"; }
fetches() { [ "$(in_pod client timeout 2 wget -q -O - "http://$1/")" = hello ]; }
running() { [ "$("$kubectl" get pod "$1" --output 'jsonpath={.status.phase}')" = Running ]; }

test_network() {
  local address
  pod server worker sh -c 'mkdir /www && echo hello >/www/index.html && exec httpd -f -p 8080 -h /www'
  pod client control-plane sleep infinity
  check "a pod runs on the worker" running server
  check "a pod runs on the control plane" running client
  "$kubectl" expose pod server --port 80 --target-port 8080 >/dev/null
  while read -r address; do
    if [[ $address == *:* ]]; then address="[$address]"; fi
    check "a pod reaches a pod of the other node at $address" fetches "$address:8080"
  done < <("$kubectl" get pod server --output json | jq -r '.status.podIPs[].ip')
  address=$("$kubectl" get service server --output 'jsonpath={.spec.clusterIP}')
  if [[ $address == *:* ]]; then address="[$address]"; fi
  check "a pod reaches a service at $address" fetches "$address"
  check "a pod reaches a service by its short name" fetches server
  check "a pod reaches a service by its whole name" fetches server.default.svc.cluster.local
}

test_outside() {
  check "a pod resolves a name that the engine knows" in_pod client nslookup "$cluster-worker."
  check "a pod reaches the API by its name" in_pod client nc -w 2 kubernetes.default.svc 443
}

test_storage() {
  "$kubectl" apply --filename - >/dev/null <<'YAML'
{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"},
 "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}}}
YAML
  keeper
  check "a claim is bound when a pod uses it" bound
  check "a pod with the claim runs" running keeper
  check "it writes a file" in_pod keeper sh -c 'echo kept >/data/file'
  "$kubectl" delete pod keeper --wait >/dev/null
  keeper
  check "another pod with the claim runs" running keeper
  check "it finds the file" in_pod keeper grep -q kept /data/file
  "$kubectl" delete pod keeper --wait >/dev/null
  "$kubectl" delete pvc data >/dev/null
  check "the volume goes with its claim" volumes_gone
}

keeper() {
  "$kubectl" apply --filename - >/dev/null <<YAML
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "keeper"},
 "spec": {"terminationGracePeriodSeconds": 0, "volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}],
  "containers": [{"name": "main", "image": "$tools", "command": ["sleep", "infinity"], "volumeMounts": [{"name": "data", "mountPath": "/data"}]}]}}
YAML
}

bound() { [ "$("$kubectl" get pvc data --output 'jsonpath={.status.phase}')" = Bound ]; }
volumes_gone() { [ -z "$("$kubectl" get pv --output name)" ]; }

# Images whose files lie outside /var must be as removable, runnable and exportable as any.
test_images() {
  local node=$cluster-worker helper
  helper=$(docker exec "$node" crictl images --output json | jq -r '.images[].repoTags[] | select(contains("local-path-helper"))')
  check "an image of the node can be exported" docker exec "$node" ctr --namespace k8s.io images export /tmp/image.tar "$helper"
  check "an image of the node can be removed" docker exec "$node" crictl rmi "$helper"
  check "and brought back" docker exec "$node" ctr --namespace k8s.io images import /tmp/image.tar
}

# A node that leaves takes its route along.
test_node_leaves() {
  "$kubectl" delete node "$cluster-worker" >/dev/null
  check "the route to a node that left is gone" no_routes
}
no_routes() { [ -z "$(docker exec "$cluster-control-plane" ip route show proto 75)" ]; }

if [ $# = 0 ]; then set -- ipv4 ipv6 dual; fi
for family in "$@"; do
  if create "$family"; then
    test_network
    if [ "$family" = ipv4 ]; then
      test_outside
      test_storage
      test_images
      test_node_leaves
    fi
  fi
  clean_up
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
