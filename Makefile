# One target a job. `make` alone lists them.
KINDR_TESTBED ?= $(HOME)/.cache/kindr-testbed
export KINDR_TESTBED
# Compiled dependencies outlive the checkout, like everything else that is slow to make.
export CARGO_TARGET_DIR ?= $(KINDR_TESTBED)/target
export KINDR_TEST_KUBECTL ?= $(KINDR_TESTBED)/v1.34.4/bin/kubectl
export KINDR_TEST_KIND ?= $(KINDR_TESTBED)/kind/usr/bin/kind

kindr := $(CARGO_TARGET_DIR)/release/kindr

.PHONY: help build cluster test test-unit test-cli test-compare test-e2e test-e2e-podman test-e2e-nerdctl test-e2e-next test-rootless bench
.PHONY: lint clean-clusters cli-with-podman cli-with-nerdctl e2e-on-podman e2e-on-nerdctl

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

include testbed/testbed.mk

build: ## Build kindr with optimizations, into $KINDR_TESTBED/target/release
	testbed/toolchain.sh
	cargo build --release --locked

cluster: build engine-docker ## Create a cluster on this machine, whatever it lacks, and show what runs in it
	testbed/cluster.sh $(kindr)

test: lint test-unit test-cli test-compare test-e2e ## Run every test, on real clusters too; installs and starts what it needs

test-unit: ## Run the tests that need no engine
	testbed/toolchain.sh
	cargo test --locked --workspace --lib --bins

# Two engines wait for different things at most times.
both := $(MAKE) --no-print-directory --jobs=2 --output-sync

test-cli: engines node-image test-images peer-kind ## Run the command line's scenarios, those with an engine on each of the three
	cargo test --locked --test cli
	$(both) cli-with-podman cli-with-nerdctl

cli-with-podman cli-with-nerdctl: cli-with-%:
	KINDR_TEST_PROVIDER=$* cargo test --locked --test cli -- with_engine

test-compare: engines node-image envoy-image peer-kind ## Compare with the real kind what becomes of some 130 configurations
	cargo test --locked --test compare -- --test-threads=2
	for engine in podman nerdctl; do KINDR_TEST_PROVIDER=$$engine cargo test --locked --test compare -- arguments || exit; done

# More threads than clusters at a time: a test that waits for its turn is not to keep others from theirs.
e2e := cargo test --locked --test e2e -- --test-threads=4
# The life of a cluster and its failures show most of what podman and nerdctl do otherwise. The whole list takes 6 minutes an
# engine: test-e2e-podman, test-e2e-nerdctl.
on_each_engine := lifecycle::a_cluster failure load

test-e2e: engines node-image test-images envoy-image peer-kind ## Run the tests that boot clusters, on docker, podman and nerdctl
	$(e2e)
	$(both) e2e-on-podman e2e-on-nerdctl

e2e-on-podman e2e-on-nerdctl: e2e-on-%:
	KINDR_TEST_PROVIDER=$* $(e2e) $(on_each_engine)

test-e2e-podman test-e2e-nerdctl: test-e2e-%: engine-% node-image test-images envoy-image peer-kind ## Run all of them on that engine
	KINDR_TEST_PROVIDER=$* $(e2e)

test-e2e-next: export KINDR_TEST_IMAGE = kindr/node:$(next)
test-e2e-next: export KINDR_TEST_KUBECTL = $(KINDR_TESTBED)/$(next)/bin/kubectl
test-e2e-next: node-image-next test-images envoy-image peer-kind ## Run the tests that boot clusters with Kubernetes 1.37 and containerd 2
	$(e2e)
	testbed/test-contract.sh $(next) ipv4

test-rootless: guest ## Run clusters of rootless podman, docker and nerdctl in a guest; slow, and no part of `make test`
	testbed/test-rootless.sh $(next)

bench: build node-image envoy-image peer-kind ## Time create and delete beside the real kind, taking turns
	bench/create.sh $(kindr)

lint: ## Check format, lints and scripts
	testbed/toolchain.sh
	cargo fmt --all --check
	cargo clippy --locked --workspace --all-targets -- -D warnings
	shellcheck --external-sources --source-path=SCRIPTDIR .ci/run testbed/*.sh testbed/guest/*.sh testbed/guest/guest-run bench/*.sh node-image/base/usr/local/bin/entrypoint

clean-clusters: ## Delete every cluster that kindr can see
	for name in $$($(kindr) get clusters -q); do $(kindr) delete cluster --name "$$name"; done
