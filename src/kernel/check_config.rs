//! Configuration of tool checks: the mode and the rule levels.

use super::std_library;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tgp_base::error::{Error, ErrorCode};
use tgp_compile::{LintOptions, Severity, rule_ids};

/// How a tool that fails its check is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum CheckMode {
    /// Whatever compiles is stored and may run.
    Off,
    /// It is stored, and the application may run it; an agent may, unless it breaks a safety rule.
    #[default]
    Warn,
    /// It stays a draft on disk and cannot be run.
    Strict,
}

/// The severity of a rule's findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum RuleLevel {
    Off,
    Advice,
    Warning,
    Error,
}

/// Overrides of the rules' default levels.
pub type RuleLevels = BTreeMap<String, RuleLevel>;

/// Refuses an unknown rule id.
pub fn check_rules(levels: &RuleLevels) -> Result<(), Error> {
    let known = rule_ids();
    match levels.keys().find(|id| !known.contains(&id.as_str())) {
        None => Ok(()),
        Some(id) => {
            let message = format!("rules.{id} is not a rule. The rules are {}.", known.join(", "));
            Err(Error::new(ErrorCode::Config, message).with("key", format!("rules.{id}")))
        }
    }
}

/// The compiler's options: severities, and the packages that tools may import.
pub fn lint_options(levels: &RuleLevels, allowed_imports: &[String], mode: CheckMode) -> LintOptions {
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
    LintOptions { allowed_imports, severities: severities.collect(), is_strict: mode == CheckMode::Strict }
}
