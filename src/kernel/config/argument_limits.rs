//! Limits of call arguments.

use super::limit::Limit;

pub const FIND_LIMIT: Limit = Limit::new("limit", 5, 1..=100, "Maximum number of tools to return.");
pub const DEFAULT_FIND_LIMIT: u32 = FIND_LIMIT.default;

pub const HISTORY_LIMIT: Limit = Limit::new("limit", 20, 1..=1000, "Maximum number of commits to return.");
pub const DEFAULT_HISTORY_LIMIT: u32 = HISTORY_LIMIT.default;

pub const SEARCH_LIMIT: Limit = Limit::new("limit", 100, 1..=1000, "Maximum number of matching lines to return.");
pub const DEFAULT_SEARCH_LIMIT: u32 = SEARCH_LIMIT.default;
