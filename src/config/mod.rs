//! The cluster configuration file, `kind.x-k8s.io/v1alpha4`.
