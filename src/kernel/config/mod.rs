//! The configuration, with every default and range.
//!
//! A limit is defined once, in the `limits` block of its section. Its field, default, range and check, and its entries
//! in JavaScript, the types and the documentation, are generated from there (see `limit_table.rs`).

mod agent_config;
#[expect(clippy::module_inception, reason = "the file is named for its main item, the folder for the part")]
mod config;
mod fs_config;
#[cfg(test)]
mod fuzz_tests;
mod git_config;
mod guardian_mode;
mod ledger_config;
mod limit;
mod limit_table;
mod limited_struct;
mod memory_config;
mod network_config;
mod refused;
mod sandbox_config;
mod secrets_config;
mod sql_options;
mod tokens_config;

pub use config::Config;
pub use fs_config::FsConfig;
pub use git_config::{GitProvider, GitWriteStrategy};
pub use guardian_mode::GuardianMode;
pub use limit_table::limit_table;
pub(super) use limit_table::{
    DEFAULT_FIND_LIMIT, DEFAULT_HISTORY_LIMIT, DEFAULT_SEARCH_LIMIT, FIND_LIMIT, HISTORY_LIMIT, SEARCH_LIMIT,
};
pub use memory_config::{MemoryMode, ReuseMode};
pub use network_config::NetworkConfig;
pub(super) use refused::refused;
pub use sandbox_config::{IsolationMode, SandboxConfig};
pub(super) use sandbox_config::{MEMORY_MB, TIMEOUT_MS, WALL_MS};
pub(super) use secrets_config::{bound_secrets, check_secret_functions};
pub use sql_options::SqlOptions;
pub use tokens_config::TokensConfig;
