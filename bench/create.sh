#!/usr/bin/env bash
# Times `create cluster --wait` and `delete cluster`, kindr beside the real kind, from the same node image: the two take
# turns, so that whatever else the machine does meets both. Prints medians as a table.
# usage: create.sh KINDR [ROUNDS]
source "$(dirname "$0")/../testbed/lib.sh"

declare -A program=([kindr]=$1 [kind]=$KINDR_TESTBED/kind/usr/bin/kind)
readonly rounds=${2:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
need jq=jq
export KUBECONFIG=$work/kubeconfig

shape() {
  echo 'apiVersion: kind.x-k8s.io/v1alpha4
kind: Cluster
nodes:'
  printf -- '- role: %s\n' "$@"
}
shape control-plane >"$work/1 node"
shape control-plane worker worker >"$work/1 + 2 nodes"
shape control-plane control-plane control-plane worker >"$work/3 control planes + 1 worker"

# Runs a command and notes its seconds.
timed() {
  local into=$1 start=$EPOCHREALTIME
  shift
  if ! "$@" >"$work/log" 2>&1; then
    cat "$work/log" >&2
    exit 1
  fi
  jq -n "$EPOCHREALTIME - $start" >>"$work/$into.times"
}

# The median of what was noted, with the least and the most.
median() {
  jq -rs 'sort | [.[length / 2 | floor], .[0], .[-1]] | map(. * 10 | round / 10)
    | "\(.[0]) s (\(.[1]) to \(.[2]))"' "$work/$1.times"
}

echo "| $rounds rounds | kindr | kind |"
echo "|---|---|---|"
for shape in '1 node' '1 + 2 nodes' '3 control planes + 1 worker'; do
  for _ in $(seq "$rounds"); do
    for tool in kindr kind; do
      timed "create $tool $shape" "${program[$tool]}" create cluster --name "bench-$tool" --config "$work/$shape" \
        --image "$NODE_IMAGE" --wait 5m
      timed "delete $tool $shape" "${program[$tool]}" delete cluster --name "bench-$tool"
    done
  done
  for verb in create delete; do
    echo "| $verb, $shape | $(median "$verb kindr $shape") | $(median "$verb kind $shape") |"
  done
done
