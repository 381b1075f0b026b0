//! Fuzzy matching and application of hunks: models often get whitespace and line numbers wrong.

use super::line_search::{Effort, Exhausted, occurrences};
use super::line_table::{LineId, LineTable};
use super::tolerance::{TOLERANCES, Tolerance};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// A replacement of lines, with the line number that its author gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk<'d> {
    pub search: Vec<&'d str>,
    pub replace: Vec<&'d str>,
    /// Counted from 0, in the original text.
    pub expected_line: Option<usize>,
}

/// Most reported places of an ambiguous hunk.
const MAX_PLACES: usize = 100;
/// Moving this many lines costs as much as comparing one.
const MOVES_PER_COMPARISON: usize = 16;

/// Where a hunk matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fit {
    /// Counted from 0.
    pub line: usize,
    pub tolerance: Tolerance,
}

/// Why a hunk does not match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Misfit {
    Nowhere,
    /// Several matches, of which the first lines are listed, counted from 0.
    Ambiguous {
        first: Vec<usize>,
        count: usize,
    },
    /// The work budget is used up, because lines repeat too often.
    TooMuchWork,
    /// The text would become too long.
    TooLarge,
}

impl From<Exhausted> for Misfit {
    fn from(Exhausted: Exhausted) -> Self {
        Self::TooMuchWork
    }
}

/// A text to which hunks are applied in order.
pub struct EditedText<'t> {
    table: LineTable<'t>,
    lines: Vec<LineId>,
    effort: Effort,
    /// Bytes of all lines, each with its end.
    bytes: usize,
    /// Most bytes at any time, also between a hunk that adds lines and one that removes some.
    most: usize,
    /// Bytes of new lines, in neither text nor diff, that may still be allocated. Replaced lines are not freed.
    to_make: usize,
}

/// Multiples of the largest text: for the bytes at any time, and for allocated lines.
const BETWEEN: usize = 2;
const MADE: usize = 4;

/// A new line, before it is allocated.
enum Spelt<'t> {
    /// A line of the text.
    Kept(LineId),
    /// A line of the diff.
    Written(&'t str),
    /// A line with the indentation of another line.
    Indented { like: LineId, width: usize, rest: &'t str },
}

impl Spelt<'_> {
    fn bytes(&self, table: &LineTable<'_>) -> usize {
        match self {
            Self::Kept(id) => with_end(table.text(*id)),
            Self::Written(line) => with_end(line),
            Self::Indented { .. } => self.made(),
        }
    }

    fn made(&self) -> usize {
        match self {
            Self::Kept(_) | Self::Written(_) => 0,
            Self::Indented { width, rest, .. } => width + with_end(rest),
        }
    }
}

fn with_end(line: &str) -> usize {
    line.len() + 1
}

impl<'t> EditedText<'t> {
    /// Normalises line ends to `\n`. The text may become `most` bytes long.
    pub fn new(text: &'t str, most: usize) -> Self {
        let mut table = LineTable::default();
        let lines =
            text.split('\n').map(|line| table.id(Cow::Borrowed(line.strip_suffix('\r').unwrap_or(line)))).collect();
        let (most, to_make) = (most.saturating_mul(BETWEEN), most.saturating_mul(MADE));
        let mut edited = Self { table, lines, effort: Effort::default(), bytes: 0, most, to_make };
        edited.bytes = edited.lines_from(0).map(with_end).sum();
        edited
    }

    /// How many lines there are now.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// The lines from `at` on.
    pub fn lines_from(&self, at: usize) -> impl Iterator<Item = &str> {
        self.lines.iter().skip(at).map(|id| self.table.text(*id))
    }

    pub fn joined(&self, ending: &str) -> String {
        self.lines_from(0).collect::<Vec<_>>().join(ending)
    }

    /// The place of a hunk, at the least tolerance that has a match. Of several matches, the one at `expected`.
    pub fn place(&mut self, hunk: &Hunk<'t>, expected: Option<usize>) -> Result<Fit, Misfit> {
        if hunk.search.is_empty() {
            let line = expected.unwrap_or(self.len()).min(self.len());
            return Ok(Fit { line, tolerance: Tolerance::Exact });
        }
        let search: Vec<LineId> = hunk.search.iter().map(|line| self.table.id(Cow::Borrowed(line))).collect();
        for tolerance in TOLERANCES {
            if let Some(line) = self.find(&search, expected, tolerance)? {
                return Ok(Fit { line, tolerance });
            }
        }
        Err(Misfit::Nowhere)
    }

