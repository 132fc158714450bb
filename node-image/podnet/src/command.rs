//! Starts the system's network programs.

use std::io::Write;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Runs a program to its end and returns what it printed; what it complained of is the error.
pub fn run(program: &str, arguments: &[&str], input: Option<&str>) -> Result<String> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(if input.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start {program}"))?;
    if let (Some(text), Some(mut pipe)) = (input, child.stdin.take()) {
        pipe.write_all(text.as_bytes())
            .with_context(|| format!("{program} does not read its input"))?;
    }
    let output = child.wait_with_output()?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        bail!(
            "{program} {}: {} ({})",
            arguments.join(" "),
            complaint.trim(),
            output.status
        );
    }
    String::from_utf8(output.stdout).with_context(|| format!("{program} printed no text"))
}
