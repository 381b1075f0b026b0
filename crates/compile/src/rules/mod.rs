//! The lint rules, one per file: rationale, implementation, and sources that pass and fail.

mod harmless_numbers;
mod must_export;
mod must_return;
mod no_any;
mod no_default_export;
mod no_dynamic_code;
mod no_emails;
mod no_floating_promises;
pub(super) mod no_forbidden_globals;
mod no_forbidden_imports;
mod no_hardcoded_data;
mod no_hardcoded_ids;
mod no_hardcoded_switch;
mod no_magic_numbers;
mod no_module_state;
mod no_nondeterminism;
pub(super) mod no_secrets;
mod no_sql_concat;
mod no_ts_ignore;
pub(crate) mod one_argument;
mod prefer_functional;
mod require_description;
pub(super) mod rule;

#[cfg(test)]
mod table;

use rule::Rule;

/// All rules, those that guard the sandbox first.
pub(super) const RULES: [&Rule; 21] = [
    &no_dynamic_code::RULE,
    &no_forbidden_imports::RULE,
    &no_forbidden_globals::RULE,
    &no_any::RULE,
    &no_ts_ignore::RULE,
    &no_hardcoded_data::RULE,
    &must_return::RULE,
    &prefer_functional::RULE,
    &no_module_state::RULE,
    &no_nondeterminism::RULE,
    &require_description::RULE,
    &no_hardcoded_switch::RULE,
    &no_magic_numbers::RULE,
    &no_secrets::RULE,
    &no_emails::RULE,
    &no_hardcoded_ids::RULE,
    &must_export::RULE,
    &no_default_export::RULE,
    &one_argument::RULE,
    &no_floating_promises::RULE,
    &no_sql_concat::RULE,
];

#[cfg(test)]
mod tests {
    use super::RULES;
    use std::collections::HashSet;

    #[test]
    fn every_rule_has_its_own_id_and_every_standard_a_rule() {
        let ids: HashSet<_> = RULES.iter().map(|rule| rule.id).collect();
        assert_eq!(ids.len(), RULES.len());
        let standards: HashSet<_> = RULES.iter().filter_map(|rule| rule.standard).collect();
        assert_eq!(standards, (1..=8).collect());
    }
}
