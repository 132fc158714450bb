# The test bed's targets, for the Makefile at the top to include. Each is quick when there is nothing to do.
testbed_dir := $(patsubst %/,%,$(dir $(lastword $(MAKEFILE_LIST))))

# The newest Kubernetes beside the default, with containerd 2.
next := v1.37.2

.PHONY: engines engine-docker engine-podman engine-nerdctl kubernetes base-image images node-image node-image-next peer-kind test-images envoy-image guest test-contract test-contract-next

engines: engine-docker engine-podman engine-nerdctl ## Make docker, podman and nerdctl answer, beside each other

engine-docker: ## Make `docker` answer: leave one that does, install and start one where none is
	$(testbed_dir)/engine-docker.sh

engine-podman: ## Make `podman` answer, likewise
	$(testbed_dir)/engine-podman.sh

engine-nerdctl: ## Make `nerdctl` answer, likewise, with a containerd of its own
	$(testbed_dir)/engine-nerdctl.sh $(next)

kubernetes: ## Build Kubernetes and what a cluster needs beside it, from Go modules
	$(testbed_dir)/kubernetes.sh

base-image: engine-docker ## Make the image that nodes are built on
	$(testbed_dir)/base-image.sh

images: kubernetes ## Make the images that run in a cluster
	$(testbed_dir)/images.sh

node-image: engine-docker base-image images ## Make kindr/node:v1.34.4
	$(testbed_dir)/node-image.sh

node-image-next: engine-docker base-image ## Make kindr/node:v1.37.2, with containerd 2
	$(testbed_dir)/kubernetes.sh $(next)
	$(testbed_dir)/images.sh $(next)
	$(testbed_dir)/node-image.sh $(next)

peer-kind: ## Get the real kind, to compare with
	$(testbed_dir)/peer-kind.sh

test-images: engine-docker ## Make the image that the workloads of tests run
	$(testbed_dir)/test-images.sh

envoy-image: engine-docker ## Make a stand-in for the published load balancer image, with the real Envoy
	$(testbed_dir)/envoy-image.sh

guest: node-image test-images ## Make a guest with cgroup v2 and an unprivileged user, for rootless engines
	$(testbed_dir)/guest-kernel.sh
	$(testbed_dir)/guest-disk.sh

test-contract: node-image peer-kind test-images ## Prove that the real kind makes working clusters of the node image
	$(testbed_dir)/test-contract.sh

test-contract-next: node-image-next peer-kind test-images ## The same with kindr/node:v1.37.2
	$(testbed_dir)/test-contract.sh $(next)
