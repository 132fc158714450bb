//! Messages about files that cannot be read, or have another shape.

use super::*;

#[test]
fn missing_and_unreadable_files() {
    insta::assert_snapshot!(Document::from_path(Path::new("/no/such.yaml")).unwrap_err(), @"the configuration file `/no/such.yaml` does not exist; check the path");
    insta::assert_snapshot!(Document::from_path(Path::new("/")).unwrap_err(), @"cannot read the configuration /: Is a directory (os error 21)");
    insta::assert_snapshot!(Document::from_reader(&b"kind: \xff"[..], Origin::Stdin).unwrap_err(), @"the configuration <stdin> is not UTF-8 text (byte 6); save it as UTF-8");
}

#[test]
fn not_one_document() {
    insta::assert_snapshot!(raw_error("# nothing here\n"), @"
    the configuration kind.yaml is empty; the least it can say is
      kind: Cluster
      apiVersion: kind.x-k8s.io/v1alpha4
    ");
    insta::assert_snapshot!(raw_error("a: b\n---\nc: d\n"), @"
    more than one YAML document; a configuration is a single one, so remove the `---` and what follows it
     --> kind.yaml:3:1
      |
    3 | c: d
      | ^
    ");
    insta::assert_snapshot!(raw_error("- a\n"), @"the configuration kind.yaml holds a list where a mapping with `kind: Cluster` belongs");
    insta::assert_snapshot!(raw_error("hello"), @"the configuration kind.yaml holds a single value where a mapping with `kind: Cluster` belongs");
}

#[test]
fn not_yaml() {
    insta::assert_snapshot!(error("nodes:\n\t- role: worker"), @"
    not valid YAML: tabs disallowed within this context (block indentation); indent with spaces
     --> kind.yaml:4:2
      |
    4 | 	- role: worker
      | 	^^^^^^
    ");
    insta::assert_snapshot!(error("nodes:\n- role: worker\n   image: x"), @"
    not valid YAML: mapping values are not allowed in this context
     --> kind.yaml:5:9
      |
    5 |    image: x
      |         ^
    ");
    insta::assert_snapshot!(error("nodes: ["), @"
    not valid YAML: unclosed bracket '['
     --> kind.yaml:3:8
      |
    3 | nodes: [
      |        ^
    ");
    insta::assert_snapshot!(error("name: 'a"), @"
    not valid YAML: unclosed quote
     --> kind.yaml:3:7
      |
    3 | name: 'a
      |       ^^
    ");
    insta::assert_snapshot!(error("name: *x"), @"
    not valid YAML: alias references unknown anchor
     --> kind.yaml:3:7
      |
    3 | name: *x
      |       ^^
    ");
}

#[test]
fn headers() {
    insta::assert_snapshot!(raw_error("apiVersion: kind.x-k8s.io/v1alpha4\n"), @"the configuration kind.yaml has no `kind`; add `kind: Cluster`");
    insta::assert_snapshot!(raw_error("kind: Cluster\nname: x"), @"the configuration kind.yaml has no `apiVersion`; add `apiVersion: kind.x-k8s.io/v1alpha4`");
    insta::assert_snapshot!(raw_error("kind: Deployment\napiVersion: apps/v1\n"), @"
    unknown apiVersion `apps/v1`; expected `kind.x-k8s.io/v1alpha4`
     --> kind.yaml:2:13
      |
    2 | apiVersion: apps/v1
      |             ^^^^^^^
    ");
    insta::assert_snapshot!(raw_error("kind: Config\napiVersion: kind.x-k8s.io/v1alpha4\n"), @"
    unknown kind `Config`; expected `Cluster`
     --> kind.yaml:1:7
      |
    1 | kind: Config
      |       ^^^^^^
    ");
    insta::assert_snapshot!(raw_error("kind: Cluster\napiVersion: kind.sigs.k8s.io/v1alpha3\n"), @"
    the apiVersion `kind.sigs.k8s.io/v1alpha3` is no longer read; migrate the file to `kind.x-k8s.io/v1alpha4` (often this one line is all)
     --> kind.yaml:2:13
      |
    2 | apiVersion: kind.sigs.k8s.io/v1alpha3
      |             ^^^^^^^^^^^^^^^^^^^^^^^^^
    ");
    insta::assert_snapshot!(raw_error("kind: Cluster\napiVersion:\n"), @"the configuration kind.yaml has no `apiVersion`; add `apiVersion: kind.x-k8s.io/v1alpha4`");
}

#[test]
fn unknown_fields() {
    insta::assert_snapshot!(error("nodes:\n- role: worker\n  extraMount: []"), @"
    unknown field `extraMount` in `nodes[0]`; did you mean `extraMounts`?
     --> kind.yaml:5:3
      |
    5 |   extraMount: []
      |   ^^^^^^^^^^
    ");
    insta::assert_snapshot!(error("podSubnet: 10.0.0.0/8"), @"
    unknown field `podSubnet`; `podSubnet` is a field of `networking`
     --> kind.yaml:3:1
      |
    3 | podSubnet: 10.0.0.0/8
      | ^^^^^^^^^
    ");
    insta::assert_snapshot!(error("nodes:\n- role: worker\n  constraints: {}"), @"
    unknown field `constraints` in `nodes[0]`; it comes from a proposal that was never built; remove it
     --> kind.yaml:5:3
      |
    5 |   constraints: {}
      |   ^^^^^^^^^^^
    ");
    insta::assert_snapshot!(error("metadata: {name: x}"), @"
    unknown field `metadata`; the cluster's name is the top-level `name`
     --> kind.yaml:3:1
      |
    3 | metadata: {name: x}
      | ^^^^^^^^
    ");
    insta::assert_snapshot!(error("kubeadmConfigPatchesJson6902: []"), @"
    unknown field `kubeadmConfigPatchesJson6902`; did you mean `kubeadmConfigPatchesJSON6902`?
     --> kind.yaml:3:1
      |
    3 | kubeadmConfigPatchesJson6902: []
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    ");
    insta::assert_snapshot!(error("nodes:\n- extraPortMappings:\n  - {containerPort: 1, frobnicate: 2}"), @"
    unknown field `frobnicate` in `nodes[0].extraPortMappings[0]`; the fields here are `containerPort`, `hostPort`, `listenAddress` and `protocol`
     --> kind.yaml:5:24
      |
    5 |   - {containerPort: 1, frobnicate: 2}
      |                        ^^^^^^^^^^
    ");
}

#[test]
fn duplicates() {
    insta::assert_snapshot!(error("name: a\nname: b"), @"
    the field `name` is given twice; keep one
     --> kind.yaml:4:1
      |
    4 | name: b
      | ^^^^
    ");
    insta::assert_snapshot!(error("nodes:\n- role: worker\n  role: worker"), @"
    the field `role` is given twice in `nodes[0]`; keep one
     --> kind.yaml:5:3
      |
    5 |   role: worker
      |   ^^^^
    ");
    insta::assert_snapshot!(error("featureGates:\n  A: true\n  A: false"), @"
    the field `A` is given twice in `featureGates`; keep one
     --> kind.yaml:5:3
      |
    5 |   A: false
      |   ^
    ");
}

#[test]
fn unknown_values() {
    insta::assert_snapshot!(error("nodes:\n- role: worke # typo"), @"
    unknown value `worke` for `nodes[0].role`; did you mean `worker`?
     --> kind.yaml:4:9
      |
    4 | - role: worke # typo
      |         ^^^^^
    ");
    insta::assert_snapshot!(error("nodes:\n- role: external-load-balancer"), @"
    unknown value `external-load-balancer` for `nodes[0].role`; the load balancer is added by itself when there is more than one control plane
     --> kind.yaml:4:9
      |
    4 | - role: external-load-balancer
      |         ^^^^^^^^^^^^^^^^^^^^^^
    ");
    insta::assert_snapshot!(error("networking: {kubeProxyMode: ebpf}"), @"
    unknown value `ebpf` for `networking.kubeProxyMode`; expected `iptables`, `ipvs`, `nftables` or `none`
     --> kind.yaml:3:29
      |
    3 | networking: {kubeProxyMode: ebpf}
      |                             ^^^^
    ");
    insta::assert_snapshot!(error("nodes:\n- extraPortMappings: [{containerPort: 1, protocol: icmp}]"), @"
    unknown value `icmp` for `nodes[0].extraPortMappings[0].protocol`; expected `TCP`, `UDP` or `SCTP`
     --> kind.yaml:4:52
      |
    4 | - extraPortMappings: [{containerPort: 1, protocol: icmp}]
      |                                                    ^^^^
    ");
}

#[test]
fn wrong_types() {
    insta::assert_snapshot!(error("featureGates: [\"A=true\"]"), @r#"
    wrong type for `featureGates`: expected a mapping, found a list; write `Name: value` lines without the dashes
     --> kind.yaml:3:15
      |
    3 | featureGates: ["A=true"]
      |               ^^^^^^^^^
    "#);
    insta::assert_snapshot!(error("featureGates: {A: ture}"), @r#"
    wrong type for `featureGates["A"]`: expected true or false, found `ture`
     --> kind.yaml:3:19
      |
    3 | featureGates: {A: ture}
      |                   ^^^^
    "#);
    insta::assert_snapshot!(error("featureGates:\n  A: 1"), @r#"
    wrong type for `featureGates["A"]`: expected true or false, found `1`
     --> kind.yaml:4:6
      |
    4 |   A: 1
      |      ^
    "#);
    insta::assert_snapshot!(error("nodes: {role: worker}"), @"
    wrong type for `nodes`: expected a list, found a mapping; begin each element with `-`
     --> kind.yaml:3:8
      |
    3 | nodes: {role: worker}
      |        ^^^^^
    ");
    insta::assert_snapshot!(error("nodes:\n-\n"), @"
    wrong type for `nodes[0]`: expected a mapping, found nothing
     --> kind.yaml:4:2
      |
    4 | -
      |  ^
    ");
    insta::assert_snapshot!(error("nodes: [worker]"), @"
    wrong type for `nodes[0]`: expected a mapping, found `worker`
     --> kind.yaml:3:9
      |
    3 | nodes: [worker]
      |         ^^^^^^
    ");
    insta::assert_snapshot!(error("networking:\n  apiServerPort: 3000-3010"), @"
    wrong type for `networking.apiServerPort`: expected a whole number, found `3000-3010`; one port per mapping, ranges and names are not possible
     --> kind.yaml:4:18
      |
    4 |   apiServerPort: 3000-3010
      |                  ^^^^^^^^^
    ");
    insta::assert_snapshot!(error("networking: {dnsSearch: a.b}"), @"
    wrong type for `networking.dnsSearch`: expected a list, found `a.b`; begin each element with `-`
     --> kind.yaml:3:25
      |
    3 | networking: {dnsSearch: a.b}
      |                         ^^^
    ");
    insta::assert_snapshot!(error("kubeadmConfigPatches:\n- kind: ClusterConfiguration"), @"
    wrong type for `kubeadmConfigPatches[0]`: expected a text, found a mapping; put the patch into a block that begins with `|`
     --> kind.yaml:4:3
      |
    4 | - kind: ClusterConfiguration
      |   ^^^^
    ");
    insta::assert_snapshot!(error("name: [a]"), @"
    wrong type for `name`: expected a text, found a list
     --> kind.yaml:3:7
      |
    3 | name: [a]
      |       ^^
    ");
}
