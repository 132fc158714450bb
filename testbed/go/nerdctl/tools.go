//go:build tools

// Package tools names the program that drives containerd, so that go.mod keeps it.
package tools

import (
	_ "github.com/containerd/nerdctl/v2/cmd/nerdctl"
)
