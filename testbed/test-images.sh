#!/bin/bash
# Makes the image that the workloads of tests run: busybox, which serves files, fetches them, resolves names and sleeps.
# usage: test-images.sh
source "$(dirname "$0")/lib.sh"
source "$TESTBED_DIR/archive.sh"
source "$TESTBED_DIR/busybox.sh"
take_lock
need jq=jq

readonly image=kindr/test-tools:v1 archive=$KINDR_TESTBED/images/test-tools.tar

make_test_tools() {
  assemble "$archive" "$image" '{"Env": ["PATH=/bin"], "Cmd": ["sleep", "infinity"]}' \
    "$KINDR_TESTBED/layers/busybox.tar" "$KINDR_TESTBED/layers/etc.tar"
  load_image "$archive" "$image"
}

have_test_tools() { [ -f "$archive" ] && have_image "$image"; }
busybox_layers
step test-images "making $image" have_test_tools "$TESTBED_DIR/test-images.sh" "$TESTBED_DIR/archive.sh" \
  "=$(stamp_of busybox-layers)" -- make_test_tools
load_beside test-images "$archive" "$image"
