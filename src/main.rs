//! The kindr command.

use std::process::ExitCode;

fn main() -> ExitCode {
    kindr::cli::main()
}
