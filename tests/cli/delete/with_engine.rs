//! What goes with a cluster: its containers, their volumes, and its entries in every kubeconfig that has them.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use serde_json::Value;

use crate::common::TestEnvironment;

/// A kubeconfig with an entry of `name`, which is current, between those of somebody else.
fn kubeconfig(name: &str) -> String {
    format!(
        r#"apiVersion: v1
kind: Config
clusters:
- cluster:
    certificate-authority-data: Y2E=
    server: https://127.0.0.1:1
  name: kind-{name}
- cluster:
    server: https://other.example:6443
    proxy-url: socks5://127.0.0.1:1080
    extensions:
    - name: made-elsewhere
      extension: {{last-update: Mon, number: 7}}
  name: "other @ place/ü:1"
contexts:
- context:
    cluster: "other @ place/ü:1"
    namespace: blue
    user: other
  name: "other @ place/ü:1"
- context:
    cluster: kind-{name}
    user: kind-{name}
  name: kind-{name}
current-context: kind-{name}
preferences: {{colors: true}}
users:
- name: kind-{name}
  user:
    client-certificate-data: Y2VydA==
- name: other
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: get-token
      args: [--for, "yes"]
      env: null
      interactiveMode: Never
x-unknown: {{kept: true}}
"#
    )
}

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("read a kubeconfig");
    serde_yaml::from_str(&text)
        .unwrap_or_else(|error| panic!("{} is not YAML: {error}\n{text}", path.display()))
}

/// Fails the test unless the file is the one above without the entries of `name`.
fn assert_cleaned(path: &Path, name: &str) {
    let mut expected: Value = serde_yaml::from_str(&kubeconfig(name)).expect("the fixture is YAML");
    for list in ["clusters", "contexts", "users"] {
        let entries = expected[list].as_array_mut().expect("a list");
        entries.retain(|entry| entry["name"] != format!("kind-{name}"));
    }
    let mut found = read(path);
    // No current context is said by an empty name or by none.
    for config in [&mut expected, &mut found] {
        let map = config.as_object_mut().expect("a mapping");
        if map
            .get("current-context")
            .is_some_and(|current| current == "" || *current == format!("kind-{name}"))
        {
            map.remove("current-context");
        }
    }
    assert_eq!(found, expected, "{} is not as it should be", path.display());
    assert!(!path.with_extension("lock").exists(), "a lock is left");
}

#[test]
fn a_cluster_that_is_not_there_is_no_failure() {
    let env = TestEnvironment::with_engine().recorded();
    let name = env.cluster_name();
    let before = env.kube_folder();
    env.run(["delete", "cluster", "--name", &name])
        .mentions([name.as_str()])
        .succeeds();
    assert_eq!(env.kube_folder(), before, "a kubeconfig was made");
    assert_eq!(env.recorder().changes(), Vec::<Vec<String>>::new());
}

#[test]
fn the_containers_go_with_their_volumes() {
    let env = TestEnvironment::with_engine();
    let (name, other) = (env.cluster_name(), env.cluster_name());
    for end in ["control-plane", "worker"] {
        env.engine().create_labelled(&name, &format!("{name}-{end}"), end);
    }
    env.engine()
        .create_labelled(&other, &format!("{other}-control-plane"), "control-plane");
    let volumes = env.engine().volumes_of(&name);
    assert_eq!(volumes.len(), 2, "each container has a volume");

    env.run(["delete", "cluster", "--name", &name])
        .mentions([name.as_str()])
        .succeeds();
    env.assert_no_containers(&name);
    let left: Vec<_> = env.engine().volumes().intersection(&volumes).cloned().collect();
    assert!(left.is_empty(), "volumes are left: {left:?}");
    assert_eq!(
        env.engine().containers_of(&other).len(),
        1,
        "another cluster was hit"
    );
}

#[test]
fn the_name_can_come_from_the_environment() {
    let env = TestEnvironment::with_engine();
    let name = env.cluster_name();
    env.engine()
        .create_labelled(&name, &format!("{name}-control-plane"), "control-plane");
    env.run(["delete", "cluster"])
        .env("KIND_CLUSTER_NAME", &name)
        .mentions([name.as_str()])
        .succeeds();
    env.assert_no_containers(&name);
}

