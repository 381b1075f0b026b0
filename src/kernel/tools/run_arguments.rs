//! What tools were last run with, so that another tool can be tried on the same.
//!
//! It is kept in memory and nowhere else, for the caller who gave them: arguments are the application's data. Results are not kept at all; the tool gives
//! them again when they are needed, as it is then.

use crate::kernel::bounded_cache::BoundedCache;
use std::sync::Arc;

const MAX_TOOLS: usize = 512;
/// Arguments of one tool; the newest stay.
const MAX_RUNS: usize = 5;
const MAX_BYTES: usize = 4 << 10;

/// By owner and path.
pub struct RunArguments(BoundedCache<String, Vec<Arc<str>>>);

impl Default for RunArguments {
    fn default() -> Self {
        Self(BoundedCache::new(MAX_TOOLS))
    }
}

impl RunArguments {
    /// Keeps the arguments of a good run, unless they are long or known.
    pub fn record(&self, owner: &str, path: &str, args_json: &Arc<str>) {
        let mut kept = self.of(owner, path);
        if args_json.len() > MAX_BYTES || kept.contains(args_json) {
            return;
        }
        // Of runs that end at the same time one may be lost; others will come.
        kept.insert(0, Arc::clone(args_json));
        kept.truncate(MAX_RUNS);
        self.0.put(key(owner, path), kept);
    }

    /// Newest first.
    pub fn of(&self, owner: &str, path: &str) -> Vec<Arc<str>> {
        self.0.get(key(owner, path).as_str()).unwrap_or_default()
    }
}

/// No path holds a NUL.
fn key(owner: &str, path: &str) -> String {
    format!("{path}\0{owner}")
}

#[cfg(test)]
mod tests {
    use super::RunArguments;
    use std::sync::Arc;

    #[test]
    fn the_newest_few_are_kept_each_once_and_none_that_is_long() {
        let arguments = RunArguments::default();
        for number in [1, 2, 2, 3, 4, 5, 6, 6] {
            arguments.record("me", "a", &Arc::from(number.to_string()));
        }
        arguments.record("me", "a", &Arc::from("x".repeat(5000)));
        assert_eq!(arguments.of("me", "a"), ["6", "5", "4", "3", "2"].map(Arc::<str>::from));
        assert!(arguments.of("me", "b").is_empty());
        assert!(arguments.of("you", "a").is_empty());
    }
}
