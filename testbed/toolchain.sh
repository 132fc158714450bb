#!/usr/bin/env bash
# Sees that this machine can compile kindr.
. "$(dirname "$0")/lib.sh"

need cc=gcc
command -v cargo >/dev/null ||
  fail "cargo is missing: install Rust $(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$REPO_DIR/Cargo.toml") or newer (https://rustup.rs), then try again"
