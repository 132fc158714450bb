#!/usr/bin/env bash
# Sees that this machine can compile and check kindr.
source "$(dirname "$0")/lib.sh"

need cc=gcc shellcheck=shellcheck
command -v cargo >/dev/null ||
  fail "cargo is missing: install Rust $(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$REPO_DIR/Cargo.toml") or newer (https://rustup.rs), then try again"
