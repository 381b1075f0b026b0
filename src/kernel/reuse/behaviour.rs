//! Compares two tools by running both on the known tool's recorded arguments.

use super::argument_fit::mappings;
use super::same_result::is_same;
use crate::kernel::runs::Trial;
use serde_json::Value;
use std::sync::Arc;
use std::time::Instant;

/// The result of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Behaviour {
    Same,
    Different,
    /// There is not enough evidence.
    Unknown,
}

/// A tool to compare.
pub struct Compared<'c> {
    pub trial: &'c Trial<'c>,
    pub parameters: &'c Value,
}

/// Runs that must agree: a single one may agree by chance.
const MIN_RUNS: usize = 2;

/// Whether `new` gives the same results as `known` for these arguments, as far as known before `until`.
pub fn compare(known: &Compared<'_>, new: &Compared<'_>, arguments: &[Arc<str>], until: Instant) -> Behaviour {
    let mut seen: Vec<(Value, Value)> = Vec::new();
    for args_json in arguments {
        if Instant::now() > until {
            break;
        }
        let args = serde_json::from_str(args_json).ok();
        let result = known.trial.result(args_json).and_then(|json| serde_json::from_str(&json).ok());
        seen.extend(args.zip(result));
    }
    // A constant result is no evidence.
    let is_evidence = seen.first().is_some_and(|(_, first)| seen.iter().any(|(_, other)| !is_same(first, other)));
    let Some((example, _)) = seen.first().filter(|_| is_evidence && seen.len() >= MIN_RUNS) else {
        return Behaviour::Unknown;
    };
    let mut has_answered = false;
    for mapping in mappings(known.parameters, new.parameters, example) {
        let agrees = |(args, expected): &(Value, Value)| {
            let mapped = mapping.apply(args)?;
            let result: Value = serde_json::from_str(&new.trial.result(&mapped.to_string())?).ok()?;
            Some(is_same(&result, expected))
        };
        let mut agreed = true;
        for run in &seen {
            if Instant::now() > until {
                return Behaviour::Unknown;
            }
            let answer = agrees(run);
            has_answered |= answer.is_some();
            if answer != Some(true) {
                agreed = false;
                break;
            }
        }
        if agreed {
            return Behaviour::Same;
        }
    }
    if has_answered { Behaviour::Different } else { Behaviour::Unknown }
}
