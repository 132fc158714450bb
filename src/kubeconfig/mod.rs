//! The kubeconfig file of the user.
