//! Table of calls, policies and verdicts: statements, arguments, principals, modes, unknown values.

use super::table_of_calls::check;
use super::world::{call, effects, policy};
use crate::{CallFacts, Decision, Fact};
use serde_json::json;
use tgp_base::effect::Effect;

#[test]
fn rules_match_sql_statements() {
    check(
        r#"
default: ask
rules:
  - { id: looking, allow: [sql], verbs: [select, show] }
  - { id: own-table, allow: [sql], verbs: [insert, update, replace], tables: [notes, app.logs] }
  - { id: no-delete, deny: [sql], verbs: [delete] }
  - { id: secrets, deny: [sql], tables: [secrets, hr.salaries] }
"#,
        &[
            (json!({"tool": "exec_sql", "args": {"sql": "select * from orders"}}), "allow", "looking"),
            (json!({"tool": "exec_sql", "args": {"sql": "SELECT * from orders"}}), "allow", "looking"),
            (json!({"tool": "exec_sql", "args": {"sql": "select 1"}}), "allow", "looking"),
            (json!({"tool": "exec_sql", "args": {"sql": "select * from secrets"}}), "deny", "secrets"),
            (json!({"tool": "exec_sql", "args": {"sql": "select * from SECRETS"}}), "deny", "secrets"),
            (json!({"tool": "exec_sql", "args": {"sql": "select * from public.secrets"}}), "deny", "secrets"),
            (json!({"tool": "exec_sql", "args": {"sql": "select * from other.secrets"}}), "deny", "secrets"),
            (json!({"tool": "exec_sql", "args": {"sql": "select * from a join secrets"}}), "deny", "secrets"),
            (json!({"tool": "exec_sql", "args": {"sql": "select * from salaries"}}), "deny", "secrets"),
            (json!({"tool": "exec_sql", "args": {"sql": "select * from shop.salaries"}}), "allow", "looking"),
            (json!({"tool": "exec_sql", "args": {"sql": "insert into notes"}}), "allow", "own-table"),
            (json!({"tool": "exec_sql", "args": {"sql": "insert into public.notes"}}), "allow", "own-table"),
            (json!({"tool": "exec_sql", "args": {"sql": "insert into other.notes"}}), "ask", "default"),
            (json!({"tool": "exec_sql", "args": {"sql": "insert into app.logs"}}), "allow", "own-table"),
            (json!({"tool": "exec_sql", "args": {"sql": "insert into logs"}}), "ask", "default"),
            (json!({"tool": "exec_sql", "args": {"sql": "insert into orders"}}), "ask", "default"),
            (json!({"tool": "exec_sql", "args": {"sql": "update notes join orders"}}), "ask", "default"),
            (json!({"tool": "exec_sql", "args": {"sql": "delete from notes"}}), "deny", "no-delete"),
            // Other statements that remove rows.
            (json!({"tool": "exec_sql", "args": {"sql": "replace into notes"}}), "deny", "no-delete"),
            (json!({"tool": "exec_sql", "args": {"sql": "truncate table notes"}}), "deny", "no-delete"),
            (json!({"tool": "exec_sql", "args": {"sql": "drop table notes"}}), "deny", "no-delete"),
            (json!({"tool": "exec_sql", "args": {"sql": "merge into notes"}}), "deny", "no-delete"),
            (json!({"tool": "exec_sql", "args": {"sql": "alter table notes"}}), "ask", "default"),
            // Unparsable values.
            (json!({"tool": "exec_sql", "args": {"sql": "?? what"}}), "deny", "no-delete"),
            (json!({"tool": "exec_sql", "args": {}}), "deny", "no-delete"),
            (json!({"tool": "exec_sql", "verbs": ["select"], "tables": ["orders"]}), "allow", "looking"),
            (json!({"tool": "exec_sql", "verbs": ["select", "insert"], "tables": ["notes"]}), "ask", "default"),
            (json!({"tool": "exec_sql", "verbs": ["select", "delete"], "tables": ["x"]}), "deny", "no-delete"),
            // Other tools have no tables.
            (json!({"tool": "read_file", "args": {"path": "secrets"}}), "ask", "default"),
        ],
    );
}

