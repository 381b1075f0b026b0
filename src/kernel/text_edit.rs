//! Finding the place in a text that a model means, which is not always the place that it wrote.

use super::line_search::{Effort, Exhausted, occurrences};
use super::line_table::{LineId, LineTable};
use serde::Serialize;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// A replacement of some lines by others, and where the writer believed they were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk<'d> {
    pub search: Vec<&'d str>,
    pub replace: Vec<&'d str>,
    /// Counted from 0, in the text before any change.
    pub expected_line: Option<usize>,
}

/// What was forgiven on the way to a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Tolerance {
    // An exact match is not told.
    #[cfg_attr(test, ts(skip))]
    Exact,
    /// Spaces at the ends of lines.
    TrailingSpace,
    /// How far lines are indented, and how many spaces stand between words.
    Whitespace,
}

const TOLERANCES: [Tolerance; 3] = [Tolerance::Exact, Tolerance::TrailingSpace, Tolerance::Whitespace];

/// Places of an ambiguous hunk that are told.
const MAX_PLACES: usize = 100;
/// Moving so many lines costs what looking at one does.
const MOVED_PER_LOOK: usize = 16;

/// Where a hunk fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Counted from 0.
    pub line: usize,
    pub tolerance: Tolerance,
}

/// Why a hunk has no place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Misfit {
    Nowhere,
    /// At several lines, of which the first are told, counted from 0.
    Ambiguous {
        first: Vec<usize>,
        count: usize,
    },
    /// So many lines repeat so often that looking for a place takes too long.
    TooMuchWork,
    /// The text would become longer than it may be.
    TooLarge,
}

impl From<Exhausted> for Misfit {
    fn from(Exhausted: Exhausted) -> Self {
        Self::TooMuchWork
    }
}

/// A text that hunks are applied to, one after the other.
pub struct EditedText<'t> {
    table: LineTable<'t>,
    lines: Vec<LineId>,
    effort: Effort,
    /// Bytes of all lines, each with its end.
    bytes: usize,
    /// The same, at most, at any time: lines may come before others go.
    most: usize,
    /// Bytes of lines that stand in neither text nor diff and may still be made: a line that was replaced again is kept.
    to_make: usize,
}

/// How many texts of full length may stand there, and be made, on the way to one.
const BETWEEN: usize = 2;
const MADE: usize = 4;

/// A new line, before it is made.
enum Spelt<'t> {
    /// As the text has it.
    Kept(LineId),
    /// As the diff has it.
    Written(&'t str),
    /// Behind as many bytes of another line as that is indented.
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
    /// Line ends are `\n` here, whatever the text has. It may become `most` bytes long.
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

    /// The one place of a hunk, at the least tolerance that finds any. Of several exact places the one at `expected` is
    /// meant.
    pub fn place(&mut self, hunk: &Hunk<'t>, expected: Option<usize>) -> Result<Place, Misfit> {
        if hunk.search.is_empty() {
            let line = expected.unwrap_or(self.len()).min(self.len());
            return Ok(Place { line, tolerance: Tolerance::Exact });
        }
        let search: Vec<LineId> = hunk.search.iter().map(|line| self.table.id(Cow::Borrowed(line))).collect();
        for tolerance in TOLERANCES {
            if let Some(line) = self.find(&search, expected, tolerance)? {
                return Ok(Place { line, tolerance });
            }
        }
        Err(Misfit::Nowhere)
    }

    /// The one place of some lines, if there is any.
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

    /// Makes a hunk's change at its place.
    pub fn apply(&mut self, hunk: &Hunk<'t>, place: &Place) -> Result<(), Misfit> {
        let start = place.line.min(self.len());
        let end = start.saturating_add(hunk.search.len()).min(self.len());
        let old = self.lines.get(start..end).unwrap_or_default().to_vec();
        let moved = if hunk.replace.len() == old.len() { 0 } else { self.lines.len() - end };
        self.effort.spend(moved / MOVED_PER_LOOK + hunk.replace.len())?;
        let spelt = match place.tolerance {
            Tolerance::Exact | Tolerance::TrailingSpace => {
                hunk.replace.iter().map(|line| Spelt::Written(line)).collect()
            }
            Tolerance::Whitespace => self.reindented(hunk, &old)?,
        };
        // Before any line is made: a short diff can ask for a line of a megabyte ten thousand times.
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

    /// The new lines, indented as the text is and not as the writer thought. An unchanged line keeps the spelling that
    /// the text has.
    fn reindented(&mut self, hunk: &Hunk<'t>, old: &[LineId]) -> Result<Vec<Spelt<'t>>, Misfit> {
        let first = hunk.search.iter().zip(old).find(|(line, _)| !line.trim().is_empty());
        let written = first.map(|(line, _)| indent(line)).unwrap_or_default();
        let actual = first.map(|(_, id)| *id);
        let width = actual.map_or(0, |id| indent(self.table.text(id)).len());
        // To make a line is to read the one that it is indented like.
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

    /// The place that has most words in common with what a hunk searches for, if it has half of them.
    pub fn nearest(&self, hunk: &Hunk<'_>) -> Option<usize> {
        let words = || hunk.search.iter().flat_map(|line| line.split_whitespace());
        let wanted: HashSet<&str> = words().collect();
        let shared: Vec<usize> = self
            .lines_from(0)
            .map(|line| line.split_whitespace().filter(|word| wanted.contains(word)).count())
            .collect();
        // How much the lines of a window share, moved along line by line.
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
