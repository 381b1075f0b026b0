//! An index that finds the rules that may apply to a call.

use super::call_facts::{CallFacts, Fact};
use super::matching::matchers::IndexedCall;
use super::matching::targets::Targets;
use super::rule::Rule;
use std::collections::HashMap;
use tgp_base::effect::Effect;

#[derive(Debug, Clone, Default)]
pub(super) struct RuleIndex {
    /// Rules without and with path conditions.
    plain: ByTarget,
    with_paths: ByTarget,
    /// Rules with path conditions, by the numbers of their globs.
    by_glob: HashMap<usize, Vec<usize>>,
}

#[derive(Debug, Clone, Default)]
struct ByTarget {
    everything: Vec<usize>,
    by_tool: HashMap<String, Vec<usize>>,
    by_effect: HashMap<Effect, Vec<usize>>,
}

impl RuleIndex {
    pub fn new(rules: &[Rule]) -> Self {
        let mut index = Self::default();
        for (number, rule) in rules.iter().enumerate() {
            let Some(globs) = &rule.matchers.paths else {
                index.plain.add(number, &rule.targets);
                continue;
            };
            index.with_paths.add(number, &rule.targets);
            for glob in globs {
                index.by_glob.entry(*glob).or_default().push(number);
            }
        }
        index
    }

    /// The rules about this tool or an effect of it, possibly with duplicates.
    pub fn about<'i>(&'i self, call: &'i CallFacts) -> impl Iterator<Item = usize> + 'i {
        self.plain.about(call).chain(self.with_paths.about(call))
    }

    /// A superset of the applicable rules: those of [`Self::about`] that match the call's paths, and some about other tools.
    pub fn candidates<'i>(&'i self, judged: &'i IndexedCall<'i>) -> impl Iterator<Item = usize> + 'i {
        let call = judged.call;
        let looked_up = self.with_paths.about(call).next().is_some();
        let (matched, all) = match call.paths_fact() {
            Fact::Known(paths) if looked_up => (judged.matched_globs(paths), None),
            Fact::Known(_) | Fact::Nothing => (&[][..], None),
            Fact::Unknown => (&[][..], Some(self.with_paths.about(call))),
        };
        let by_glob = matched.iter().flatten().filter_map(|glob| self.by_glob.get(glob)).flatten().copied();
        self.plain.about(call).chain(by_glob).chain(all.into_iter().flatten())
    }
}

impl ByTarget {
    fn add(&mut self, number: usize, targets: &Targets) {
        match targets {
            Targets::Everything => self.everything.push(number),
            Targets::Some { effects, tools } => {
                for tool in tools {
                    self.by_tool.entry(tool.clone()).or_default().push(number);
                }
                for effect in effects.iter() {
                    self.by_effect.entry(effect).or_default().push(number);
                }
            }
        }
    }

    fn about<'i>(&'i self, call: &'i CallFacts) -> impl Iterator<Item = usize> + 'i {
        let by_effect = call.effects.iter().filter_map(|effect| self.by_effect.get(&effect));
        let by_tool = self.by_tool.get(&call.tool);
        std::iter::once(&self.everything).chain(by_tool).chain(by_effect).flatten().copied()
    }
}
