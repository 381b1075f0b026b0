//! The canonical text of a policy's rules, and its hash: the version of the policy.

use super::assertion::{Assertion, ReviewRule};
use super::canonical_json::{canonical_json, hex};
use super::matching::arg_matcher::ArgTest;
use super::matching::matchers::Matchers;
use super::matching::path_set::PathSet;
use super::rule::Rule;
use super::verdict::Decision;
use ring::digest::{SHA256, digest};
use serde_json::Value;
use tgp_base::mode::Mode;
use tgp_base::table_name::TableName;

pub(super) fn version_of(
    default: Decision,
    rules: &[Rule],
    globs: &PathSet,
    (invariants, reviews): (&[Assertion], &[ReviewRule]),
) -> String {
    let mut text = String::from("tgp-policy-1\n");
    line(&mut text, "default", &[default.as_str()]);
    for rule in rules {
        line(&mut text, "rule", &[&rule.id, rule.decision.as_str(), &rule.reason]);
        line(&mut text, "about", &rule.targets.words());
        write_matchers(&mut text, &rule.matchers, globs);
    }
    for invariant in invariants {
        write_assertion(&mut text, "invariant", invariant);
    }
    for ReviewRule { steps, assertion } in reviews {
        write_assertion(&mut text, "review", assertion);
        line(&mut text, "steps", steps);
    }
    hex(digest(&SHA256, text.as_bytes()).as_ref())
}

fn write_matchers(text: &mut String, matchers: &Matchers, globs: &PathSet) {
    let Matchers { paths, hosts, methods, verbs, tables, text: texts, args, principal, modes } = matchers;
    sorted(text, "paths", paths, |id| globs.text(*id).to_owned());
    sorted(text, "hosts", hosts, ToString::to_string);
    sorted(text, "methods", methods, |method| (*method).to_owned());
    sorted(text, "tables", tables, |table: &TableName| table.as_str().to_owned());
    sorted(text, "text", texts, Clone::clone);
    sorted(text, "principal", principal, ToString::to_string);
    sorted(text, "mode", modes, |mode: &Mode| mode.as_str().to_owned());
    if let Some(verbs) = verbs {
        line(text, "verbs", &verbs.words());
    }
    let mut args: Vec<_> = args.iter().collect();
    args.sort_by(|one, other| one.pointer.cmp(&other.pointer));
    for arg in args {
        match &arg.test {
            ArgTest::Glob { text: glob, .. } => line(text, "glob", &[&arg.pointer, glob]),
            ArgTest::Absent => line(text, "absent", &[&arg.pointer]),
            ArgTest::Hash(hash) => line(text, "sha256", &[&arg.pointer, hash]),
            ArgTest::OneOf(values) => {
                let mut values: Vec<String> = values.iter().map(canonical_json).collect();
                values.sort_unstable();
                line(text, "one of", &[&arg.pointer]);
                values.iter().for_each(|value| line(text, "value", &[value]));
            }
        }
    }
}

fn write_assertion(text: &mut String, key: &str, assertion: &Assertion) {
    let Assertion { id, cypher, params, expect, reason, at: _ } = assertion;
    let params = canonical_json(&Value::Object(params.clone()));
    line(text, key, &[&**id, expect.as_str(), &**reason, &**cypher, &*params]);
}

fn sorted<T>(text: &mut String, key: &str, values: &Option<Vec<T>>, word: impl Fn(&T) -> String) {
    let Some(values) = values else { return };
    let mut words: Vec<String> = values.iter().map(word).collect();
    words.sort_unstable();
    words.dedup();
    line(text, key, &words);
}

/// Appends an unambiguous line: each word is prefixed with its length.
fn line(text: &mut String, key: &str, words: &[impl AsRef<str>]) {
    text.push_str(key);
    for word in words {
        let word = word.as_ref();
        text.push_str(&format!(" {}:{word}", word.len()));
    }
    text.push('\n');
}
