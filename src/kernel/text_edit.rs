//! Finding the place in a text that a model means, which is not always the place that it wrote.

use serde::Serialize;

/// A replacement of some lines by others, and where the writer believed they were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    pub search: Vec<String>,
    pub replace: Vec<String>,
    /// Counted from 0.
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
    /// At several lines, counted from 0.
    Ambiguous(Vec<usize>),
}

impl Hunk {
    /// The one place of this hunk in `lines`, at the least tolerance that finds any. Of several exact places the one
    /// that the hunk's own line number names is meant.
    pub fn place(&self, lines: &[String]) -> Result<Place, Misfit> {
        if self.search.is_empty() {
            let line = self.expected_line.unwrap_or(lines.len()).min(lines.len());
            return Ok(Place { line, tolerance: Tolerance::Exact });
        }
        for tolerance in TOLERANCES {
            let wanted: Vec<String> = self.search.iter().map(|line| tolerance.seen(line)).collect();
            let seen: Vec<String> = lines.iter().map(|line| tolerance.seen(line)).collect();
            let found: Vec<usize> = seen
                .windows(wanted.len())
                .enumerate()
                .filter(|(_, window)| *window == wanted.as_slice())
                .map(|(at, _)| at)
                .collect();
            match (found.as_slice(), self.expected_line) {
                ([], _) => {}
                ([only], _) => return Ok(Place { line: *only, tolerance }),
                (several, Some(expected)) if several.contains(&expected) => {
                    return Ok(Place { line: expected, tolerance });
                }
                _ => return Err(Misfit::Ambiguous(found)),
            }
        }
        Err(Misfit::Nowhere)
    }

    /// `lines` with this hunk's change at `place`.
    pub fn apply(&self, lines: &[String], place: &Place) -> Vec<String> {
        let (before, rest) = lines.split_at(place.line.min(lines.len()));
        let (old, after) = rest.split_at(self.search.len().min(rest.len()));
        let mut changed = before.to_vec();
        match place.tolerance {
            Tolerance::Exact | Tolerance::TrailingSpace => changed.extend(self.replace.iter().cloned()),
            Tolerance::Whitespace => changed.extend(reindented(&self.search, old, &self.replace)),
        }
        changed.extend_from_slice(after);
        changed
    }
}

impl Tolerance {
    /// A line as this tolerance sees it.
    fn seen(self, line: &str) -> String {
        match self {
            Self::Exact => line.to_owned(),
            Self::TrailingSpace => line.trim_end().to_owned(),
            Self::Whitespace => line.split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }
}

/// The new lines, indented as the file is and not as the writer thought.
fn reindented(search: &[String], old: &[String], replace: &[String]) -> Vec<String> {
    let first = search.iter().zip(old).find(|(line, _)| !line.trim().is_empty());
    let Some((written, actual)) = first.map(|(written, actual)| (indent(written), indent(actual))) else {
        return replace.to_vec();
    };
    replace
        .iter()
        .map(|line| match line.strip_prefix(written) {
            // An unchanged line keeps the spelling that the file has.
            _ if kept(line, search, old).is_some() => kept(line, search, old).unwrap_or(line).clone(),
            Some(rest) if !line.trim().is_empty() => format!("{actual}{rest}"),
            Some(_) | None => line.clone(),
        })
        .collect()
}

fn kept<'o>(line: &str, search: &[String], old: &'o [String]) -> Option<&'o String> {
    search.iter().position(|searched| searched == line).and_then(|at| old.get(at))
}

fn indent(line: &str) -> &str {
    let body = line.trim_start();
    line.strip_suffix(body).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Hunk, Misfit, Tolerance};

    fn lines(text: &str) -> Vec<String> {
        text.split('\n').map(str::to_owned).collect()
    }

    fn hunk(search: &str, replace: &str) -> Hunk {
        Hunk { search: lines(search), replace: lines(replace), expected_line: None }
    }

    #[test]
    fn the_least_tolerance_that_fits_is_used() {
        let text = lines("a\n  b\n\tc  d \nb");
        let tolerance = |search: &str| hunk(search, "x").place(&text).unwrap().tolerance;
        assert_eq!(tolerance("  b"), Tolerance::Exact);
        assert_eq!(tolerance("\tc  d"), Tolerance::TrailingSpace);
        assert_eq!(tolerance("c d"), Tolerance::Whitespace);
        assert_eq!(tolerance("a\nb"), Tolerance::Whitespace);
        assert_eq!(hunk("z", "x").place(&text), Err(Misfit::Nowhere));
    }

    #[test]
    fn of_several_places_only_the_named_one_is_taken() {
        let text = lines("x\ny\nx\ny");
        assert_eq!(hunk("x", "z").place(&text), Err(Misfit::Ambiguous(vec![0, 2])));
        let named = Hunk { expected_line: Some(2), ..hunk("x", "z") };
        assert_eq!(named.place(&text).unwrap().line, 2);
        let off = Hunk { expected_line: Some(1), ..hunk("x", "z") };
        assert_eq!(off.place(&text), Err(Misfit::Ambiguous(vec![0, 2])));
    }

    #[test]
    fn new_lines_take_the_indentation_of_the_file() {
        let text = lines("function f() {\n    if (a) {\n        b();\n    }\n}");
        let hunk = hunk("if (a) {\n    b();\n}", "if (a) {\n    c();\n}");
        let place = hunk.place(&text).unwrap();
        assert_eq!(hunk.apply(&text, &place).join("\n"), "function f() {\n    if (a) {\n        c();\n    }\n}");
    }
}
