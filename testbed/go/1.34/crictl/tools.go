//go:build tools

// Package tools names the programs that the node image needs, so that go.mod keeps them.
package tools

import (
	_ "sigs.k8s.io/cri-tools/cmd/crictl"
)
