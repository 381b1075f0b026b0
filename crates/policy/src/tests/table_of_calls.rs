//! Table of calls, policies and verdicts: files, runs, requests.

use super::world::{call, policy};
use crate::Policy;
use serde_json::{Value, json};

/// Each row: a call, the verdict, and the deciding rule.
pub fn check(yaml: &str, rows: &[(Value, &str, &str)]) {
    let policy: Policy = policy(yaml);
    for (json, verdict, rule) in rows {
        let found = policy.judge(&call(json.clone()));
        assert_eq!((found.decision.as_str(), &*found.rule), (*verdict, *rule), "{json}");
    }
}

/// The example of the documentation.
const DOOR: &str = r#"
version: 1
default: ask
rules:
  - { id: reading, allow: [read] }
  - { id: reports, allow: [write_file, patch_file], paths: ["tools/reports/**"] }
  - { id: no-payments, deny: [run], paths: ["tools/payments/**"], reason: "Payments need a person." }
  - { id: stripe, allow: [net], hosts: ["api.stripe.com"], methods: [GET] }
  - { id: orders, ask: [sql], verbs: [update, delete], tables: ["orders"] }
tests:
  - { call: { tool: write_file, args: { path: tools/x.ts } }, expect: ask }
"#;

#[test]
fn the_example_of_the_documentation_gives_its_verdicts() {
    check(
        DOOR,
        &[
            (json!({"tool": "read_file", "args": {"path": "a.ts"}}), "allow", "reading"),
            (json!({"tool": "list_files", "args": {"dir": ""}}), "allow", "reading"),
            (json!({"tool": "search_files", "args": {"pattern": "x"}}), "allow", "reading"),
            (json!({"tool": "write_file", "args": {"path": "tools/x.ts"}}), "ask", "default"),
            (json!({"tool": "write_file", "args": {"path": "tools/reports/x.ts"}}), "allow", "reports"),
            (json!({"tool": "write_file", "args": {"path": "./tools//reports/./x.ts"}}), "allow", "reports"),
            (json!({"tool": "write_file", "args": {"path": "tools/reports"}}), "ask", "default"),
            (json!({"tool": "write_file", "args": {"path": "tools/reportsx/y.ts"}}), "ask", "default"),
            (json!({"tool": "write_file", "args": {"path": "tools/../tools/reports/x.ts"}}), "ask", "default"),
            (json!({"tool": "write_file", "args": {}}), "ask", "default"),
            (json!({"tool": "patch_file", "args": {"path": "tools/reports/a/b.ts"}}), "allow", "reports"),
            (json!({"tool": "delete_file", "args": {"path": "tools/reports/x.ts"}}), "ask", "default"),
            (json!({"tool": "exec_tool", "args": {"path": "tools/payments/charge.ts"}}), "deny", "no-payments"),
            (json!({"tool": "exec_tool", "args": {"path": "tools/payments.ts"}}), "ask", "default"),
            (json!({"tool": "run_code", "args": {"code": "1"}}), "ask", "default"),
            (json!({"tool": "fetch", "args": {"url": "https://api.stripe.com/v1"}}), "allow", "stripe"),
            (json!({"tool": "fetch", "args": {"url": "https://API.STRIPE.COM./v1"}}), "allow", "stripe"),
            (json!({"tool": "fetch", "args": {"url": "https://api.stripe.com", "method": "get"}}), "allow", "stripe"),
            (json!({"tool": "fetch", "args": {"url": "https://api.stripe.com", "method": "POST"}}), "ask", "default"),
            (json!({"tool": "fetch", "args": {"url": "https://stripe.com"}}), "ask", "default"),
            (json!({"tool": "fetch", "args": {"url": "https://api.stripe.com.evil.org"}}), "ask", "default"),
            (json!({"tool": "fetch", "args": {"url": "no url"}}), "ask", "default"),
            (json!({"tool": "exec_sql", "args": {"sql": "update orders set x = 1"}}), "ask", "orders"),
            (json!({"tool": "exec_sql", "args": {"sql": "select * from orders"}}), "ask", "default"),
            (json!({"tool": "send_mail", "args": {}}), "ask", "default"),
            (json!({"tool": "shell", "args": {"command": "ls"}}), "ask", "default"),
            (json!({"tool": "ping"}), "ask", "default"),
        ],
    );
}

#[test]
fn built_in_policies_give_their_verdicts() {
    let tools = super::world::tools();
    let (allow, safe) = (Policy::allow(&tools), Policy::safe(&tools));
    for (json, with_safe) in [
        (json!({"tool": "read_file", "args": {"path": "a.ts"}}), "allow"),
        (json!({"tool": "list_files", "args": {"dir": ""}}), "allow"),
        (json!({"tool": "write_file", "args": {"path": "a.ts"}}), "ask"),
        (json!({"tool": "exec_tool", "args": {"path": "a.ts"}}), "ask"),
        (json!({"tool": "exec_sql", "args": {"sql": "select 1"}}), "allow"),
        (json!({"tool": "exec_sql", "args": {"sql": "delete from orders"}}), "ask"),
        (json!({"tool": "exec_sql", "args": {"sql": "what"}}), "ask"),
        (json!({"tool": "fetch", "args": {"url": "https://a.example"}}), "ask"),
        (json!({"tool": "send_mail"}), "ask"),
        (json!({"tool": "shell", "args": {"command": "ls"}}), "ask"),
        (json!({"tool": "ping"}), "ask"),
    ] {
        let call = call(json.clone());
        assert_eq!(allow.judge(&call).decision.as_str(), "allow", "{json}");
        assert_eq!(safe.judge(&call).decision.as_str(), with_safe, "{json}");
    }
    assert_ne!(allow.version(), safe.version());
}

