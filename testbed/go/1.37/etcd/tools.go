//go:build tools

// Package tools names the programs that the node image needs, so that go.mod keeps them.
package tools

import (
	_ "go.etcd.io/etcd/server/v3"
	_ "go.etcd.io/etcd/etcdctl/v3"
)
