//! The kindr command.

fn main() {}
