//! How strictly tools are judged.

use super::std_library;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tgp_base::error::{Error, ErrorCode};
use tgp_compile::{LintOptions, Severity, rule_ids};

/// What a tool that fails its check may still do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum CheckMode {
    /// Everything that compiles.
    Off,
    /// It is kept, and the application may run it; an agent may, unless it breaks a rule that guards the sandbox.
    #[default]
    Warn,
    /// Nothing: it stays a draft on disk that nobody runs.
    Strict,
}

/// What a rule's findings weigh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum RuleLevel {
    Off,
    Advice,
    Warning,
    Error,
}

/// Levels that differ from the rules' own.
pub type RuleLevels = BTreeMap<String, RuleLevel>;

/// Refuses the name of a rule that does not exist.
pub fn check_rules(levels: &RuleLevels) -> Result<(), Error> {
    let known = rule_ids();
    match levels.keys().find(|id| !known.contains(&id.as_str())) {
        None => Ok(()),
        Some(id) => {
            let message = format!("rules.{id} is no rule. The rules are {}.", known.join(", "));
            Err(Error::new(ErrorCode::Config, message).with("key", format!("rules.{id}")))
        }
    }
}

/// What the compiler is told: the levels as it names them, and what tools may import.
pub fn lint_options(levels: &RuleLevels, allowed_imports: &[String]) -> LintOptions {
    let severities = levels.iter().map(|(id, level)| {
        let severity = match level {
            RuleLevel::Off => None,
            RuleLevel::Advice => Some(Severity::Advice),
            RuleLevel::Warning => Some(Severity::Warning),
            RuleLevel::Error => Some(Severity::Error),
        };
        (id.clone(), severity)
    });
    let mut allowed_imports = allowed_imports.to_vec();
    allowed_imports.push(std_library::NAME.to_owned());
    LintOptions { allowed_imports, severities: severities.collect() }
}
