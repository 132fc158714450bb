//! Patches of containerd's configuration.

use super::*;

const OLD: &str = r#"
version = 2
disabled_plugins = ["restart"]
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "pause"
[plugins."io.containerd.grpc.v1.cri".containerd]
  snapshotter = "overlayfs"
"#;

const NEW: &str = r#"
version = 3
[plugins."io.containerd.cri.v1.images"]
  snapshotter = "overlayfs"
"#;

fn patched(text: &str, patches: &[&str], operations: &[&str]) -> String {
    let mut config = config("");
    config.containerd_config_patches = patches.iter().map(|&text| text.to_owned()).collect();
    config.containerd_config_patches_json6902 = operations.iter().map(|&text| text.to_owned()).collect();
    match ContainerdPatches::of(&config).and_then(|patches| patches.apply(Some(text))) {
        Ok(patched) => [patched.text, patched.warnings.join("\n")].concat(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn tables_are_merged_and_operations_come_last() {
    let patch = "
[plugins.'io.containerd.grpc.v1.cri'.containerd.runtimes.runsc]
  runtime_type = 'io.containerd.runsc.v1'
[plugins.'io.containerd.grpc.v1.cri']
  max_container_log_line_size = -1
";
    let operations = r#"[{"op": "remove", "path": "/disabled_plugins"},
        {"op": "replace", "path": "/plugins/io.containerd.grpc.v1.cri/containerd/snapshotter", "value": "native"}]"#;
    insta::assert_snapshot!(patched(OLD, &[patch], &[operations]), @r#"
    version = 2

    [plugins."io.containerd.grpc.v1.cri"]
    sandbox_image = "pause"
    max_container_log_line_size = -1

    [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "native"

    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runsc]
    runtime_type = "io.containerd.runsc.v1"
    "#);
}

#[test]
fn operations_that_fail() {
    insta::assert_snapshot!(patched(OLD, &[], &[r#"[{"op": "remove", "path": "/plugins/x"}]"#]), @"containerdConfigPatchesJSON6902[0]: operation 0 (`remove /plugins/x`) fails on the containerd configuration (version 2): /plugins has no `x`");
    insta::assert_snapshot!(patched(OLD, &[], &[r#"[{"op": "add", "path": "/imports", "value": [null]}]"#]), @"containerdConfigPatchesJSON6902[0]: it puts null at `/imports/0`, which TOML cannot hold");
}

#[test]
fn versions_of_the_configuration() {
    insta::assert_snapshot!(patched(NEW, &["version = 2\ndisabled_plugins = []"], &[]), @"containerdConfigPatches[0]: it is for version 2 of containerd's configuration, and this node image has version 3; write it for version 3, or use an older node image");
    let both = patched(
        NEW,
        &["version = 2\nimports = ['old']", "version = 3\nimports = ['new']"],
        &[],
    );
    assert!(both.contains("new") && !both.contains("old"), "{both}");
    insta::assert_snapshot!(patched("x", &["imports = []"], &[]), @"containerdConfigPatches[0]: /etc/containerd/config.toml of this node image is not TOML: key with no value, expected `=`");
}

#[test]
fn tables_of_the_old_generation() {
    let old = |rest: &str| {
        patched(
            NEW,
            &[
                "imports = []",
                &format!("[plugins.'io.containerd.grpc.v1.cri'{rest}"),
            ],
            &[],
        )
    };
    insta::assert_snapshot!(old(".registry.mirrors.'my:5000']\nendpoint = ['http://my:5000']"), @r#"containerdConfigPatches[1]: it would change nothing: `plugins."io.containerd.grpc.v1.cri".registry` is where containerd 1 looked, and this node image has version 3 of containerd's configuration, which does not read it; mount a folder with a hosts.toml for each registry at /etc/containerd/certs.d (`extraMounts`)"#);
    insta::assert_snapshot!(old(".containerd.runtimes.x]\nruntime_type = 'y'"), @r#"containerdConfigPatches[1]: it would change nothing: `plugins."io.containerd.grpc.v1.cri".containerd` is where containerd 1 looked, and this node image has version 3 of containerd's configuration, which does not read it; write `plugins."io.containerd.cri.v1.runtime".containerd` (and the snapshotter to `plugins."io.containerd.cri.v1.images"`)"#);
    insta::assert_snapshot!(old("]\nsandbox_image = 'x'"), @r#"containerdConfigPatches[1]: it would change nothing: `plugins."io.containerd.grpc.v1.cri".sandbox_image` is where containerd 1 looked, and this node image has version 3 of containerd's configuration, which does not read it; write `plugins."io.containerd.cri.v1.images".pinned_images.sandbox`"#);
    insta::assert_snapshot!(old(".registry]\nconfig_path = '/elsewhere'"), @r#"containerdConfigPatches[1]: it would change nothing: `plugins."io.containerd.grpc.v1.cri".registry` is where containerd 1 looked, and this node image has version 3 of containerd's configuration, which does not read it; write `plugins."io.containerd.cri.v1.images".registry`"#);
    // What many scripts say for containerd 1 is true of containerd 2 without them.
    assert!(old(".registry]\nconfig_path = '/etc/containerd/certs.d'").contains("version = 3"));
    // The server's settings have not moved, and who writes both generations means it.
    assert!(old("]\nstream_server_port = '1'").contains("version = 3"));
    assert!(
        old(".registry]\nx = 1\n[plugins.'io.containerd.cri.v1.images'.registry]\nx = 1")
            .contains("version = 3")
    );
}

#[test]
fn tables_of_the_new_generation() {
    insta::assert_snapshot!(patched(OLD, &["[plugins.'io.containerd.cri.v1.images'.registry]\nconfig_path = '/x'"], &[]).lines().last().unwrap(), @r#"containerdConfigPatches[0]: `plugins."io.containerd.cri.v1.images"` is for version 3 of containerd's configuration (containerd 2), and this node image has version 2; write `plugins."io.containerd.grpc.v1.cri"`"#);
}

#[test]
fn suspects() {
    let mut config = config("");
    config.containerd_config_patches = vec![
        "[plugins.'io.containerd.grpc.v1.cri'.containerd]\nsnapshotter = 'native'".to_owned(),
        "[plugins.'io.containerd.grpc.v1.cri'.registry.mirrors.x]\nendpoint = []".to_owned(),
    ];
    let patches = ContainerdPatches::of(&config).unwrap();
    let named = |message: &str| -> Vec<usize> {
        patches
            .suspects(message)
            .iter()
            .map(|field| field.index)
            .collect()
    };
    assert_eq!(
        named("invalid plugin config: `mirrors` cannot be set when `config_path` is provided"),
        [1]
    );
    assert_eq!(named("plugin io.containerd.grpc.v1.cri: unknown"), [0, 1]);
}
