//! The user's patches of a node's containerd configuration.

use std::time::Duration;

use super::context::{Context, Failed};
use super::error::Cause;
use super::files::NodeFiles;
use crate::patch::{ContainerdPatches, NodePatchError, PatchError};

/// Writes the configuration from standard input and starts containerd anew. Then its CRI plugin must answer: containerd
/// itself starts without it, and kubeadm would find out minutes later. If it does not, what containerd said since is
/// printed. The text is fixed; nothing of the user's is in it.
const CONFIGURE: &str = r#"cat >/etc/containerd/config.toml || exit 2
since=$(date +%s)
timeout 20 systemctl restart containerd
for _ in 1 2 3 4 5 6 7 8 9 10; do
    timeout 3 crictl info >/dev/null && exit 0
    [ "$(systemctl show --property=SubState --value containerd)" = running ] || break
    sleep 0.3
done
journalctl --sync
journalctl --quiet --unit=containerd --output=cat --since="@$since"
exit 3"#;

/// The exit code of [`CONFIGURE`] for a CRI plugin that does not answer.
const NO_CRI: i32 = 3;

/// How many of containerd's lines the user is shown.
const SHOWN: usize = 5;

/// Time limit for it: a containerd that starts takes a second or two.
const LIMIT: Duration = Duration::from_secs(90);

/// Whether the user patches containerd's configuration.
pub(super) fn is_patched(ctx: &Context) -> bool {
    !ctx.config.containerd_config_patches.is_empty()
        || !ctx.config.containerd_config_patches_json6902.is_empty()
}

/// Patches a node that has booted.
pub(super) async fn patch(ctx: &Context, node: &str) -> Result<NodeFiles, Failed> {
    let bad = |error: PatchError| Failed::on(node, NodePatchError::from(error));
    let patches = ContainerdPatches::of(&ctx.config).map_err(bad)?;
    let files = NodeFiles::read(ctx, node, true).await?;
    let patched = patches.apply(files.containerd.as_deref()).map_err(bad)?;
    for warning in &patched.warnings {
        ctx.warn(warning);
    }
    let text = patched.text;
    let command = ["sh", "-c", CONFIGURE];
    let output = ctx
        .provider
        .exec(node, &command, Some(text.clone().into_bytes()), LIMIT)
        .await
        .map_err(|error| Failed::on(node, error))?;
    if output.status.success() {
        return Ok(files);
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let lines = telling(&said);
    if output.status.code() != Some(NO_CRI) {
        return Err(Failed::on(
            node,
            Cause::Command {
                command: "cat >/etc/containerd/config.toml".to_owned(),
                code: output.status.code(),
                lines: String::from_utf8_lossy(&output.stderr)
                    .lines()
                    .map(str::to_owned)
                    .collect(),
            },
        ));
    }
    let place = lines.iter().filter_map(|line| place_in(&text, line));
    let about: Vec<&str> = lines.iter().map(String::as_str).chain(place).collect();
    Err(Failed::on(
        node,
        Cause::Containerd {
            patches: patches.suspects(&about.join("\n")),
            lines,
        },
    ))
}

/// The lines of containerd's journal that tell why it has no CRI: its own, or else all that look like trouble, or else the
/// last.
fn telling(journal: &str) -> Vec<String> {
    let about_cri = |line: &str| {
        // The one that was about to start with the old configuration ends so.
        line.starts_with("containerd: ") && !line.ends_with("context canceled")
            || ["grpc.v1.cri", "cri.v1.images", "cri.v1.runtime"]
                .iter()
                .any(|plugin| line.contains(plugin))
                && ["failed to load plugin", "invalid", "level=fatal"]
                    .iter()
                    .any(|word| line.contains(word))
    };
    let troubled = |line: &str| {
        ["level=error", "level=fatal", "Failed"]
            .iter()
            .any(|word| line.contains(word))
    };
    let lines: Vec<&str> = journal.lines().filter(|line| !line.trim().is_empty()).collect();
    let mut chosen: Vec<&str> = Vec::new();
    for filter in [&about_cri as &dyn Fn(&str) -> bool, &troubled, &|_| true] {
        for line in lines.iter().copied().filter(|line| filter(line)) {
            // A containerd that is started again and again says the same.
            if !chosen.contains(&line) {
                chosen.push(line);
            }
        }
        if !chosen.is_empty() {
            break;
        }
    }
    chosen[chosen.len().saturating_sub(SHOWN)..]
        .iter()
        .map(|&line| line.to_owned())
        .collect()
}

/// The line of the configuration of which a message gives the place, `(14, 1)`.
fn place_in<'a>(text: &'a str, message: &str) -> Option<&'a str> {
    let (_, rest) = message.split_once('(')?;
    let (line, _) = rest.split_once(", ")?;
    text.lines().nth(line.parse::<usize>().ok()?.checked_sub(1)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_why() {
        let cri = r#"level=warning msg="failed to load plugin io.containerd.grpc.v1.cri" error="invalid plugin config: ...""#;
        let journal = format!("level=error msg=\"failed to change OOM score\"\nloading\n{cri}\n\n{cri}\n");
        assert_eq!(telling(&journal), [cri]);
        assert_eq!(telling("a\nlevel=error x\nb"), ["level=error x"]);
        assert_eq!(telling("1\n2\n3\n4\n5\n6\n"), ["2", "3", "4", "5", "6"]);
        let fatal = "containerd: (2, 1): Can't convert 5(int64) to string";
        assert_eq!(telling(&format!("loading\n{fatal}\nFailed to start")), [fatal]);
        assert_eq!(place_in("a\nb = 5\n", fatal), Some("b = 5"));
        assert_eq!(place_in("a", "nothing"), None);
    }
}
