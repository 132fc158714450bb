//! The plan as text: a shell's comments, command lines, and files.

use std::fmt;

use super::Preview;

impl fmt::Display for Preview {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.nodes.len();
        writeln!(
            f,
            "# Cluster {} with {}: {count} node{}, Kubernetes {}",
            self.cluster,
            self.provider,
            if count == 1 { "" } else { "s" },
            self.kubernetes_version
        )?;
        for note in &self.notes {
            writeln!(f, "# - {note}")?;
        }
        writeln!(f, "\n# Steps")?;
        for (at, step) in self.steps.iter().enumerate() {
            writeln!(f, "# {}. {}", at + 1, step.title)?;
            for line in &step.does {
                writeln!(f, "#    {line}")?;
            }
        }
        for node in &self.nodes {
            writeln!(f, "\n# Container {}\n{}", node.name, node.command)?;
        }
        for node in &self.nodes {
            for file in &node.files {
                writeln!(f, "\n# {} in {}", file.path, node.name)?;
                f.write_str(&file.content)?;
            }
        }
        Ok(())
    }
}
