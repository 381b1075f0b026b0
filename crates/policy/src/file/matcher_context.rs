//! The rule or caveat that conditions belong to, which decides whether they are valid.

use super::fault::{Fault, listed};
use super::node::Node;
use crate::matching::targets::Targets;
use crate::tools::Tools;
use crate::verdict::Decision;
use tgp_base::effect::Effect;

/// The most entries in one condition.
pub(super) const MAX_ENTRIES: usize = 1_000;

pub(crate) struct MatcherContext<'p> {
    pub decision: Decision,
    pub targets: &'p Targets,
    pub tools: Option<&'p Tools>,
}

impl MatcherContext<'_> {
    /// Rejects a condition that no call of the rule can meet.
    pub(super) fn check_effect(&self, key: &str, node: &Node, needed: &[Effect]) -> Result<(), Fault> {
        let (Some(tools), Targets::Some { effects, tools: names }) = (self.tools, self.targets) else { return Ok(()) };
        let possible = names.iter().filter_map(|name| tools.get(name)).fold(*effects, |all, tool| all.or(tool.effects));
        if needed.iter().any(|effect| possible.has(*effect)) {
            return Ok(());
        }
        let (about, needed) = (listed(self.targets.words()), listed(needed.iter().map(|effect| effect.as_str())));
        let message = format!("'{key}' never holds for {about}: only calls with the effect {needed} have such values.");
        Err(Fault::new(&node.place, message))
    }
}
