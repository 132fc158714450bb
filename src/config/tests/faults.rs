//! Files with more than one fault: each is told once, with its place, and nothing that only follows from it.

use super::*;

#[test]
fn every_fault_is_told_in_the_order_of_the_file() {
    insta::assert_snapshot!(error("nodez: []\nnetworking: {apiServerPort: 70000, ipFamily: ipv5}\nnodes:\n- role: master\n  constraints: {}\n  labels: {a: [], b: not ok}\n- worker\n- role: worker\n  role: worker\n  extraMounts: {hostPath: /a}\n  extraPortMappings:\n  - containerPort: http\n    hostPort: 0x\n  - {containerPort: 0}\nfeatureGates: {A: ture, B: true}\nkubeadmConfigPatches:\n- kind: ClusterConfiguration\n- |\n  kind: x\n"), @r#"
    the cluster configuration has 16 problems

      unknown field `nodez`; did you mean `nodes`?
       --> kind.yaml:3:1
        |
      3 | nodez: []
        | ^^^^^

      unknown value `ipv5` for `networking.ipFamily`; did you mean `ipv4`?
       --> kind.yaml:4:46
        |
      4 | networking: {apiServerPort: 70000, ipFamily: ipv5}
        |                                              ^^^^

      unknown value `master` for `nodes[0].role`; expected `control-plane` or `worker`
       --> kind.yaml:6:9
        |
      6 | - role: master
        |         ^^^^^^

      unknown field `constraints` in `nodes[0]`; it comes from a proposal that was never built; remove it
       --> kind.yaml:7:3
        |
      7 |   constraints: {}
        |   ^^^^^^^^^^^

      wrong type for `nodes[0].labels["a"]`: expected a text, found a list
       --> kind.yaml:8:15
        |
      8 |   labels: {a: [], b: not ok}
        |               ^

      wrong type for `nodes[1]`: expected a mapping, found `worker`
       --> kind.yaml:9:3
        |
      9 | - worker
        |   ^^^^^^

      the field `role` is given twice in `nodes[2]`; keep one
        --> kind.yaml:11:3
         |
      11 |   role: worker
         |   ^^^^

      wrong type for `nodes[2].extraMounts`: expected a list, found a mapping; begin each element with `-`
        --> kind.yaml:12:16
         |
      12 |   extraMounts: {hostPath: /a}
         |                ^^^^^^^^^

      wrong type for `nodes[2].extraPortMappings[0].containerPort`: expected a whole number, found `http`; one port per mapping, ranges and names are not possible
        --> kind.yaml:14:20
         |
      14 |   - containerPort: http
         |                    ^^^^

      wrong type for `nodes[2].extraPortMappings[0].hostPort`: expected a whole number, found `0x`; one port per mapping, ranges and names are not possible
        --> kind.yaml:15:15
         |
      15 |     hostPort: 0x
         |               ^^

      wrong type for `featureGates["A"]`: expected true or false, found `ture`
        --> kind.yaml:17:19
         |
      17 | featureGates: {A: ture, B: true}
         |                   ^^^^

      wrong type for `kubeadmConfigPatches[0]`: expected a text, found a mapping; put the patch into a block that begins with `|`
        --> kind.yaml:19:3
         |
      19 | - kind: ClusterConfiguration
         |   ^^^^

      kind.yaml:4:14: networking.apiServerPort: 70000 is no port; 1 to 65535 are, 0 is any free one, and -1 lets the engine choose
      kind.yaml:8:19: nodes[0].labels["b"]: the value `not ok` contains ' '; letters, digits, `-`, `_` and `.` are possible
      kind.yaml:16:6: nodes[2].extraPortMappings[1].containerPort: 0 is no port; 1 to 65535 are
      kind.yaml:21:3: kubeadmConfigPatches[1]: it matches nothing: there is no document of kind `x`; the kinds are `ClusterConfiguration`, `InitConfiguration`, `JoinConfiguration`, `KubeletConfiguration`, `KubeProxyConfiguration`
    "#);
}

#[test]
fn faults_come_before_problems_and_hide_what_follows_from_them() {
    let text = error("nodes: {role: worker}\nname: [a]\n");
    insta::assert_snapshot!(text, @"
    the cluster configuration has 2 problems

      wrong type for `nodes`: expected a list, found a mapping; begin each element with `-`
       --> kind.yaml:3:8
        |
      3 | nodes: {role: worker}
        |        ^^^^^

      wrong type for `name`: expected a text, found a list
       --> kind.yaml:4:7
        |
      4 | name: [a]
        |       ^^
    ");
    // A field with a fault counts as not given, and is not asked for a second time.
    let text = error("nodes:\n- extraMounts:\n  - {hostPath: [], containerPath: rel}\n");
    insta::assert_snapshot!(text, @"
    the cluster configuration has 2 problems

      wrong type for `nodes[0].extraMounts[0].hostPath`: expected a text, found a list
       --> kind.yaml:5:16
        |
      5 |   - {hostPath: [], containerPath: rel}
        |                ^

      kind.yaml:5:20: nodes[0].extraMounts[0].containerPath: `rel` must be absolute and not `/` itself
    ");
}

#[test]
fn what_an_anchor_holds_is_told_once() {
    insta::assert_snapshot!(error("nodes:\n- &a {role: worker, imagee: x}\n- *a\n- <<: *a\n"), @"
    unknown field `imagee` in `nodes[0]`; did you mean `image`?
     --> kind.yaml:4:21
      |
    4 | - &a {role: worker, imagee: x}
      |                     ^^^^^^
    ");
}

#[test]
fn merge_keys_and_anchors_are_read() {
    let config = resolve(
        "nodes:\n- &base\n  role: control-plane\n  image: base\n  labels: &labels {a: b}\n- <<: *base\n  role: worker\n- role: worker\n  labels: *labels\n",
    )
    .unwrap();
    let images: Vec<&str> = config.nodes.iter().map(|node| node.image.as_str()).collect();
    assert_eq!(images, ["base", "base", "node:default"]);
    assert_eq!(config.nodes[1].role, Role::Worker);
    assert_eq!(config.nodes[2].labels["a"], "b");
}

#[test]
fn a_file_full_of_faults_ends() {
    let many = "x: &x {q: 1}\n".to_owned() + &(0..300).map(|at| format!("f{at}: 1\n")).collect::<String>();
    let text = error(&many);
    assert!(text.contains("`f98`") && !text.contains("`f200`"), "{text}");
}

#[test]
fn what_a_field_has_is_said_in_its_own_terms() {
    insta::assert_snapshot!(error("featureGates: {A: , B: []}\nnodes:\n- extraMounts: [{hostPath: /a, containerPath: /b, readOnly: {}}]\n  extraPortMappings: [{containerPort: [80]}]\nnetworking: {dnsSearch: [1, ~]}\n"), @r#"
    the cluster configuration has 5 problems

      wrong type for `featureGates["A"]`: expected true or false, found nothing
       --> kind.yaml:3:17
        |
      3 | featureGates: {A: , B: []}
        |                 ^

      wrong type for `featureGates["B"]`: expected true or false, found a list
       --> kind.yaml:3:24
        |
      3 | featureGates: {A: , B: []}
        |                        ^

      wrong type for `nodes[0].extraMounts[0].readOnly`: expected true or false, found a mapping
       --> kind.yaml:5:61
        |
      5 | - extraMounts: [{hostPath: /a, containerPath: /b, readOnly: {}}]
        |                                                             ^

      wrong type for `nodes[0].extraPortMappings[0].containerPort`: expected a whole number, found a list; one port per mapping, ranges and names are not possible
       --> kind.yaml:6:39
        |
      6 |   extraPortMappings: [{containerPort: [80]}]
        |                                       ^^^

      wrong type for `networking.dnsSearch[1]`: expected a text, found nothing
       --> kind.yaml:7:29
        |
      7 | networking: {dnsSearch: [1, ~]}
        |                             ^
    "#);
}

#[test]
fn a_text_is_no_boolean_and_no_number() {
    insta::assert_snapshot!(error("featureGates: {A: \"true\"}\nnetworking: {apiServerPort: '6443'}\nruntimeConfig: {a: \"true\"}\nnodes:\n- labels: {hostPort: \"1\"}\n"), @r#"
    the cluster configuration has 2 problems

      wrong type for `featureGates["A"]`: expected true or false, found the text `"true"`; take the quotes away
       --> kind.yaml:3:19
        |
      3 | featureGates: {A: "true"}
        |                   ^^^^^^

      wrong type for `networking.apiServerPort`: expected a whole number, found the text `'6443'`; take the quotes away
       --> kind.yaml:4:29
        |
      4 | networking: {apiServerPort: '6443'}
        |                             ^^^^^^
    "#);
}