    /// The place of some lines under a tolerance, if any.
    fn find(
        &mut self,
        search: &[LineId],
        expected: Option<usize>,
        tolerance: Tolerance,
    ) -> Result<Option<usize>, Misfit> {
        let classes = self.table.classes(tolerance);
        let class = |id: &LineId| classes.map_or(*id, |classes| classes.get(*id as usize).copied().unwrap_or(*id));
        let wanted: Vec<u32> = search.iter().map(class).collect();
        self.effort.spend(wanted.len())?;
        if let Some(line) = expected
            && let Some(there) = self.lines.get(line..line.saturating_add(wanted.len()))
            && there.iter().map(class).eq(wanted.iter().copied())
        {
            return Ok(Some(line));
        }
        self.effort.spend(self.lines.len())?;
        let mut places = occurrences(&wanted, self.lines.iter().map(class));
        let Some(only) = places.next() else { return Ok(None) };
        let Some(second) = places.next() else { return Ok(Some(only)) };
        let mut first = vec![only, second];
        let mut count = first.len();
        for place in places {
            count += 1;
            if first.len() < MAX_PLACES {
                first.push(place);
            }
        }
        Err(Misfit::Ambiguous { first, count })
    }

    /// Applies a hunk at its place.
    pub fn apply(&mut self, hunk: &Hunk<'t>, fit: &Fit) -> Result<(), Misfit> {
        let start = fit.line.min(self.len());
        let end = start.saturating_add(hunk.search.len()).min(self.len());
        let old = self.lines.get(start..end).unwrap_or_default().to_vec();
        let moved = if hunk.replace.len() == old.len() { 0 } else { self.lines.len() - end };
        self.effort.spend(moved / MOVES_PER_COMPARISON + hunk.replace.len())?;
        let spelt = match fit.tolerance {
            Tolerance::Exact | Tolerance::TrailingSpace => {
                hunk.replace.iter().map(|line| Spelt::Written(line)).collect()
            }
            Tolerance::Whitespace => self.reindented(hunk, &old)?,
        };
        // Before any allocation: a short diff can request a line of a megabyte ten thousand times.
        let removed: usize = old.iter().map(|id| with_end(self.table.text(*id))).sum();
        let added: usize = spelt.iter().map(|line| line.bytes(&self.table)).sum();
        let made: usize = spelt.iter().map(Spelt::made).sum();
        let bytes = self.bytes.saturating_sub(removed).saturating_add(added);
        if bytes > self.most {
            return Err(Misfit::TooLarge);
        }
        self.to_make = self.to_make.checked_sub(made).ok_or(Misfit::TooLarge)?;
        self.bytes = bytes;
        let new: Vec<LineId> = spelt
            .into_iter()
            .map(|line| match line {
                Spelt::Kept(id) => id,
                Spelt::Written(line) => self.table.id(Cow::Borrowed(line)),
                Spelt::Indented { like, width, rest } => {
                    let indent = self.table.text(like).get(..width).unwrap_or_default();
                    self.table.id(Cow::Owned(format!("{indent}{rest}")))
                }
            })
            .collect();
        self.lines.splice(start..end, new);
        Ok(())
    }

    /// The new lines with the indentation of the text. Unchanged lines keep the whitespace of the text.
    fn reindented(&mut self, hunk: &Hunk<'t>, old: &[LineId]) -> Result<Vec<Spelt<'t>>, Misfit> {
        let first = hunk.search.iter().zip(old).find(|(line, _)| !line.trim().is_empty());
        let written = first.map(|(line, _)| indent(line)).unwrap_or_default();
        let actual = first.map(|(_, id)| *id);
        let width = actual.map_or(0, |id| indent(self.table.text(id)).len());
        // Each new line copies the indentation of another.
        self.effort.spend(width)?;
        let mut kept: HashMap<&str, LineId> = HashMap::new();
        for (line, id) in hunk.search.iter().zip(old) {
            kept.entry(line).or_insert(*id);
        }
        let spelt = hunk.replace.iter().map(|line| match (kept.get(line), line.strip_prefix(written), actual) {
            (Some(id), _, Some(_)) => Spelt::Kept(*id),
            (_, Some(rest), Some(like)) if !line.trim().is_empty() => Spelt::Indented { like, width, rest },
            (_, Some(_) | None, _) => Spelt::Written(line),
        });
        Ok(spelt.collect())
    }

    /// The place that shares most words with the hunk's old lines, if at least half of them.
    pub fn nearest(&self, hunk: &Hunk<'_>) -> Option<usize> {
        let words = || hunk.search.iter().flat_map(|line| line.split_whitespace());
        let wanted: HashSet<&str> = words().collect();
        let shared: Vec<usize> = self
            .lines_from(0)
            .map(|line| line.split_whitespace().filter(|word| wanted.contains(word)).count())
            .collect();
        // A sliding window over the number of shared words.
        let mut sum: usize = shared.iter().take(hunk.search.len()).sum();
        let (mut best, mut most) = (0, sum);
        for (at, leaving) in shared.iter().enumerate() {
            sum = sum - leaving + shared.get(at + hunk.search.len()).copied().unwrap_or_default();
            if sum > most {
                (best, most) = (at + 1, sum);
            }
        }
        (most > 0 && most * 2 >= words().count()).then_some(best)
    }
}

fn indent(line: &str) -> &str {
    let body = line.trim_start();
    line.strip_suffix(body).unwrap_or_default()
}

#[cfg(test)]
#[path = "text_edit_tests.rs"]
mod tests;
