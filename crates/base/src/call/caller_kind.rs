//! The kind of a caller.

use serde::Deserialize;

/// What makes a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum CallerKind {
    #[default]
    Application,
    Agent,
    Mcp,
    Cli,
    /// A tool, in a run.
    Tool,
    Kernel,
}

impl CallerKind {
    /// Its name in rules and events.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Application => "application",
            Self::Agent => "agent",
            Self::Mcp => "mcp",
            Self::Cli => "cli",
            Self::Tool => "tool",
            Self::Kernel => "kernel",
        }
    }

    /// Whether it is a person or the application, of whom tests are not required.
    #[must_use]
    pub const fn is_person(self) -> bool {
        match self {
            Self::Application | Self::Cli | Self::Kernel => true,
            Self::Agent | Self::Mcp | Self::Tool => false,
        }
    }
}
