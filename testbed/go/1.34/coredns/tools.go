//go:build tools

// Package tools names the programs that the node image needs, so that go.mod keeps them.
package tools

import (
	_ "github.com/coredns/coredns"
)
