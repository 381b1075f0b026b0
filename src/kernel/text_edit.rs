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
#[serde(rename_all = "kebab-case")]
pub enum Tolerance {
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
}

impl<'t> EditedText<'t> {
    /// Line ends are `\n` here, whatever the text has.
    pub fn new(text: &'t str) -> Self {
        let mut table = LineTable::default();
        let lines =
            text.split('\n').map(|line| table.id(Cow::Borrowed(line.strip_suffix('\r').unwrap_or(line)))).collect();
        Self { table, lines, effort: Effort::default() }
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
    pub fn apply(&mut self, hunk: &Hunk<'t>, place: &Place) -> Result<(), Exhausted> {
        let start = place.line.min(self.len());
        let end = start.saturating_add(hunk.search.len()).min(self.len());
        let new: Vec<LineId> = match place.tolerance {
            Tolerance::Exact | Tolerance::TrailingSpace => {
                hunk.replace.iter().map(|line| self.table.id(Cow::Borrowed(line))).collect()
            }
            Tolerance::Whitespace => {
                let old = self.lines.get(start..end).unwrap_or_default().to_vec();
                self.reindented(hunk, &old)
            }
        };
        let moved = if new.len() == end - start { 0 } else { self.lines.len() - end };
        self.effort.spend(moved / MOVED_PER_LOOK + new.len())?;
        self.lines.splice(start..end, new);
        Ok(())
    }

    /// The new lines, indented as the text is and not as the writer thought. An unchanged line keeps the spelling that
    /// the text has.
    fn reindented(&mut self, hunk: &Hunk<'t>, old: &[LineId]) -> Vec<LineId> {
        let first = hunk.search.iter().zip(old).find(|(line, _)| !line.trim().is_empty());
        let (written, actual) = match first {
            Some((written, actual)) => (indent(written), indent(self.table.text(*actual)).to_owned()),
            None => ("", String::new()),
        };
        let mut kept: HashMap<&str, LineId> = HashMap::new();
        for (line, id) in hunk.search.iter().zip(old) {
            kept.entry(line).or_insert(*id);
        }
        let spelt = hunk.replace.iter().map(|line| match (kept.get(line), line.strip_prefix(written)) {
            (Some(id), _) if first.is_some() => *id,
            (_, Some(rest)) if !line.trim().is_empty() => self.table.id(Cow::Owned(format!("{actual}{rest}"))),
            (_, Some(_) | None) => self.table.id(Cow::Borrowed(line)),
        });
        spelt.collect()
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
mod tests {
    use super::{EditedText, Hunk, Misfit, Place, Tolerance};

    fn hunk<'d>(search: &'d str, replace: &'d str) -> Hunk<'d> {
        Hunk { search: search.split('\n').collect(), replace: replace.split('\n').collect(), expected_line: None }
    }

    fn place(text: &str, search: &str, expected: Option<usize>) -> Result<Place, Misfit> {
        EditedText::new(text).place(&hunk(search, "x"), expected)
    }

    fn edited(text: &str, search: &str, replace: &str) -> String {
        let mut edited = EditedText::new(text);
        let hunk = hunk(search, replace);
        let place = edited.place(&hunk, None).unwrap();
        edited.apply(&hunk, &place).unwrap();
        edited.joined("\n")
    }

    #[test]
    fn the_least_tolerance_that_fits_is_used() {
        let text = "a\n  b\n\tc  d \nb";
        let tolerance = |search: &str| place(text, search, None).unwrap().tolerance;
        assert_eq!(tolerance("  b"), Tolerance::Exact);
        assert_eq!(tolerance("\tc  d"), Tolerance::TrailingSpace);
        assert_eq!(tolerance("c d"), Tolerance::Whitespace);
        assert_eq!(tolerance("a\nb"), Tolerance::Whitespace);
        assert_eq!(place(text, "z", None), Err(Misfit::Nowhere));
        assert_eq!(place(text, "b\nz", Some(3)), Err(Misfit::Nowhere));
    }

    #[test]
    fn of_several_places_only_the_named_one_is_taken() {
        let text = "x\ny\nx\ny";
        let both = Err(Misfit::Ambiguous { first: vec![0, 2], count: 2 });
        assert_eq!(place(text, "x", None), both);
        assert_eq!(place(text, "x", Some(2)).unwrap().line, 2);
        assert_eq!(place(text, "x", Some(1)), both);
        let Err(Misfit::Ambiguous { first, count }) = place(&"x\n".repeat(5000), "x", None) else { panic!() };
        assert_eq!((first.len(), count), (100, 5000));
    }

    #[test]
    fn new_lines_take_the_indentation_of_the_text() {
        let text = "function f() {\n    if (a) {\n        b();\n    }\n}";
        let expected = "function f() {\n    if (a) {\n        c();\n    }\n}";
        assert_eq!(edited(text, "if (a) {\n    b();\n}", "if (a) {\n    c();\n}"), expected);
        assert_eq!(edited("\n  \na", " \na", " \nb"), "\n \nb");
    }

    #[test]
    fn what_repeats_without_end_ends() {
        let text = "a\n".repeat(500_000);
        let mut edited = EditedText::new(&text);
        let search = "a\n".repeat(1000) + "b";
        let hunk = hunk(&search, "c");
        let misfits: Vec<Misfit> = (0..300).map_while(|_| edited.place(&hunk, Some(7)).err()).collect();
        assert_eq!(misfits.first(), Some(&Misfit::Nowhere));
        assert_eq!(misfits.last(), Some(&Misfit::TooMuchWork));
    }

    #[test]
    fn the_nearest_place_shares_most_words() {
        let nearest = |text: &str, search: &str| EditedText::new(text).nearest(&hunk(search, ""));
        assert_eq!(nearest("a\nb c\nb c d\ne", "b x d"), Some(2));
        assert_eq!(nearest("a\nb\nc\nd", "b y\nc z"), Some(1));
        assert_eq!(nearest("a b\na b", "a b"), Some(0));
        assert_eq!(nearest("a\nb", "x y z"), None);
        assert_eq!(nearest("", " "), None);
    }
}
