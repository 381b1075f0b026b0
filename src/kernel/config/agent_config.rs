//! Section `agent`: how much of results and tools a model receives.

use super::limited_struct::limited_struct;
use tgp_base::error::Error;

/// About four thousand tokens: enough for a report, little compared to a context window.
pub const RESULT_CHARS: u32 = 16_000;

limited_struct! {
    /// Limits of what a model receives from agent tools, in every framework.
    #[derive(Eq)]
    pub struct AgentConfig, AgentLimits {}
    limits {
        /// Maximum number of characters of one result of a tool; the rest is paged or kept in a file.
        result_chars: RESULT_CHARS, 1000..=10_000_000;
        /// How long an approval is waited for, and how long it counts, in milliseconds.
        approval_ms: 300_000, 1000..=86_400_000;
        /// Maximum number of forged tools that are offered by name at once.
        live_tools: 100, 0..=10_000;
        /// Maximum number of characters of the schemas and descriptions of forged tools that are offered by name.
        live_tool_chars: 32_000, 0..=10_000_000;
    }
}

impl Default for AgentConfig {
    fn default() -> Self {
        Self::standard()
    }
}

impl AgentConfig {
    pub(super) fn check(&self) -> Result<(), Error> {
        self.check_limits("agent.")
    }
}
