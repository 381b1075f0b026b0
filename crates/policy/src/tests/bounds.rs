//! Hostile files: limits of bytes, depth, rules, globs and time.

use super::world::{Dice, load, tools};
use crate::Policy;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Enough for an unoptimised build on a busy machine.
const TIME_LIMIT: Duration = Duration::from_secs(60);

fn refused(yaml: &str, words: &str) {
    let started = Instant::now();
    let error = load(yaml).unwrap_err().to_string();
    assert!(error.contains(words) && error.len() < 600, "{error}");
    assert!(started.elapsed() < TIME_LIMIT, "{words} took {:?}", started.elapsed());
}

#[test]
fn oversized_files_are_refused_quickly() {
    refused(&"#".repeat((1 << 20) + 1), "longer than 1 MiB");
    refused(&format!("rules: {}", "[".repeat(500_000)), "");
    refused(&format!("rules: {}", "{a: ".repeat(200_000)), "");
    refused(&"- ".repeat(500_000), "");
    refused(&format!("default: {}", "x".repeat(1_000_000)), "not 'xxx");
    refused(&format!("rules: [{}]", "a,".repeat(450_000)), "has more than 400000 values");
    let rules: String = (0..10_001).fold(String::from("rules:\n"), |mut text, number| {
        writeln!(text, "- {{id: a{number}, allow: read}}").unwrap();
        text
    });
    refused(&rules, "'rules' has 10001 entries; 10000 is the most");
    let entries = "a,".repeat(1_001);
    refused(&format!("rules: [{{id: a, allow: write, paths: [{entries}]}}]"), "1001 entries; 1000 is the most");
    let long = "a".repeat(513);
    refused(&format!("rules: [{{id: a, allow: write, paths: ['{long}']}}]"), "is longer than 512 bytes");
    let braces = "{a,b}".repeat(9);
    refused(&format!("rules: [{{id: a, allow: write, paths: ['{braces}']}}]"), "has more than 8 braces");
    let tests = "{call: {tool: ping}, expect: ask},".repeat(1_001);
    refused(&format!("tests: [{tests}]"), "'tests' has 1001 entries; 1000 is the most");
}

#[test]
fn expensive_globs_are_limited_together() {
    let mut dice = Dice(7);
    let mut yaml = String::from("rules:\n");
    for number in 0..4_000 {
        let word: String = (0..12).map(|_| char::from(b'a' + u8::try_from(dice.roll(26)).unwrap())).collect();
        writeln!(yaml, "- {{id: r{number}, allow: write, paths: ['**/{word}*/[!a-f]*{{x,y}}?z']}}").unwrap();
    }
    refused(&yaml, "KiB together");
}

#[test]
fn ten_thousand_rules_load() {
    let mut yaml = String::from("default: ask\nrules:\n");
    for number in 0..10_000 {
        writeln!(yaml, "- {{id: r{number}, allow: write, paths: ['tools/team{number}/**']}}").unwrap();
    }
    let started = Instant::now();
    assert_eq!(load(&yaml).unwrap().rule_count(), 10_000);
    assert!(started.elapsed() < TIME_LIMIT, "{:?}", started.elapsed());
}

#[test]
fn broken_files_are_refused_and_break_nothing() {
    let whole = "version: 1\ndefault: ask # why\nrules:\n  - { id: a, allow: [read, 'net'], hosts: [\"*.x.example\"] }\n  - id: b\n    deny: >-\n      run\n    reason: |\n      because\n    paths:\n      - tools/**\ntests:\n  - call: { tool: ping, args: { a: 1.5e3, b: ~ } }\n    expect: ask\n";
    let bytes = whole.as_bytes();
    let odd = b"&*!|>%@`{}[],:#?-'\"\t\n\\ \x00\x7f\xc3\xa9~<";
    let tools = tools();
    let mut dice = Dice(0x5eed);
    for _ in 0..5_000 {
        let mut bytes = bytes.to_vec();
        for _ in 0..=dice.roll(4) {
            let at = dice.roll(bytes.len());
            match dice.roll(4) {
                0 => bytes[at] = *dice.pick(odd),
                1 => bytes.insert(at, *dice.pick(odd)),
                2 if bytes.len() > 1 => drop(bytes.remove(at)),
                _ => bytes.truncate(at.max(1)),
            }
        }
        // It may still be a policy; it must not end the thread.
        let _loaded = Policy::from_yaml(&bytes, "p.yaml", &tools);
    }
}
