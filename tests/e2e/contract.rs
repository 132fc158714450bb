//! The contract of a node image: nothing of ours may be assumed beyond it.