#[test]
fn rules_about_a_reader_apply_to_tools_that_quote_what_it_returns() {
    check(
        r#"
default: ask
rules:
  - { id: reading, allow: [read] }
  - { id: secret, deny: [read_file] }
tests:
  - { call: { tool: search_files, args: { pattern: x } }, expect: deny }
"#,
        &[
            (json!({"tool": "search_files", "args": {"pattern": "x"}}), "deny", "secret"),
            (json!({"tool": "list_files", "args": {"dir": "tools"}}), "allow", "reading"),
        ],
    );
    // The default is about calls, not about what they quote.
    check(
        "default: deny\nrules: [{ id: search, allow: [search_files] }]",
        &[(json!({"tool": "search_files", "args": {"pattern": "x"}}), "allow", "search")],
    );
}

#[test]
fn rules_match_lists_of_changes() {
    let of = |changes: serde_json::Value| json!({"tool": "apply_changes", "args": {"changes": changes}});
    check(
        r#"
default: ask
rules:
  - { id: docs, allow: [apply_changes], paths: ["docs/**"] }
  - { id: locked, deny: [apply_changes], paths: ["src/**"] }
"#,
        &[
            (of(json!([{"path": "docs/a.md"}, {"path": "./docs/b.md"}])), "allow", "docs"),
            (of(json!([{"path": "docs/a.md"}, {"path": "b.md"}])), "ask", "default"),
            (of(json!([{"path": "docs/a.md"}, {"path": "src/b.ts"}])), "deny", "locked"),
            (of(json!([{"path": "docs//../src/b.ts"}])), "deny", "locked"),
            // Unparsable values.
            (of(json!([{"path": "docs/a.md"}, {}])), "deny", "locked"),
            (of(json!("docs/a.md")), "deny", "locked"),
            (json!({"tool": "apply_changes", "args": {}}), "deny", "locked"),
        ],
    );
}

#[test]
fn rules_match_arguments() {
    check(
        r#"
default: ask
rules:
  - { id: few, allow: [search_files], args: { /limit: [1, 5, 10.0], /pattern: { glob: "TOTAL*" } } }
  - { id: mail-us, allow: [send_mail], args: { /to: { glob: "*@example.com" }, /kind: { oneOf: [note, null] } } }
  - { id: no-bcc, deny: [send_mail], args: { /headers/bcc/0: boss@example.com } }
  - { id: exact, allow: [exec_sql], args: { /sql: "select 1", /params: { equals: [1, { a: b }] } } }
  - { id: dry, allow: [exec_tool], args: { /args/dry: true } }
"#,
        &[
            (json!({"tool": "search_files", "args": {"limit": 5, "pattern": "TOTALS"}}), "allow", "few"),
            (json!({"tool": "search_files", "args": {"limit": 5.0, "pattern": "TOTALS"}}), "allow", "few"),
            (json!({"tool": "search_files", "args": {"limit": 10, "pattern": "TOTAL"}}), "allow", "few"),
            (json!({"tool": "search_files", "args": {"limit": "5", "pattern": "TOTALS"}}), "ask", "default"),
            (json!({"tool": "search_files", "args": {"limit": 6, "pattern": "TOTALS"}}), "ask", "default"),
            (json!({"tool": "search_files", "args": {"limit": 5, "pattern": "x TOTALS"}}), "ask", "default"),
            (json!({"tool": "search_files", "args": {"pattern": "TOTALS"}}), "ask", "default"),
            (json!({"tool": "search_files", "args": {"limit": 5, "pattern": 7}}), "ask", "default"),
            (json!({"tool": "send_mail", "args": {"to": "a@example.com", "kind": "note"}}), "allow", "mail-us"),
            (json!({"tool": "send_mail", "args": {"to": "a@example.com", "kind": null}}), "allow", "mail-us"),
            (json!({"tool": "send_mail", "args": {"to": "a@example.com"}}), "ask", "default"),
            (json!({"tool": "send_mail", "args": {"to": "a@example.org", "kind": "note"}}), "ask", "default"),
            (
                json!({"tool": "send_mail", "args": {"to": "a@example.com", "kind": "note", "headers": {"bcc": ["boss@example.com"]}}}),
                "deny",
                "no-bcc",
            ),
            (json!({"tool": "send_mail", "args": {"headers": {"bcc": ["x"]}}}), "ask", "default"),
            (json!({"tool": "exec_sql", "args": {"sql": "select 1", "params": [1, {"a": "b"}]}}), "allow", "exact"),
            (json!({"tool": "exec_sql", "args": {"sql": "select 1", "params": [1, {"a": "c"}]}}), "ask", "default"),
            (json!({"tool": "exec_sql", "args": {"sql": "select 1", "params": [1]}}), "ask", "default"),
            (json!({"tool": "exec_tool", "args": {"path": "a.ts", "args": {"dry": true}}}), "allow", "dry"),
            (json!({"tool": "exec_tool", "args": {"path": "a.ts", "args": {"dry": "true"}}}), "ask", "default"),
            (json!({"tool": "exec_tool", "args": {"path": "a.ts"}}), "ask", "default"),
        ],
    );
}

