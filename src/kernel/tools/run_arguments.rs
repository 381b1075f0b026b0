//! The last arguments of each tool and owner, for trials of similar tools.
//!
//! Kept in memory only, and per caller, as arguments are the application's data. Results are not kept: a trial runs the
//! tool again.

use crate::kernel::bounded_cache::BoundedCache;
use std::sync::Arc;

const MAX_TOOLS: usize = 512;
/// Most arguments of one tool; the oldest are dropped.
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
    /// Records the arguments of a successful run, unless they are long or known.
    pub fn record(&self, owner: &str, path: &str, args_json: &Arc<str>) {
        let mut kept = self.of(owner, path);
        if args_json.len() > MAX_BYTES || kept.contains(args_json) {
            return;
        }
        // Concurrent runs may lose one record, which is acceptable.
        kept.insert(0, Arc::clone(args_json));
        kept.truncate(MAX_RUNS);
        self.0.put(key(owner, path), kept);
    }

    /// Newest first.
    pub fn of(&self, owner: &str, path: &str) -> Vec<Arc<str>> {
        self.0.get(key(owner, path).as_str()).unwrap_or_default()
    }
}

/// Unambiguous, because paths contain no NUL.
fn key(owner: &str, path: &str) -> String {
    format!("{path}\0{owner}")
}

#[cfg(test)]
mod tests {
    use super::RunArguments;
    use std::sync::Arc;

    #[test]
    fn the_newest_distinct_short_arguments_are_kept() {
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
