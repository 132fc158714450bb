//! The published schema takes what the reader takes, and refuses what it refuses for its shape.

use serde_json::Value;

use super::*;
use crate::config::json_schema;

fn value(text: &str) -> Value {
    serde_yaml::from_str(text).unwrap()
}

fn is_valid(text: &str) -> bool {
    let validator = jsonschema::validator_for(&json_schema()).unwrap();
    validator.is_valid(&value(text))
}

#[test]
fn every_example_is_valid() {
    let validator = jsonschema::validator_for(&json_schema()).unwrap();
    let files = example_files();
    assert!(files.len() > 8);
    for (name, text) in files {
        if let Err(error) = validator.validate(&value(&text)) {
            panic!("{name}: {error} at {}", error.instance_path());
        }
    }
    // B is one of YAML 1.1's booleans, which the schema does not have.
    assert!(is_valid(&FULL.replace("B: no", "B: false")));
    assert!(is_valid(HEAD));
}

#[test]
fn what_is_printed_is_valid() {
    let config = Document::default().resolve(&settings()).unwrap();
    assert!(is_valid(&crate::config::to_yaml(&config).unwrap()));
}

#[test]
fn keys_without_a_value_are_valid() {
    assert!(is_valid(&format!(
        "{HEAD}name:\nnodes:\n- role:\n  labels: {{a: , b: true, c: 1.10}}\n  extraMounts:\n  resources: {{cpus: }}\n  extraPortMappings: [{{containerPort: 1, hostPort: , protocol: tcp}}]\nnetworking:\nfeatureGates:\n"
    )));
}

#[test]
fn bad_shapes_are_refused() {
    for text in ["{}", "kind: Cluster", "kind: Pod\napiVersion: v1", "- a"] {
        assert!(!is_valid(text), "{text}");
    }
    for body in [
        "nodez: []",
        "name: [a]",
        "nodes: {role: worker}",
        "nodes: [worker]",
        "nodes: [{role: master}]",
        "nodes: [{constraints: {}}]",
        "nodes: [{labels: [a]}]",
        "nodes: [{extraMounts: [{hostPath: /a}]}]",
        "nodes: [{extraMounts: [{hostPath: /a, containerPath: /b, propagation: Both}]}]",
        "nodes: [{extraPortMappings: [{hostPort: 1}]}]",
        "nodes: [{extraPortMappings: [{containerPort: http}]}]",
        "nodes: [{extraPortMappings: [{containerPort: 70000}]}]",
        "nodes: [{extraPortMappings: [{containerPort: 1, protocol: icmp}]}]",
        "nodes: [{resources: {cpu: 1}}]",
        "networking: {ipFamily: ipv5}",
        "networking: {apiServerPort: -2}",
        "networking: {dnsSearch: a.b}",
        "featureGates: [\"A=true\"]",
        "featureGates: {A: ture}",
        "kubeadmConfigPatches: [{kind: x}]",
        "kubeadmConfigPatchesJSON6902: [x]",
    ] {
        let text = format!("{HEAD}{body}\n");
        assert!(!is_valid(&text), "{body}");
        assert!(resolve(body).is_err(), "{body}");
    }
}

#[test]
fn fields_are_described_in_the_words_of_the_types() {
    let schema = json_schema();
    let networking = &schema["$defs"]["Networking"];
    assert_eq!(networking["additionalProperties"], false);
    insta::assert_snapshot!(format!("{:#}", networking["properties"]["ipFamily"]), @r##"
    {
      "anyOf": [
        {
          "$ref": "#/$defs/IpFamily"
        },
        {
          "type": "null"
        }
      ],
      "description": "Address families of pods and services."
    }
    "##);
    insta::assert_snapshot!(format!("{:#}", networking["properties"]["apiServerPort"]), @r#"
    {
      "type": [
        "integer",
        "null"
      ],
      "format": "int32",
      "description": "Host port of the API server: 0 or absent for a free one, -1 to let the engine choose.",
      "minimum": -1,
      "maximum": 65535
    }
    "#);
    insta::assert_snapshot!(format!("{:#}", schema["$defs"]["Role"]), @r#"
    {
      "oneOf": [
        {
          "type": "string",
          "const": "control-plane",
          "description": "Runs the API server, the scheduler and their like."
        },
        {
          "type": "string",
          "const": "worker",
          "description": "Runs workloads only."
        }
      ],
      "description": "What a node does in the cluster."
    }
    "#);
    let mut undescribed = Vec::new();
    for (name, definition) in schema["$defs"].as_object().unwrap() {
        for (field, property) in definition["properties"].as_object().into_iter().flatten() {
            if property["description"]
                .as_str()
                .is_none_or(|text| text.contains('['))
            {
                undescribed.push(format!("{name}.{field}"));
            }
        }
    }
    assert_eq!(undescribed, Vec::<String>::new());
}
