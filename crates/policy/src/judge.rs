//! Judges calls: the strictest applicable rule wins.

use super::call_facts::{CallFacts, Fact};
use super::matching::fit::Fit;
use super::matching::matchers::IndexedCall;
use super::nearest::nearest_allowed;
use super::outcome::Outcome;
use super::policy::Policy;
use super::verdict::{Decision, Verdict};
use std::sync::Arc;
use tgp_base::effect::Effects;

impl Policy {
    /// The verdict with its explanation.
    #[must_use]
    pub fn judge(&self, call: &CallFacts) -> Verdict {
        let outcome = self.outcome(call);
        let mut verdict = self.verdict_of(call, &outcome);
        if verdict.decision != Decision::Allow {
            verdict.nearest = nearest_allowed(self, call, &outcome);
        }
        verdict
    }

    /// The decision alone, without an explanation.
    #[must_use]
    pub fn decide(&self, call: &CallFacts) -> Decision {
        self.outcome(call).decision
    }

    /// Whether any rule, or the default, denies.
    #[must_use]
    pub fn may_deny(&self) -> bool {
        self.default == Decision::Deny || self.rules.iter().any(|rule| rule.decision == Decision::Deny)
    }

    /// Whether the call is denied for all possible values of its unknown parts.
    #[must_use]
    pub fn always_denies(&self, call: &CallFacts) -> bool {
        let judged = IndexedCall::new(call, &self.globs);
        let mut may_be_covered = false;
        for rule in self.index.candidates(&judged).filter_map(|number| self.rules.get(number)) {
            if rule.targets.effects_of(call).is_none() {
                continue;
            }
            match (rule.decision, rule.matchers.fit(&judged)) {
                (Decision::Deny, Fit::Covers) => return true,
                (Decision::Allow | Decision::Ask, Fit::Covers | Fit::Touches) => may_be_covered = true,
                (_, Fit::No) | (Decision::Deny, Fit::Touches) => {}
            }
        }
        self.default == Decision::Deny && !may_be_covered
    }

    /// The outcome for the call, or a stricter one that an explicit rule has for what its answer quotes.
    pub(super) fn outcome(&self, call: &CallFacts) -> Outcome {
        let own = self.own_outcome(call);
        let quoted = self.tools.quoted_read(call).map(|read| self.own_outcome(&read));
        quoted.filter(|quoted| quoted.rule.is_some() && quoted.decision > own.decision).unwrap_or(own)
    }

    fn own_outcome(&self, call: &CallFacts) -> Outcome {
        let judged = IndexedCall::new(call, &self.globs);
        self.outcome_among(self.index.candidates(&judged), &judged)
    }

    /// The outcome of these rules, in any order, and the default.
    pub(super) fn outcome_among(&self, numbers: impl Iterator<Item = usize>, judged: &IndexedCall<'_>) -> Outcome {
        let call = judged.call;
        let mut strictest: Option<(Decision, usize)> = None;
        let mut covered: Option<Effects> = None;
        for number in numbers {
            let Some(rule) = self.rules.get(number) else { continue };
            let Some(effects) = rule.targets.effects_of(call) else { continue };
            let beaten = strictest.is_some_and(|(decision, first)| {
                decision == Decision::Deny && (rule.decision != Decision::Deny || first <= number)
            });
            if beaten {
                continue;
            }
            let fit = rule.matchers.fit(judged);
            let applies = match rule.decision {
                Decision::Allow => fit == Fit::Covers,
                Decision::Ask | Decision::Deny => fit != Fit::No,
            };
            if !applies {
                continue;
            }
            if fit == Fit::Covers {
                covered = Some(covered.map_or(effects, |covered| covered.or(effects)));
            }
            let wins = strictest.is_none_or(|(decision, first)| {
                rule.decision > decision || (rule.decision == decision && number < first)
            });
            if wins {
                strictest = Some((rule.decision, number));
            }
        }
        let uncovered = call.effects.without(covered.unwrap_or_default());
        let default_applies = covered.is_none() || !uncovered.is_empty();
        match strictest {
            Some((decision, number)) if !default_applies || decision >= self.default => {
                Outcome { decision, rule: Some(number), uncovered: Effects::NONE }
            }
            Some(_) | None => Outcome { decision: self.default, rule: None, uncovered },
        }
    }

    pub(super) fn verdict_of(&self, call: &CallFacts, outcome: &Outcome) -> Verdict {
        match outcome.rule.and_then(|number| self.rules.get(number)) {
            Some(rule) => rule.verdict(),
            None => Verdict {
                decision: outcome.decision,
                rule: "default".into(),
                at: Arc::clone(&self.default_at),
                reason: self.default_reason_for(call, outcome),
                nearest: None,
            },
        }
    }

    fn default_reason_for(&self, call: &CallFacts, outcome: &Outcome) -> Arc<str> {
        if outcome.decision == Decision::Allow || outcome.uncovered.is_empty() {
            return Arc::clone(&self.default_reason);
        }
        let (effects, tool, default) = (outcome.uncovered.words().join(" and "), &call.tool, self.default.as_str());
        let unknown_tables = match call.tables_fact() {
            Fact::Unknown => " The tables of its statement are unknown: it is too long, or not plain SQL.",
            Fact::Nothing | Fact::Known(_) => "",
        };
        format!("No rule covers what {tool} does here ({effects}), and the default is {default}.{unknown_tables}")
            .into()
    }
}