#[test]
fn rules_match_principals_and_modes() {
    check(
        r#"
default: ask
rules:
  - { id: nightly, allow: [run], principal: ["session:nightly-*", "agent:cleaner"] }
  - { id: intern, deny: [run, write], principal: "agent:intern" }
  - { id: strict, deny: [run_code], mode: [strict, debug], reason: "Forge a tool instead." }
  - { id: everyone, deny: "*", principal: ["token:0123"] }
"#,
        &[
            (json!({"tool": "exec_tool", "args": {"path": "a"}}), "ask", "default"),
            (
                json!({"tool": "exec_tool", "args": {"path": "a"}, "principal": {"session": "nightly-7"}}),
                "allow",
                "nightly",
            ),
            (json!({"tool": "exec_tool", "args": {"path": "a"}, "principal": {"session": "daily"}}), "ask", "default"),
            (
                json!({"tool": "exec_tool", "args": {"path": "a"}, "principal": {"agent": "cleaner"}}),
                "allow",
                "nightly",
            ),
            (json!({"tool": "exec_tool", "args": {"path": "a"}, "principal": {"agent": "cleaner2"}}), "ask", "default"),
            (
                json!({"tool": "exec_tool", "args": {"path": "a"}, "principal": {"session": "nightly-7", "agent": "intern"}}),
                "deny",
                "intern",
            ),
            (json!({"tool": "read_file", "args": {"path": "a"}, "principal": {"agent": "intern"}}), "ask", "default"),
            (json!({"tool": "run_code", "args": {"code": "1"}}), "ask", "default"),
            (json!({"tool": "run_code", "args": {"code": "1"}, "mode": "strict"}), "deny", "strict"),
            (json!({"tool": "run_code", "args": {"code": "1"}, "mode": "debug"}), "deny", "strict"),
            (json!({"tool": "exec_tool", "args": {"path": "a"}, "mode": "strict"}), "ask", "default"),
            (json!({"tool": "ping", "principal": {"token": "0123"}}), "deny", "everyone"),
            (json!({"tool": "read_file", "args": {"path": "a"}, "principal": {"token": "0123"}}), "deny", "everyone"),
            (json!({"tool": "ping", "principal": {"token": "01234"}}), "ask", "default"),
        ],
    );
}