#[test]
fn foreign_entries_survive() {
    let env = TestEnvironment::with_engine();
    let name = env.cluster_name();
    let path = env.write("kube/config", &kubeconfig(&name));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    env.run(["delete", "cluster", "--name", &name])
        .mentions([name.as_str()])
        .succeeds();
    assert_cleaned(&path, &name);
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_file_without_the_cluster_keeps_its_bytes() {
    let env = TestEnvironment::with_engine();
    let name = env.cluster_name();
    for text in [
        "",
        "clusters: null\n",
        "# a remark\napiVersion: v1\nkind: Config\n",
        &kubeconfig("somebody"),
    ] {
        let path = env.write("kube/config", text);
        env.run(["delete", "cluster", "--name", &name])
            .mentions([name.as_str()])
            .succeeds();
        assert_eq!(fs::read_to_string(path).unwrap(), text);
    }
}

#[test]
fn a_link_stays_a_link() {
    let env = TestEnvironment::with_engine();
    let name = env.cluster_name();
    let target = env.write("elsewhere/real-config", &kubeconfig(&name));
    symlink(&target, env.kubeconfig()).unwrap();
    env.run(["delete", "cluster", "--name", &name])
        .mentions([name.as_str()])
        .succeeds();
    assert!(
        env.kubeconfig().symlink_metadata().unwrap().is_symlink(),
        "the link was replaced by a file"
    );
    assert_cleaned(&target, &name);
}

#[test]
fn every_file_of_the_list_is_cleaned_once() {
    let env = TestEnvironment::with_engine();
    let (one, two) = (env.path("kube/one"), env.path("kube/two"));
    let (a, b) = (one.display(), two.display());
    // Empty parts, a file twice, and a file that is not there.
    let lists = [
        format!("{a}:{b}"),
        format!("{a}:{b}:{a}"),
        format!(":{a}::{b}:"),
        format!("{a}:{}:{b}", env.path("kube/none").display()),
    ];
    for list in lists {
        let name = env.cluster_name();
        for path in ["kube/one", "kube/two"] {
            env.write(path, &kubeconfig(&name));
        }
        env.run(["delete", "cluster", "--name", &name])
            .env("KUBECONFIG", &list)
            .mentions([name.as_str()])
            .succeeds();
        assert_cleaned(&one, &name);
        assert_cleaned(&two, &name);
        let files: Vec<_> = env.kube_folder().into_keys().collect();
        assert_eq!(files, [one.clone(), two.clone()], "with KUBECONFIG={list}");
    }
}

#[test]
fn the_flag_goes_before_the_variable() {
    let env = TestEnvironment::with_engine();
    let name = env.cluster_name();
    let by_variable = env.write("kube/config", &kubeconfig(&name));
    let by_flag = env.write("kube/flag", &kubeconfig(&name));
    env.run(["delete", "cluster", "--name", &name, "--kubeconfig"])
        .args([&by_flag])
        .mentions([name.as_str()])
        .succeeds();
    assert_cleaned(&by_flag, &name);
    assert_eq!(fs::read_to_string(by_variable).unwrap(), kubeconfig(&name));
}

#[test]
fn without_the_variable_the_file_in_the_home_folder_is_cleaned() {
    let env = TestEnvironment::with_engine();
    let name = env.cluster_name();
    let path = env.write(".kube/config", &kubeconfig(&name));
    env.run(["delete", "cluster", "--name", &name])
        .without("KUBECONFIG")
        .mentions([name.as_str()])
        .succeeds();
    assert_cleaned(&path, &name);
}

#[test]
fn a_lock_is_told_and_stays_while_the_nodes_go() {
    let env = TestEnvironment::with_engine();
    let name = env.cluster_name();
    env.engine()
        .create_labelled(&name, &format!("{name}-control-plane"), "control-plane");
    env.write("kube/config", &kubeconfig(&name));
    let lock = env.write("kube/config.lock", "");
    let before = env.kube_folder();
    env.run(["delete", "cluster", "--name", &name])
        .mentions([lock.to_string_lossy()])
        .kindr_mentions(["rm "])
        .fails();
    assert_eq!(
        env.kube_folder(),
        before,
        "the kubeconfig or the lock was touched"
    );
    env.assert_no_containers(&name);
}

#[test]
fn a_lock_without_any_cluster_is_told_too() {
    let env = TestEnvironment::with_engine();
    let name = env.cluster_name();
    env.write("kube/config", &kubeconfig(&name));
    let lock = env.write("kube/config.lock", "");
    env.run(["delete", "cluster", "--name", &name])
        .mentions([lock.to_string_lossy()])
        .fails();
    assert!(lock.exists());
}

#[test]
fn a_file_that_cannot_be_read_is_told_and_keeps_its_bytes() {
    let env = TestEnvironment::with_engine();
    let name = env.cluster_name();
    for text in [
        "apiVersion: v1\nclusters: [\n",
        "- a\n- list\n",
        "clusters: {a: b}\n",
    ] {
        env.engine()
            .create_labelled(&name, &format!("{name}-control-plane"), "control-plane");
        let path = env.write("kube/config", text);
        let own = [path.to_string_lossy()];
        env.run(["delete", "cluster", "--name", &name])
            .mentions(["kubeconfig"])
            .kindr_mentions(own)
            .fails();
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert_eq!(env.kube_folder().len(), 1, "a lock is left");
        env.assert_no_containers(&name);
    }
}

#[test]
fn a_folder_in_place_of_the_file_is_told() {
    let env = TestEnvironment::with_engine();
    let name = env.cluster_name();
    fs::create_dir(env.kubeconfig()).unwrap();
    env.run(["delete", "cluster", "--name", &name])
        .mentions(["directory"])
        .kindr_mentions([env.kubeconfig().to_string_lossy()])
        .fails();
    assert!(env.kubeconfig().is_dir());
}

#[test]
fn several_clusters_go_at_once_and_others_stay() {
    let env = TestEnvironment::with_engine();
    let names = [env.cluster_name(), env.cluster_name(), env.cluster_name()];
    for name in &names {
        env.engine()
            .create_labelled(name, &format!("{name}-control-plane"), "control-plane");
    }
    let [one, two, other] = &names;
    env.run(["delete", "clusters", one, two])
        .mentions([one, two])
        .succeeds();
    env.assert_no_containers(one);
    env.assert_no_containers(two);
    assert_eq!(
        env.engine().containers_of(other).len(),
        1,
        "the other one is gone"
    );
    // One that is gone already is no failure, as for one cluster.
    env.run(["delete", "clusters", one, other])
        .mentions([other])
        .succeeds();
    env.assert_no_containers(other);
    env.run(["delete", "clusters"]).ends_as_misuse();
}