#[test]
fn the_strictest_rule_wins_whatever_its_place_or_precision() {
    check(
        r#"
default: allow
rules:
  - { id: one-file, allow: [write_file], paths: ["tools/payments/safe.ts"] }
  - { id: folder, ask: [write], paths: ["tools/**"] }
  - { id: payments, deny: [write], paths: ["tools/payments/**"] }
  - { id: tests, allow: [write], paths: ["**/*.test.ts"] }
  - { id: payments-too, deny: [write_file], paths: ["tools/payments/*"] }
"#,
        &[
            (json!({"tool": "write_file", "args": {"path": "tools/payments/safe.ts"}}), "deny", "payments"),
            (json!({"tool": "write_file", "args": {"path": "tools/a.ts"}}), "ask", "folder"),
            (json!({"tool": "write_file", "args": {"path": "tools/a.test.ts"}}), "ask", "folder"),
            (json!({"tool": "write_file", "args": {"path": "lib/a.test.ts"}}), "allow", "tests"),
            (json!({"tool": "write_file", "args": {"path": "lib/a.ts"}}), "allow", "default"),
            (json!({"tool": "patch_file", "args": {"path": "tools/payments/x.ts"}}), "deny", "payments"),
            (json!({"tool": "read_file", "args": {"path": "tools/payments/x.ts"}}), "allow", "default"),
            (
                json!({"tool": "move_file", "args": {"from": "lib/a.ts", "to": "tools/payments/a.ts"}}),
                "deny",
                "payments",
            ),
            (
                json!({"tool": "move_file", "args": {"from": "tools/payments/a.ts", "to": "lib/a.ts"}}),
                "deny",
                "payments",
            ),
            (json!({"tool": "move_file", "args": {"from": "lib/a.ts", "to": "tools/b.ts"}}), "ask", "folder"),
            (json!({"tool": "move_file", "args": {"from": "lib/a.ts", "to": "lib/b.ts"}}), "allow", "default"),
        ],
    );
}

#[test]
fn an_allowing_rule_must_cover_every_value_and_effect() {
    check(
        r#"
default: deny
rules:
  - { id: reports, allow: [write], paths: ["reports/**"] }
  - { id: drafts, ask: [write], paths: ["drafts/**"] }
  - { id: api, allow: [net], hosts: ["*.example.com", "localhost:8080"] }
  - { id: cdn, ask: [net], hosts: ["cdn.example.com"] }
  - { id: pinging, allow: [ping] }
"#,
        &[
            (json!({"tool": "move_file", "args": {"from": "reports/a", "to": "reports/b"}}), "allow", "reports"),
            (json!({"tool": "move_file", "args": {"from": "reports/a", "to": "b"}}), "deny", "default"),
            (json!({"tool": "move_file", "args": {"from": "drafts/a", "to": "drafts/b"}}), "ask", "drafts"),
            // The rule that asks touches the call without covering it, so the default takes part.
            (json!({"tool": "move_file", "args": {"from": "drafts/a", "to": "b"}}), "deny", "default"),
            (json!({"tool": "move_file", "args": {"from": "drafts/a", "to": "reports/b"}}), "deny", "default"),
            (json!({"tool": "fetch", "args": {"url": "https://a.example.com"}}), "allow", "api"),
            (json!({"tool": "fetch", "args": {"url": "https://example.com"}}), "deny", "default"),
            (json!({"tool": "fetch", "args": {"url": "https://cdn.example.com"}}), "ask", "cdn"),
            (json!({"tool": "fetch", "args": {"url": "http://localhost:8080"}}), "allow", "api"),
            (json!({"tool": "fetch", "args": {"url": "http://localhost:8081"}}), "deny", "default"),
            (json!({"tool": "fetch", "args": {"url": "http://127.0.0.1:8080"}}), "deny", "default"),
            (json!({"tool": "fetch"}), "deny", "default"),
            (
                json!({"tool": "download", "args": {"url": "https://a.example.com", "path": "reports/a"}}),
                "allow",
                "reports",
            ),
            (json!({"tool": "download", "args": {"url": "https://a.example.com", "path": "x"}}), "deny", "default"),
            (json!({"tool": "download", "args": {"url": "https://b.org", "path": "reports/a"}}), "deny", "default"),
            (
                json!({"tool": "download", "args": {"url": "https://cdn.example.com", "path": "reports/a"}}),
                "ask",
                "cdn",
            ),
            (json!({"tool": "download", "args": {"url": "https://b.org", "path": "drafts/a"}}), "deny", "default"),
            (json!({"tool": "write_file", "args": {"path": "../x"}}), "deny", "default"),
            (json!({"tool": "ping"}), "allow", "pinging"),
            (json!({"tool": "shell", "args": {"command": "reports/a"}}), "deny", "default"),
        ],
    );
}
