//! Run counts of tools on this machine. They are not part of the history, since machines have different counts.

use std::collections::BTreeMap;

/// Stored counts, and counts since the last store.
#[derive(Debug, Default)]
pub struct UseCounts {
    stored: BTreeMap<String, u64>,
    fresh: BTreeMap<String, u64>,
}

impl UseCounts {
    /// Counts one run.
    pub fn count(&mut self, path: &str) {
        match self.fresh.get_mut(path) {
            Some(count) => *count += 1,
            None => {
                self.fresh.insert(path.to_owned(), 1);
            }
        }
    }

    #[must_use]
    pub fn of(&self, path: &str) -> u64 {
        let count = |counts: &BTreeMap<String, u64>| counts.get(path).copied().unwrap_or_default();
        count(&self.stored) + count(&self.fresh)
    }

    /// All tools that were run, the most used first, then by path.
    #[must_use]
    pub fn most_used(&self) -> Vec<(&str, u64)> {
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for (path, count) in self.stored.iter().chain(&self.fresh) {
            *counts.entry(path.as_str()).or_default() += count;
        }
        let mut counts: Vec<_> = counts.into_iter().filter(|(_, count)| *count > 0).collect();
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        counts
    }

    /// The number of runs that are not stored yet.
    #[must_use]
    pub fn unstored(&self) -> u64 {
        self.fresh.values().sum()
    }

    /// Parses stored counts; damaged text counts as empty.
    #[must_use]
    pub fn read(text: &str) -> Self {
        Self { stored: serde_json::from_str(text).unwrap_or_default(), fresh: BTreeMap::new() }
    }

    /// Merges the fresh counts into `stored_now`, which another process may have updated, and returns the text to store.
    pub fn store(&mut self, stored_now: &str) -> String {
        self.stored = Self::read(stored_now).stored;
        for (path, count) in std::mem::take(&mut self.fresh) {
            *self.stored.entry(path).or_default() += count;
        }
        serde_json::to_string(&self.stored).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::UseCounts;

    #[test]
    fn counts_of_several_processes_add_up() {
        let (mut one, mut other) = (UseCounts::default(), UseCounts::default());
        one.count("tools/a.ts");
        one.count("tools/a.ts");
        other.count("tools/a.ts");
        let first = one.store("not json");
        let second = other.store(&first);
        assert_eq!((one.of("tools/a.ts"), other.of("tools/a.ts"), other.unstored()), (2, 3, 0));
        assert_eq!(second, r#"{"tools/a.ts":3}"#);
        other.count("tools/c.ts");
        other.count("tools/b.ts");
        other.count("tools/a.ts");
        assert_eq!(other.most_used(), [("tools/a.ts", 4), ("tools/b.ts", 1), ("tools/c.ts", 1)]);
    }
}
