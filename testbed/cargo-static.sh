#!/bin/bash
# Builds programs of this workspace as static programs into the test bed's bin folder.
# usage: cargo-static.sh CRATE...
source "$(dirname "$0")/lib.sh"
need cargo=cargo cc=gcc

# A target folder of its own: other flags in the workspace's would rebuild everything there each time.
target=$(rustc -vV | sed -n 's/^host: //p')
packages=()
for crate in "$@"; do packages+=(--package "$crate"); done
cd "$REPO_DIR"
RUSTFLAGS='-C target-feature=+crt-static' cargo build --quiet --release --target "$target" \
  --target-dir "$KINDR_TESTBED/cargo" "${packages[@]}" 9>&-
for crate in "$@"; do install -m 0755 "$KINDR_TESTBED/cargo/$target/release/$crate" "$KINDR_TESTBED/bin/$crate"; done
