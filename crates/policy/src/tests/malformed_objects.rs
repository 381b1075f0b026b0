//! Policies given as objects: refused with the member.

use super::world::tools;
use crate::Policy;
use serde_json::{Value, json};

#[test]
fn errors_name_the_member() {
    let mut deep = json!("x");
    for _ in 0..100 {
        deep = json!([deep]);
    }
    for (object, at, words) in [
        (json!(7), "policy: ", "A policy must be a map"),
        (json!({"defalt": "ask"}), "policy.defalt: ", "Did you mean 'default'?"),
        (
            json!({"rules": [{"id": "a", "allow": ["read"]}, {"id": "b", "deny": ["rite"]}]}),
            "policy.rules[1].deny[0]: ",
            "Did you mean 'write'?",
        ),
        (
            json!({"rules": [{"id": "a", "deny": "run", "paths": ["/x"]}]}),
            "policy.rules[0].paths[0]: ",
            "can never match",
        ),
        (json!({"rules": deep}), "policy.rules[0]", "nested more than 16 deep"),
        (
            json!({"tests": [{"call": {"tool": "ping"}, "expect": "deny"}]}),
            "policy.tests[0]: ",
            "the test expects deny",
        ),
    ] {
        let error = Policy::from_json(&object, "policy", &tools()).unwrap_err().to_string();
        assert!(error.contains(at) && error.contains(words), "{error}");
    }
}

#[test]
fn an_object_and_the_same_file_are_the_same_policy() {
    let object: Value = json!({"version": 1, "default": "deny", "rules": [
        {"id": "a", "allow": ["read"], "paths": ["x/**"]},
        {"id": "b", "ask": ["net"], "hosts": ["a.example"], "reason": "why"},
    ]});
    let yaml = "default: deny\nrules:\n- id: a\n  allow: read\n  paths: x/**\n- id: b\n  ask: net\n  hosts: [A.example]\n  reason: >\n    why\n";
    let one = Policy::from_json(&object, "policy", &tools()).unwrap();
    let other = Policy::from_yaml(yaml.as_bytes(), "p.yaml", &tools()).unwrap();
    assert_eq!(one.version(), other.version());
    // JSON is YAML.
    let json = Policy::from_yaml(object.to_string().as_bytes(), "p.json", &tools()).unwrap();
    assert_eq!(json.version(), one.version());
}
