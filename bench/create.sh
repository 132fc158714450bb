#!/usr/bin/env bash
# Times `create cluster --wait` and `delete cluster`, kindr beside the real kind: several rounds, medians.
# usage: create.sh KINDR [ROUNDS]
source "$(dirname "$0")/../testbed/lib.sh"

declare -A program=([kindr]=$1 [kind]=$KINDR_TESTBED/kind/usr/bin/kind)
rounds=${2:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
need hyperfine=hyperfine jq=jq
export KUBECONFIG=$work/kubeconfig

cat >"$work/two-workers.yaml" <<'C'
apiVersion: kind.x-k8s.io/v1alpha4
kind: Cluster
nodes: [{role: control-plane}, {role: worker}, {role: worker}]
C
echo 'apiVersion: kind.x-k8s.io/v1alpha4
kind: Cluster' >"$work/one-node.yaml"

for shape in one-node two-workers; do
  for tool in kindr kind; do
    command=${program[$tool]}
    options="--name bench-$tool --config $work/$shape.yaml --image $NODE_IMAGE"
    hyperfine --runs "$rounds" --style none --export-json "$work/$shape-$tool.json" \
      --cleanup "$command delete cluster --name bench-$tool" \
      --prepare "$command delete cluster --name bench-$tool" \
      "$command create cluster $options --wait 5m" >/dev/null 2>&1
    jq -r --arg what "$shape $tool" \
      '.results[0] | "\($what): median \(.median * 10 | round / 10) s (\(.min * 10 | round / 10) to \(.max * 10 | round / 10), \(.times | length) rounds)"' \
      "$work/$shape-$tool.json"
  done
done
