//! `apply_diff`: several changes of one file, all or none of them.

use super::diff_text::parse_diff;
use super::kernel::Kernel;
use super::text_edit::{Hunk, Misfit, Place, Tolerance};
use super::write_file::Written;
use super::write_rules::check_writable;
use crate::error::{Error, ErrorCode};
use crate::registry::META_FILE;
use crate::vfs::{JailPath, Vfs};
use serde::Serialize;

/// Candidates that an error shows, and lines of each.
const MOST_CANDIDATES: usize = 5;
const SHOWN_LINES: usize = 3;
const SHOWN_CHARS: usize = 120;

/// What became of one change.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Applied {
    /// Where it was made, counted from 1 in the file as it was.
    line: usize,
    /// What was forgiven; nothing when the text fitted exactly.
    #[serde(skip_serializing_if = "Option::is_none")]
    tolerated: Option<Tolerance>,
    /// How far the diff's own line number was off.
    #[serde(skip_serializing_if = "Option::is_none")]
    line_offset: Option<i64>,
}

/// A written file and how each change found its place.
#[derive(Debug, Serialize)]
pub struct Diffed {
    #[serde(flatten)]
    pub(super) written: Written,
    pub(super) applied: Vec<Applied>,
}

impl Kernel {
    /// Applies every change of `diff` to a file. When one does not fit, nothing is written.
    pub fn apply_diff(&self, path: &str, diff: &str) -> Result<Diffed, Error> {
        let path = JailPath::parse(path)?;
        check_writable(&path)?;
        let hunks =
            parse_diff(diff).map_err(|bad| Error::new(ErrorCode::Validation, bad.message()).with("field", "diff"))?;
        let _one_writer = self.writes.lock();
        // Begun before it is read: nothing from the remote may come between the two.
        let writing = self.git.begin([path.as_str(), META_FILE].into_iter());
        let before = self.vfs.read(&path)?;
        let (after, applied) = apply(path.as_str(), &before, &hunks)?;
        let written = self.finish_write(writing, &path, &after, &format!("Refactor: {}", path.as_str()))?;
        Ok(Diffed { written, applied })
    }
}

/// The text with every change made.
fn apply(path: &str, before: &str, hunks: &[Hunk]) -> Result<(String, Vec<Applied>), Error> {
    let ending = if before.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines: Vec<String> =
        before.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line).to_owned()).collect();
    let mut applied = Vec::new();
    // How many lines the changes so far have added: a diff counts in the file as it was.
    let mut grown: i64 = 0;
    for (number, hunk) in hunks.iter().enumerate() {
        let moved = Hunk { expected_line: hunk.expected_line.map(|line| shifted(line, grown)), ..hunk.clone() };
        let place = moved
            .place(&lines)
            .map_err(|misfit| refused(path, number + 1, &moved, &Shown { lines: &lines, grown }, &misfit))?;
        applied.push(report(hunk, &place, grown));
        lines = moved.apply(&lines, &place);
        grown += signed(hunk.replace.len()) - signed(hunk.search.len());
    }
    Ok((lines.join(ending), applied))
}

fn report(hunk: &Hunk, place: &Place, grown: i64) -> Applied {
    let line = shifted(place.line, -grown);
    let offset = hunk.expected_line.map(|expected| signed(line) - signed(expected)).filter(|offset| *offset != 0);
    let tolerated = (place.tolerance != Tolerance::Exact).then_some(place.tolerance);
    Applied { line: line + 1, tolerated, line_offset: offset }
}

/// The text that a change did not fit, which earlier changes may have moved.
struct Shown<'l> {
    lines: &'l [String],
    grown: i64,
}

impl Shown<'_> {
    /// The number of a line in the file as it is, counted from 1.
    fn number(&self, line: usize) -> usize {
        shifted(line, -self.grown) + 1
    }

    fn at(&self, line: usize) -> String {
        let lines = self.lines.iter().skip(line).take(SHOWN_LINES);
        let text: Vec<String> = lines.map(|text| text.chars().take(SHOWN_CHARS).collect()).collect();
        format!("line {}: {}", self.number(line), text.join("\n"))
    }
}

fn refused(path: &str, number: usize, hunk: &Hunk, shown: &Shown<'_>, misfit: &Misfit) -> Error {
    match misfit {
        Misfit::Nowhere => {
            let nearest = nearest(hunk, shown.lines)
                .map(|line| format!(" The nearest text is at {}", shown.at(line)))
                .unwrap_or_default();
            let message = format!(
                "Change {number} does not fit: its old lines are not in {path}. Nothing was written. Read the file again and copy them.{nearest}"
            );
            Error::new(ErrorCode::NotFound, message).with("path", path).with("change", number)
        }
        Misfit::Ambiguous(places) => {
            let candidates: Vec<String> = places.iter().take(MOST_CANDIDATES).map(|line| shown.at(*line)).collect();
            let message = format!(
                "Change {number} fits {path} in {} places. Nothing was written. Add lines before or after, so that only one fits. Candidates: {}",
                places.len(),
                candidates.join("; ")
            );
            let numbers: Vec<usize> = places.iter().map(|line| shown.number(*line)).collect();
            Error::new(ErrorCode::Validation, message)
                .with("path", path)
                .with("change", number)
                .with("candidates", numbers)
        }
    }
}

/// The line that is most like the first line searched for.
fn nearest(hunk: &Hunk, lines: &[String]) -> Option<usize> {
    let wanted: Vec<&str> = hunk.search.iter().flat_map(|line| line.split_whitespace()).collect();
    let likeness = |at: usize| {
        let window = lines.iter().skip(at).take(hunk.search.len());
        window.flat_map(|line| line.split_whitespace()).filter(|word| wanted.contains(word)).count()
    };
    let (best, count) =
        (0..lines.len()).map(|at| (at, likeness(at))).max_by_key(|(at, count)| (*count, std::cmp::Reverse(*at)))?;
    (count * 2 >= wanted.len() && count > 0).then_some(best)
}

fn shifted(line: usize, by: i64) -> usize {
    usize::try_from(signed(line) + by).unwrap_or_default()
}

fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
