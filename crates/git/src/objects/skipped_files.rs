//! Files that are not checked out, and the warning about them.

use std::fmt::Write;

/// Paths listed in a warning; the others are counted.
const SHOWN: usize = 5;
const MAX_NAME: usize = 120;

/// Why a file is not checked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SkipReason {
    /// A link, a submodule, or an unknown mode.
    Mode,
    /// An invalid or duplicate name.
    Name,
    /// It is larger than `fs.fileBytes`.
    Size,
}

impl SkipReason {
    const fn text(self) -> &'static str {
        match self {
            Self::Mode => "not a regular file",
            Self::Name => "invalid name",
            Self::Size => "larger than fs.fileBytes",
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct SkippedFiles {
    shown: Vec<String>,
    count: usize,
}

impl SkippedFiles {
    pub(crate) fn add(&mut self, path: &str, why: SkipReason) {
        if self.shown.len() < SHOWN {
            let path: String =
                path.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).take(MAX_NAME).collect();
            self.shown.push(format!("'{path}' ({})", why.text()));
        }
        self.count += 1;
    }

    /// Adds several entries of a folder that have no valid path.
    pub(crate) fn add_many(&mut self, folder: &str, why: SkipReason, count: usize) {
        self.add(&format!("{folder}/…"), why);
        self.count += count.saturating_sub(1);
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.shown.extend(other.shown);
        self.shown.truncate(SHOWN);
        self.count += other.count;
    }

    pub(crate) fn warning(&self) -> Option<String> {
        let others = self.count - self.shown.len().min(self.count);
        let mut names = self.shown.join(", ");
        if others > 0 {
            let _ = write!(names, " and {others} more");
        }
        (self.count > 0).then(|| format!("Kept in the history, but not checked out: {names}."))
    }
}

#[cfg(test)]
mod tests {
    use super::{SkipReason, SkippedFiles};

    #[test]
    fn the_warning_lists_some_paths_and_counts_the_rest() {
        let mut skipped = SkippedFiles::default();
        assert_eq!(skipped.warning(), None);
        skipped.add("a\n\u{1b}[31m", SkipReason::Mode);
        skipped.add_many("dir", SkipReason::Name, 3);
        let mut all = SkippedFiles::default();
        all.add("big", SkipReason::Size);
        all.extend(skipped);
        for index in 0..1000 {
            all.add(&format!("{index}{}", "x".repeat(10_000)), SkipReason::Mode);
        }
        let warning = all.warning().unwrap();
        assert!(
            warning.contains("'big' (larger than fs.fileBytes), 'a\u{fffd}\u{fffd}[31m' (not a regular file), 'dir/…'")
        );
        assert!(warning.ends_with("and 1000 more."), "{warning}");
        assert!(warning.len() < 1000 && !warning.contains('\n'));
    }
}
