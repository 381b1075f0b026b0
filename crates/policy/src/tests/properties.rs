//! Properties of random policies and calls.

use super::world::{Dice, call, effects, policy};
use crate::matching::matchers::IndexedCall;
use crate::{CallFacts, Decision, Fact};
use serde_json::json;
use tgp_base::effect::Effect;
use tgp_base::mode::Mode;

fn rule(dice: &mut Dice, number: usize, decision: &str) -> String {
    let (about, condition) = *dice.pick(&[
        ("[read, write]", ""),
        ("[write]", "paths: ['a/**']"),
        ("[write_file, exec_tool]", "paths: ['a/b', 'b/*']"),
        ("[read, write, run]", "paths: ['**/c']"),
        ("[net]", "hosts: ['*.example.com'], methods: [GET]"),
        ("[net, write]", "hosts: [b.org]"),
        ("[net]", ""),
        ("[sql]", "verbs: [select, insert]"),
        ("[sql]", "tables: [orders, shop.items]"),
        ("'*'", "principal: 'agent:a*'"),
        ("'*'", "mode: strict"),
        ("[download]", ""),
        ("[ping]", ""),
        ("[send_mail, write]", "paths: ['a/**']"),
    ]);
    let comma = if condition.is_empty() { "" } else { ", " };
    format!("  - {{ id: r{number}, {decision}: {about}{comma}{condition} }}\n")
}

fn rules(dice: &mut Dice) -> Vec<String> {
    let count = dice.roll(8);
    (0..count)
        .map(|number| {
            let decision = *dice.pick(&["allow", "allow", "ask", "deny"]);
            rule(dice, number, decision)
        })
        .collect()
}

fn file(default: &str, rules: &[String]) -> String {
    format!("default: {default}\nrules:{}\n{}", if rules.is_empty() { " []" } else { "" }, rules.concat())
}

fn any_call(dice: &mut Dice) -> CallFacts {
    let path = *dice.pick(&["a/b", "b/x", "a/x/c", "c", "z"]);
    let url = *dice.pick(&["https://a.example.com", "https://b.org", "none"]);
    let mut found = call(match dice.roll(8) {
        0 => json!({"tool": "read_file", "args": {"path": path}}),
        1 => json!({"tool": "write_file", "args": {"path": path}}),
        2 => json!({"tool": "move_file", "args": {"from": path, "to": *dice.pick(&["a/b", "z"])}}),
        3 => json!({"tool": "fetch", "args": {"url": url, "method": *dice.pick(&["GET", "POST"])}}),
        4 => json!({"tool": "download", "args": {"url": url, "path": path}}),
        5 => {
            json!({"tool": "exec_sql", "args": {"sql": *dice.pick(&["select from orders", "drop table items", "??"])}})
        }
        6 => json!({"tool": "ping"}),
        _ => json!({"tool": "send_mail"}),
    });
    found.mode = *dice.pick(&Mode::ALL);
    found.principal = dice.pick(&[Fact::Nothing, Fact::Known("abc".to_owned())]).clone();
    match dice.roll(10) {
        0 => found.paths = Fact::Unknown,
        1 => found.paths = Fact::Nothing,
        2 => found.effects = effects(&[Effect::Write, Effect::Net, Effect::Sql]),
        _ => {}
    }
    found
}

#[test]
fn verdicts_are_monotonic_and_independent_of_rule_order() {
    let mut dice = Dice(0xB0B);
    let mut seen = [0_usize; 3];
    for _ in 0..250 {
        let rules = rules(&mut dice);
        let default = *dice.pick(&["allow", "ask", "deny"]);
        let one = policy(&file(default, &rules));
        let turned: Vec<String> = rules.iter().rev().cloned().collect();
        let turned = policy(&file(default, &turned));
        let denying = [rules.clone(), vec![rule(&mut dice, 99, "deny")]].concat();
        let denying = policy(&file(default, &denying));
        let stricter_default = policy(&file("deny", &rules));
        for _ in 0..20 {
            let call = any_call(&mut dice);
            let verdict = one.judge(&call);
            seen[verdict.decision as usize] += 1;
            // The index omits no applicable rule.
            let judged = IndexedCall::new(&call, &one.globs);
            assert_eq!(one.outcome(&call), one.outcome_among(0..one.rules.len(), &judged), "{call:?}");
            assert_eq!(turned.decide(&call), verdict.decision, "the order of rules does not matter: {call:?}");
            assert!(denying.decide(&call) >= verdict.decision, "an added denial makes nothing milder: {call:?}");
            assert!(stricter_default.decide(&call) >= verdict.decision, "nor does a stricter default: {call:?}");
            assert!(verdict.nearest.is_none() || verdict.decision != Decision::Allow);
        }
    }
    assert!(seen.iter().all(|count| *count > 200), "all verdicts must occur: {seen:?}");
}