#[test]
fn unknown_values_are_never_allowed_by_a_condition_and_may_be_denied() {
    let yaml = |decision: &str, default: &str| {
        format!(
            r#"
default: {default}
rules:
  - {{ id: files, {decision}: [read, write, run], paths: ["a/**"] }}
  - {{ id: requests, {decision}: [net], hosts: [a.example] }}
  - {{ id: methods, {decision}: [net], methods: [POST] }}
  - {{ id: tables, {decision}: [sql], tables: [a] }}
  - {{ id: mail, {decision}: [app], args: {{ /to: a }} }}
"#
        )
    };
    let known =
        |effect: Effect| CallFacts { tool: "send_mail".into(), effects: effects(&[effect]), ..CallFacts::default() };
    let unknown = [
        CallFacts { paths: Fact::Unknown, ..known(Effect::Read) },
        CallFacts { paths: Fact::Unknown, ..known(Effect::Run) },
        known(Effect::Write),
        known(Effect::Net),
        CallFacts { host: Fact::Unknown, method: Fact::Known("GET".into()), ..known(Effect::Net) },
        known(Effect::Sql),
        CallFacts { tables: Fact::Unknown, ..known(Effect::Sql) },
        CallFacts { args: Fact::Unknown, ..known(Effect::App) },
    ];
    for call in &unknown {
        assert_eq!(policy(&yaml("allow", "ask")).decide(call), Decision::Ask, "{call:?}");
        assert_eq!(policy(&yaml("ask", "allow")).decide(call), Decision::Ask, "{call:?}");
        assert_eq!(policy(&yaml("deny", "allow")).decide(call), Decision::Deny, "{call:?}");
        // A rule with `ask` does not make a verdict milder than the default.
        assert_eq!(policy(&yaml("ask", "deny")).decide(call), Decision::Deny, "{call:?}");
    }
    // A missing value is not an unknown one: a condition on it does not apply to the call.
    let nothing = [
        known(Effect::Read),
        known(Effect::Run),
        known(Effect::App),
        known(Effect::Shell),
        CallFacts { tables: Fact::Known(Vec::new()), ..known(Effect::Sql) },
        CallFacts { paths: Fact::Known(Vec::new()), ..known(Effect::Write) },
        CallFacts { args: Fact::Known(json!({}).into()), ..known(Effect::App) },
    ];
    for call in &nothing {
        for (decision, default, expected) in [
            ("allow", "ask", Decision::Ask),
            ("ask", "allow", Decision::Allow),
            ("deny", "allow", Decision::Allow),
            ("deny", "ask", Decision::Ask),
        ] {
            assert_eq!(policy(&yaml(decision, default)).decide(call), expected, "{call:?}");
        }
    }
}

#[test]
fn a_recorded_call_round_trips() {
    let json = json!({"tool": "download", "args": {"url": "https://A.example:444", "path": "x/./y"}, "mode": "strict"});
    let call = call(json);
    let text = serde_json::to_string(&call).unwrap();
    assert_eq!(serde_json::from_str::<CallFacts>(&text).unwrap(), call);
    assert!(text.contains(r#""host":{"known":{"host":"a.example","port":444}}"#), "{text}");
}

#[test]
fn a_rule_can_match_one_text_or_one_call() {
    let (text, other) = ("a".repeat(64), "b".repeat(64));
    let long = json!({ "b": [1, "x"], "a": "y".repeat(1000) });
    let hash = crate::value_hash(&long);
    let rules = policy(&format!(
        r#"
default: ask
rules:
  - {{"id":"text","allow":["exec_tool"],"text":["{text}"],"args":{{"/args":{{"equals":{{"n":1}}}}}}}}
  - {{"id":"mail","allow":["send_mail"],"args":{{"/to":"ann","/copy":{{"absent":true}},"/body":{{"sha256":"{hash}"}}}}}}
"#
    ));
    for (value, expected) in [
        (json!({ "tool": "exec_tool", "text": text, "args": { "args": { "n": 1 } } }), Decision::Allow),
        (json!({ "tool": "exec_tool", "text": other, "args": { "args": { "n": 1 } } }), Decision::Ask),
        (json!({ "tool": "exec_tool", "args": { "args": { "n": 1 } } }), Decision::Ask),
        (json!({ "tool": "exec_tool", "text": text, "args": { "args": { "n": 1, "m": 2 } } }), Decision::Ask),
        (json!({ "tool": "send_mail", "args": { "to": "ann", "body": long } }), Decision::Allow),
        (json!({ "tool": "send_mail", "args": { "to": "ann", "body": long, "copy": null } }), Decision::Ask),
        (json!({ "tool": "send_mail", "args": { "to": "ann", "body": "other" } }), Decision::Ask),
        (json!({ "tool": "send_mail", "args": { "to": "ann" } }), Decision::Ask),
    ] {
        assert_eq!(rules.decide(&call(value.clone())), expected, "{value}");
    }
}
