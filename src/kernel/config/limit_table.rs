//! The table of all limits.
//!
//! The build writes them to `js/` and into the documentation (`scripts/limits.mjs`).

use super::agent_config::AgentConfig;
use super::fs_config::FsConfig;
use super::git_config::GitConfig;
use super::ledger_config::LedgerConfig;
use super::limit::Limit;
use super::sandbox_config::SandboxConfig;
use super::sql_options::SqlOptions;

// Limits of arguments of kernel tools.
pub const FIND_LIMIT: Limit = Limit::new("limit", 5, 1..=100, "Maximum number of tools to return.");
pub const DEFAULT_FIND_LIMIT: u32 = FIND_LIMIT.default;

pub const HISTORY_LIMIT: Limit = Limit::new("limit", 20, 1..=1000, "Maximum number of commits to return.");
pub const DEFAULT_HISTORY_LIMIT: u32 = HISTORY_LIMIT.default;

pub const SEARCH_LIMIT: Limit = Limit::new("limit", 100, 1..=1000, "Maximum number of matching lines to return.");
pub const DEFAULT_SEARCH_LIMIT: u32 = SEARCH_LIMIT.default;

/// Every limit, by the group of keys or the tool that it belongs to.
pub fn limit_table() -> Vec<(&'static str, Vec<Limit>)> {
    vec![
        ("sandbox", SandboxConfig::LIMITS.all()),
        ("fs", FsConfig::LIMITS.all()),
        ("git", GitConfig::LIMITS.all()),
        ("agent", AgentConfig::LIMITS.all()),
        ("ledger", LedgerConfig::LIMITS.all()),
        ("sql", SqlOptions::LIMITS.all()),
        ("find_tool", vec![FIND_LIMIT]),
        ("search_files", vec![SEARCH_LIMIT]),
        ("file_history", vec![HISTORY_LIMIT]),
    ]
}

#[cfg(test)]
mod tests {
    use super::super::{Config, SqlOptions};
    use super::{Limit, limit_table};
    use serde_json::{Value, json};
    use tgp_base::error::{Error, ErrorCode};

    /// Reads a configuration with one limit set.
    fn set(group: &str, limit: &Limit, value: u32) -> Result<Value, Error> {
        let key = limit.key();
        if group == "sql" {
            return SqlOptions::from_json(&json!({ key: value }).to_string()).map(|read| json!({ "sql": read }));
        }
        let mut config = json!({ group: { key.clone(): value } });
        // Neighbours that must not be smaller.
        match key.as_str() {
            "timeoutMs" if group == "sandbox" => config["sandbox"]["wallMs"] = json!(3_600_000),
            "wallMs" => config["sandbox"]["timeoutMs"] = json!(1),
            "warm" => config["sandbox"]["workers"] = json!(64),
            "workers" => config["sandbox"]["warm"] = json!(0),
            "fileBytes" => config["fs"]["rootBytes"] = json!(1 << 30),
            "rootBytes" => config["fs"]["fileBytes"] = json!(64),
            _ => {}
        }
        Config::from_json(&config.to_string()).map(|read| json!(read))
    }

    #[test]
    fn every_limit_accepts_exactly_its_range() {
        let groups = limit_table().into_iter().filter(|(group, _)| !group.contains('_'));
        for (group, limit) in groups.flat_map(|(group, limits)| limits.into_iter().map(move |limit| (group, limit))) {
            let key = limit.key();
            assert!((limit.least..=limit.most).contains(&limit.default), "{group}.{key}");
            for value in [limit.least, limit.most] {
                let read = set(group, &limit, value).unwrap_or_else(|error| panic!("{group}.{key}: {}", error.message));
                assert_eq!(read[group][&key], value, "{group}.{key}");
            }
            for value in [limit.least.checked_sub(1), limit.most.checked_add(1)].into_iter().flatten() {
                let error = set(group, &limit, value).unwrap_err();
                let named = if group == "sql" { key.clone() } else { format!("{group}.{key}") };
                let range = format!("{named} must be between {} and {}, not {value}.", limit.least, limit.most);
                assert_eq!((error.code, error.message), (ErrorCode::Config, range));
                assert_eq!(error.details.get("key"), Some(&json!(named)));
            }
        }
    }

    #[test]
    fn every_limit_has_a_description() {
        for (group, limit) in limit_table().iter().flat_map(|(group, all)| all.iter().map(move |limit| (group, limit)))
        {
            assert!(limit.about.ends_with('.') && !limit.about.starts_with(' '), "{group}.{}", limit.key());
        }
    }
}
