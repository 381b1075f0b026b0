//! Explanations and proposals of verdicts.

use super::world::{call, policy};
use crate::{PolicyError, Verdict};
use serde_json::{Value, json};
use tgp_base::error::{Error, ErrorCode};

const RULES: &str = r#"default: deny
rules:
  - { id: reports, allow: [write_file], paths: ["tools/reports/**", "docs/*.md"] }
  - { id: tests, allow: [patch_file], paths: ["tests/**"] }
  - { id: api, allow: [net], hosts: [api.example.com, "*.cdn.example"], methods: [GET, HEAD] }
  - { id: looking, allow: [sql], verbs: [select] }
  - { id: running, allow: [run] }
  - id: payments
    deny: [run]
    paths: ["tools/payments/**"]
    reason: Payments need a person.
  - { id: mail, allow: [send_mail], args: { /kind: [note, report] } }
  - { id: night, allow: [shell], principal: "session:night" }
"#;

fn judged(json: Value) -> Verdict {
    policy(RULES).judge(&call(json))
}

#[test]
fn a_denial_names_rule_line_reason_and_an_allowed_call() {
    for (json, rule, at, reason, nearest) in [
        (
            json!({"tool": "exec_tool", "args": {"path": "tools/payments/charge.ts"}}),
            "payments",
            "tgp.policy.yaml:8",
            "Payments need a person.",
            Some("exec_tool on paths outside 'tools/payments/**', such as 'tools/another.ts'."),
        ),
        (
            json!({"tool": "write_file", "args": {"path": "tools/x.ts"}}),
            "default",
            "tgp.policy.yaml:1",
            "No rule covers what write_file does here (write), and the default is deny.",
            Some("write_file on paths matching 'tools/reports/**', 'docs/*.md' (rule 'reports')."),
        ),
        (
            json!({"tool": "fetch", "args": {"url": "https://api.example.com", "method": "POST"}}),
            "default",
            "tgp.policy.yaml:1",
            "No rule covers what fetch does here (net), and the default is deny.",
            Some("fetch with GET or HEAD (rule 'api')."),
        ),
        (
            json!({"tool": "fetch", "args": {"url": "https://evil.example", "method": "POST"}}),
            "default",
            "tgp.policy.yaml:1",
            "No rule covers what fetch does here (net), and the default is deny.",
            Some("fetch with GET or HEAD to 'api.example.com', '*.cdn.example' (rule 'api')."),
        ),
        (
            json!({"tool": "exec_sql", "args": {"sql": "drop table x"}}),
            "default",
            "tgp.policy.yaml:1",
            "No rule covers what exec_sql does here (sql), and the default is deny.",
            Some("exec_sql with select (rule 'looking')."),
        ),
        (
            json!({"tool": "delete_file", "args": {"path": "tests/a.ts"}}),
            "default",
            "tgp.policy.yaml:1",
            "No rule covers what delete_file does here (write), and the default is deny.",
            Some("patch_file instead of delete_file (rule 'tests')."),
        ),
        (
            json!({"tool": "send_mail", "args": {"kind": "spam"}}),
            "default",
            "tgp.policy.yaml:1",
            "No rule covers what send_mail does here (app), and the default is deny.",
            Some("send_mail with 'kind' 'note' or 'report' (rule 'mail')."),
        ),
        // A model cannot change the caller.
        (
            json!({"tool": "shell", "args": {"command": "ls"}}),
            "default",
            "tgp.policy.yaml:1",
            "No rule covers what shell does here (shell), and the default is deny.",
            None,
        ),
        (
            json!({"tool": "ping"}),
            "default",
            "tgp.policy.yaml:1",
            "No rule applies to this call; the default is deny.",
            None,
        ),
    ] {
        let verdict = judged(json.clone());
        assert_eq!((&*verdict.rule, &*verdict.at, &*verdict.reason), (rule, at, reason), "{json}");
        assert_eq!(verdict.nearest.as_deref(), nearest, "{json}");
    }
}

#[test]
fn every_proposal_is_allowed() {
    let policy = policy(
        r#"
default: ask
rules:
  - { id: reports, allow: [write], paths: ["tools/reports/**"] }
  - { id: frozen, deny: [write], reason: "Nothing is written this week." }
  - { id: api, allow: [net], hosts: [api.example.com] }
  - { id: no-api, deny: [net], hosts: ["*.example.com"] }
  - { id: payments, deny: [run], paths: ["**/payments/**"] }
"#,
    );
    for json in [
        json!({"tool": "write_file", "args": {"path": "x"}}),
        json!({"tool": "fetch", "args": {"url": "https://b.org"}}),
        json!({"tool": "fetch", "args": {"url": "https://api.example.com"}}),
        json!({"tool": "exec_tool", "args": {"path": "a/payments/x.ts"}}),
        json!({"tool": "read_file", "args": {"path": "x"}}),
    ] {
        assert_eq!(policy.judge(&call(json.clone())).nearest, None, "{json}");
    }
}

#[test]
fn an_allowed_call_is_explained_without_a_proposal() {
    let verdict = judged(json!({"tool": "exec_tool", "args": {"path": "tools/a.ts"}}));
    assert_eq!((verdict.decision.as_str(), &*verdict.rule, &*verdict.at), ("allow", "running", "tgp.policy.yaml:7"));
    assert_eq!((&*verdict.reason, verdict.nearest), ("The rule 'running' allows this.", None));
}

#[test]
fn a_denial_is_an_error_with_the_verdict_in_its_details() {
    let verdict = judged(json!({"tool": "exec_tool", "args": {"path": "tools/payments/charge.ts"}}));
    let error: Error = PolicyError::Denied { tool: "exec_tool".into(), verdict: Box::new(verdict.clone()) }.into();
    assert_eq!(error.code, ErrorCode::Denied);
    assert_eq!(
        error.message,
        "exec_tool is denied by rule 'payments' (tgp.policy.yaml:8): Payments need a person. Allowed instead: exec_tool \
         on paths outside 'tools/payments/**', such as 'tools/another.ts'."
    );
    let details = serde_json::to_value(&verdict).unwrap();
    assert_eq!(Value::Object(error.details), details);
    assert_eq!(details["verdict"], "deny");
}

#[test]
fn an_object_is_named_by_its_members() {
    let policy = crate::Policy::from_json(
        &json!({"default": "deny", "rules": [{"id": "a", "allow": ["read"]}, {"id": "b", "ask": "write"}]}),
        "policy",
        &super::world::tools(),
    )
    .unwrap();
    let at = |json| policy.judge(&call(json)).at.to_string();
    assert_eq!(at(json!({"tool": "write_file", "args": {"path": "a"}})), "policy.rules[1]");
    assert_eq!(at(json!({"tool": "shell"})), "policy.default");
}
