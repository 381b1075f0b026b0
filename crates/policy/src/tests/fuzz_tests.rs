//! Fuzz tests of policies, calls and tokens.

use super::tokens::keys;
use super::world::{call, load, tools};
use crate::{Decision, Policy, attenuate, issue, verify};
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::sample::select;
use proptest::strategy::{Just, Strategy, Union};
use serde_json::{Map, Value, json};
use tgp_fuzzing::{for_all, texts};

const YAML: &[&str] = &[
    "version: 1\n",
    "default: ask\n",
    "default: deny\n",
    "rules:\n",
    "  - ",
    "- ",
    "{ id: a, allow: [read] }\n",
    "id: b\n",
    "    deny: [run]\n",
    "paths: ['a/**']\n",
    "hosts: [\"*.x.org\"]\n",
    "tests:\n",
    "{ call: { tool: read_file }, expect: ask }",
    "&a ",
    "*a",
    "<<: *a\n",
    "!!str ",
    "|\n",
    ">-\n",
    "? ",
    ": ",
    "\t",
    "\n",
    "  ",
    "[",
    "]",
    "{",
    "}",
    ",",
    "'",
    "\"",
    "#",
    "---\n",
    "...\n",
    "%YAML 1.2\n",
    "null",
    "~",
    "0x10",
    "1e9",
    ".inf",
    "\u{85}",
    "\u{2028}",
    "\u{feff}",
    "args: { /path: { glob: '**' } }\n",
    "principal: 'agent:*'\n",
];

const WORDS: &[&str] = &[
    "id",
    "allow",
    "ask",
    "deny",
    "paths",
    "hosts",
    "methods",
    "tables",
    "verbs",
    "args",
    "principal",
    "mode",
    "reason",
    "version",
    "default",
    "rules",
    "tests",
    "call",
    "expect",
    "tool",
    "read",
    "write",
    "run",
    "net",
    "sql",
    "app",
    "*",
    "a/**",
    "**",
    "../x",
    "GET",
    "select",
    "/path",
    "glob",
    "read_file",
    "write_file",
    "fetch",
    "agent:*",
    "strict",
    "x.org",
    "*.x.org",
    "",
    "a",
];

fn values() -> impl Strategy<Value = Value> {
    let leaf = Union::new(vec![
        select(WORDS).prop_map(Value::from).boxed(),
        any::<i16>().prop_map(Value::from).boxed(),
        any::<bool>().prop_map(Value::from).boxed(),
        Just(Value::Null).boxed(),
    ]);
    leaf.prop_recursive(4, 40, 6, |inner| {
        Union::new(vec![
            vec(inner.clone(), 0..5).prop_map(Value::from).boxed(),
            vec((select(WORDS), inner), 0..6)
                .prop_map(|members| {
                    Value::Object(
                        members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>(),
                    )
                })
                .boxed(),
        ])
    })
}

/// Rules, most of them valid.
fn rules() -> impl Strategy<Value = Value> {
    let decision = select(&["allow", "ask", "deny"][..]);
    let target = select(&["read", "write", "run", "net", "sql", "read_file", "write_file", "fetch", "*"][..]);
    let path = select(&["a/**", "**", "a/*", "b", "**/c", "a/b/c"][..]);
    let rule = (decision, vec(target, 1..3), proptest::option::of(path));
    vec(rule, 0..6).prop_map(|rules| {
        let named = rules.into_iter().enumerate().map(|(at, (decision, targets, path))| {
            let mut rule = json!({"id": format!("r{at}"), decision: targets});
            if let Some(path) = path {
                rule["paths"] = json!([path]);
            }
            rule
        });
        Value::from(named.collect::<Vec<_>>())
    })
}

#[test]
fn any_text_loads_or_is_refused_with_a_place() {
    for_all(file!(), &texts(YAML, 16), |text| match load(&text) {
        Ok(policy) => assert_eq!(load(&text).unwrap().version(), policy.version()),
        Err(error) => assert!(error.to_string().contains("tgp.policy.yaml"), "{error}"),
    });
}

#[test]
fn an_object_and_its_text_are_the_same_policy() {
    for_all(file!(), &values(), |value| {
        let object = Policy::from_json(&value, "policy", &tools()).map(|policy| policy.version().to_owned());
        let text = Policy::from_yaml(value.to_string().as_bytes(), "policy", &tools());
        let text = text.map(|policy| policy.version().to_owned());
        assert_eq!(object.is_ok(), text.is_ok(), "{object:?} {text:?}");
        assert_eq!(object.ok(), text.ok());
    });
}

#[test]
fn an_added_denial_makes_no_verdict_milder() {
    let inputs = (rules(), select(&["allow", "ask", "deny"][..]), select(&["a/b", "a/b/c", "b", "c", "z"][..]));
    for_all(file!(), &inputs, |(rules, default, path)| {
        let of =
            |rules: &Value| Policy::from_json(&json!({"default": default, "rules": rules}), "policy", &tools()).ok();
        let Some(before) = of(&rules) else { return };
        let mut more = rules.clone();
        more.as_array_mut().unwrap().push(json!({"id": "last", "deny": ["write"], "paths": ["a/**"]}));
        let after = of(&more).unwrap();
        for json in [
            json!({"tool": "read_file", "args": {"path": path}}),
            json!({"tool": "write_file", "args": {"path": path}}),
            json!({"tool": "fetch", "args": {"url": "https://x.org"}}),
            json!({"tool": "exec_tool", "args": {"path": path}}),
        ] {
            let call = call(json);
            let (was, is) = (before.decide(&call), after.decide(&call));
            assert!(was <= is, "{was:?} became {is:?}: {call:?}");
            assert_eq!(before.judge(&call).decision, was);
        }
        assert_eq!(after.decide(&call(json!({"tool": "write_file", "args": {"path": "a/b"}}))), Decision::Deny);
    });
}

#[test]
fn any_caveats_are_refused_or_narrow_the_token() {
    let keys = keys();
    let root = issue(&keys, &json!({"allow": ["read"]}), &tools()).unwrap();
    for_all(file!(), &values(), |caveats| {
        let Ok(token) = attenuate(&root, &caveats) else { return };
        let Ok(capability) = verify(&keys, &token) else { return };
        let write = call(json!({"tool": "write_file", "args": {"path": "a"}}));
        assert_eq!(capability.judge(&write, 0).decision, Decision::Deny);
    });
}

#[test]
fn random_bytes_are_not_a_token() {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let keys = keys();
    for_all(file!(), &vec(any::<u8>(), 0..200), |mut bytes| {
        if let Some(format) = bytes.first_mut() {
            *format = 1;
        }
        let text = format!("tgp_{}", URL_SAFE_NO_PAD.encode(&bytes));
        assert!(verify(&keys, &text).is_err());
        if let Ok(narrowed) = attenuate(&text, &json!({"allow": ["read"]})) {
            assert!(verify(&keys, &narrowed).is_err());
        }
    });
}
