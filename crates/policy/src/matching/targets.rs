//! The targets of a rule: effects, tools by name, or everything.

use crate::call_facts::CallFacts;
use tgp_base::effect::{Effect, Effects};

/// The name that stands for every tool.
pub(crate) const EVERYTHING: &str = "*";
/// The tool that runs SQL.
const EXEC_SQL: &str = "exec_sql";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Targets {
    Everything,
    /// Tools are sorted by name.
    Some {
        effects: Effects,
        tools: Vec<String>,
    },
}

impl Targets {
    /// The effects of the call that these targets include; `None` if there are none. Naming the tool includes all its effects.
    pub fn effects_of(&self, call: &CallFacts) -> Option<Effects> {
        match self {
            Self::Everything => Some(call.effects),
            Self::Some { tools, .. } if tools.binary_search(&call.tool).is_ok() => Some(call.effects),
            Self::Some { effects, .. } => {
                let shared = effects.and(call.effects);
                (!shared.is_empty()).then_some(shared)
            }
        }
    }

    /// Whether calls of the SQL tool are included.
    pub fn include_sql(&self) -> bool {
        match self {
            Self::Everything => true,
            Self::Some { effects, tools } => effects.has(Effect::Sql) || tools.iter().any(|tool| tool == EXEC_SQL),
        }
    }

    /// Whether all effects of the call are included.
    pub fn cover(&self, call: &CallFacts) -> bool {
        self.effects_of(call) == Some(call.effects)
    }

    /// The names of effects and tools, in a fixed order.
    pub fn words(&self) -> Vec<&str> {
        match self {
            Self::Everything => vec![EVERYTHING],
            Self::Some { effects, tools } => {
                effects.words().into_iter().chain(tools.iter().map(String::as_str)).collect()
            }
        }
    }
}
