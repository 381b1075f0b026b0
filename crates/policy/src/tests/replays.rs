//! Replays with two policies, and the version of a policy.

use super::world::{call, policy};
use crate::{CallFacts, replay};
use serde_json::json;

#[test]
fn replay_compares_two_policies() {
    let before = policy("default: ask\nrules: [{ id: reading, allow: read }]");
    let after = policy("default: ask\nrules: [{ id: runs, allow: run }, { id: secret, deny: read, paths: ['s/**'] }]");
    let calls: Vec<CallFacts> = [
        json!({"tool": "read_file", "args": {"path": "s/a"}}),
        json!({"tool": "exec_tool", "args": {"path": "a"}}),
        json!({"tool": "write_file", "args": {"path": "a"}}),
        json!({"tool": "read_file", "args": {"path": "a"}}),
    ]
    .into_iter()
    .map(call)
    .collect();
    let found = replay(&before, &after, &calls);
    assert_eq!((found.judged, found.stricter, found.milder), (4, 2, 1));
    let changes: Vec<_> = found
        .changes
        .iter()
        .map(|change| {
            (change.call, change.before.decision.as_str(), change.after.decision.as_str(), &*change.after.rule)
        })
        .collect();
    assert_eq!(changes, [(0, "allow", "deny", "secret"), (1, "ask", "allow", "runs"), (3, "allow", "ask", "default")]);
    assert_eq!(replay(&before, &before, &calls).changes, []);
}

#[test]
fn a_long_replay_counts_all_changes_and_lists_some() {
    let (before, after) = (policy("default: allow"), policy("default: deny"));
    let one = call(json!({"tool": "ping"}));
    let found = replay(&before, &after, std::iter::repeat_n(&one, 5_000));
    assert_eq!((found.judged, found.stricter, found.changes.len()), (5_000, 5_000, 1_000));
}

#[test]
fn the_version_depends_on_the_meaning_only() {
    let base =
        "default: ask\nrules:\n  - { id: a, allow: [read, write], paths: [x/**, y/**], args: { /why: [p, q] } }\n";
    let version = policy(base).version().to_owned();
    assert_eq!(version.len(), 64);
    for same in [
        format!("# a comment\nversion: 1\n{base}"),
        base.replace("[read, write]", "[write, read]"),
        base.replace("[x/**, y/**]", "[y/**, x/**, y/**]"),
        base.replace("[p, q]", "{ oneOf: [q, p] }"),
        format!("{base}tests:\n  - {{ call: {{ tool: read_file }}, expect: ask }}\n"),
    ] {
        assert_eq!(policy(&same).version(), version, "{same}");
    }
    for other in [
        base.replace("ask", "deny"),
        base.replace("allow", "deny"),
        base.replace("id: a", "id: b"),
        base.replace("y/**", "z/**"),
        base.replace("[read, write]", "[write]"),
        base.replace("[p, q]", "[p]"),
        base.replace("allow:", "reason: because, allow:"),
    ] {
        assert_ne!(policy(&other).version(), version, "{other}");
    }
}
