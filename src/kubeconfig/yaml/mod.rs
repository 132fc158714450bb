//! A YAML document as a tree that can be changed and written back without changing the rest.
//!
//! A typed value (`serde_json::Value`, say) is not enough here: it must decide what `yes`, `0123`, `1e3` or a
//! number of thirty digits is, and readers of kubeconfigs decide differently (client-go follows YAML 1.1,
//! others 1.2). The tree keeps a scalar that is not clearly a string as it was spelled, and leaves the
//! decision to the reader.

mod emit;
mod merge_keys;
mod node;
mod parse;

pub(super) use emit::emit;
pub(super) use node::{Node, Value};
pub(super) use parse::parse;

/// Why a text was not understood, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1; 0 if the fault is not one of syntax.
    pub column: usize,
    /// What is wrong, without the place.
    pub reason: String,
}

impl Fault {
    /// A fault of shape, which has a line only.
    pub fn shape(line: usize, reason: impl Into<String>) -> Self {
        Self {
            line,
            column: 0,
            reason: reason.into(),
        }
    }
}
