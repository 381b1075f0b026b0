//! What a rule is about: effects, tools by name, or everything.

use crate::call::Call;
use crate::effect::{Effect, Effects};

/// The word for every tool.
pub(crate) const EVERYTHING: &str = "*";
/// The tool that runs SQL.
const EXEC_SQL: &str = "exec_sql";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Targets {
    Everything,
    /// Tools in the order of their names.
    Some {
        effects: Effects,
        tools: Vec<String>,
    },
}

impl Targets {
    /// Which effects of the call are spoken for; nothing when the call is not meant. Whoever names the tool speaks for all.
    pub fn spoken_for(&self, call: &Call) -> Option<Effects> {
        match self {
            Self::Everything => Some(call.effects),
            Self::Some { tools, .. } if tools.binary_search(&call.tool).is_ok() => Some(call.effects),
            Self::Some { effects, .. } => {
                let shared = effects.and(call.effects);
                (!shared.is_empty()).then_some(shared)
            }
        }
    }

    /// Whether some call of the tool that runs SQL is meant.
    pub fn mean_sql(&self) -> bool {
        match self {
            Self::Everything => true,
            Self::Some { effects, tools } => effects.has(Effect::Sql) || tools.iter().any(|tool| tool == EXEC_SQL),
        }
    }

    /// Whether the call is meant, with every effect it has.
    pub fn cover(&self, call: &Call) -> bool {
        self.spoken_for(call) == Some(call.effects)
    }

    /// The words it was written in, in one order.
    pub fn words(&self) -> Vec<&str> {
        match self {
            Self::Everything => vec![EVERYTHING],
            Self::Some { effects, tools } => {
                effects.words().into_iter().chain(tools.iter().map(String::as_str)).collect()
            }
        }
    }
}
