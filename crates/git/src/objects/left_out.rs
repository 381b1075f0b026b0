//! What of a commit is in the history and not among the files, for the one warning about it.

use std::fmt::Write;

/// Names that a warning holds; the others are counted.
const SHOWN: usize = 5;
const LONGEST_NAME: usize = 120;

/// Why a file is not made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// A link, a submodule, or a mode that means nothing.
    Mode,
    /// No file of the root can have this name, or another has it.
    Name,
    /// It is larger than `fs.fileBytes`.
    Size,
}

impl Why {
    const fn words(self) -> &'static str {
        match self {
            Self::Mode => "no plain file",
            Self::Name => "its name",
            Self::Size => "larger than fs.fileBytes",
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct LeftOut {
    shown: Vec<String>,
    count: usize,
}

impl LeftOut {
    pub(crate) fn add(&mut self, path: &str, why: Why) {
        if self.shown.len() < SHOWN {
            let path: String =
                path.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).take(LONGEST_NAME).collect();
            self.shown.push(format!("'{path}' ({})", why.words()));
        }
        self.count += 1;
    }

    /// Several of one folder that have no path of their own.
    pub(crate) fn add_many(&mut self, folder: &str, why: Why, count: usize) {
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
        (self.count > 0).then(|| format!("Kept in the history, but not made files of the root: {names}."))
    }
}

#[cfg(test)]
mod tests {
    use super::{LeftOut, Why};

    #[test]
    fn the_warning_names_some_and_counts_the_rest() {
        let mut left_out = LeftOut::default();
        assert_eq!(left_out.warning(), None);
        left_out.add("a\n\u{1b}[31m", Why::Mode);
        left_out.add_many("dir", Why::Name, 3);
        let mut all = LeftOut::default();
        all.add("big", Why::Size);
        all.extend(left_out);
        for index in 0..1000 {
            all.add(&format!("{index}{}", "x".repeat(10_000)), Why::Mode);
        }
        let warning = all.warning().unwrap();
        assert!(warning.contains("'big' (larger than fs.fileBytes), 'a\u{fffd}\u{fffd}[31m' (no plain file), 'dir/…'"));
        assert!(warning.ends_with("and 1000 more."), "{warning}");
        assert!(warning.len() < 1000 && !warning.contains('\n'));
    }
}
