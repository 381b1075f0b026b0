//! `apply_diff`: several changes of one file, applied atomically.

use super::changes::refactor;
use super::diff_text::parse_diff;
use super::plan::{Base, Change};
use super::text_edit::{EditedText, Fit, Hunk, Misfit};
use super::tolerance::Tolerance;
use crate::kernel::history::Written;
use serde::Serialize;
use tgp_base::error::{Error, ErrorCode};
use tgp_vfs::JailPath;

/// Largest diff, in multiples of the largest file: a diff has every line twice, with a sign.
const DIFF_PER_FILE: usize = 4;
/// Candidates that an error shows, and lines of each.
const MAX_CANDIDATES: usize = 5;
const SHOWN_LINES: usize = 3;
const SHOWN_CHARS: usize = 120;

/// How one change was applied.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct Applied {
    /// Its line in the original file, counted from 1.
    line: usize,
    /// The difference that was tolerated; none for an exact match.
    #[serde(skip_serializing_if = "Option::is_none")]
    tolerated: Option<Tolerance>,
    /// How far the diff's own line number was off.
    #[serde(skip_serializing_if = "Option::is_none")]
    line_offset: Option<i64>,
}

/// A written file, and how each change was applied.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Diffed {
    #[serde(flatten)]
    written: Written,
    applied: Vec<Applied>,
}

impl Diffed {
    pub fn new(written: Written, applied: Vec<Applied>) -> Self {
        Self { written, applied }
    }
}

/// Every change of a diff.
pub struct DiffChange<'d> {
    pub diff: &'d str,
    /// Largest file.
    pub file_bytes: usize,
}

impl<'d> DiffChange<'d> {
    fn hunks(&self) -> Result<Vec<Hunk<'d>>, Error> {
        parse_diff(self.diff).map_err(|bad| Error::new(ErrorCode::Validation, bad.message()).with("field", "diff"))
    }
}

impl Change for DiffChange<'_> {
    type Details = Vec<Applied>;

    fn check(&self) -> Result<(), Error> {
        let most = DIFF_PER_FILE.saturating_mul(self.file_bytes);
        if self.diff.len() > most {
            let message = format!("diff is larger than {most} bytes. Write the whole file with write_file.");
            return Err(Error::new(ErrorCode::Limit, message).with("field", "diff"));
        }
        self.hunks().map(drop)
    }

    fn base(&self) -> Base {
        Base::Content
    }

    fn message(&self, path: &JailPath) -> String {
        refactor(path)
    }

    fn make(&self, path: &JailPath, before: &str) -> Result<(String, Vec<Applied>), Error> {
        apply(path.as_str(), before, &self.hunks()?, self.file_bytes)
    }
}

/// The text with every change applied, of at most `most` bytes.
fn apply<'t>(path: &str, before: &'t str, hunks: &[Hunk<'t>], most: usize) -> Result<(String, Vec<Applied>), Error> {
    let ending = if before.contains("\r\n") { "\r\n" } else { "\n" };
    let mut text = EditedText::new(before, most);
    let mut applied = Vec::new();
    // Lines added so far: line numbers of a diff refer to the original file.
    let mut grown: i64 = 0;
    for (number, hunk) in (1..).zip(hunks) {
        let expected = hunk.expected_line.map(|line| shifted(line, grown));
        let refused =
            |misfit: &Misfit, text: &EditedText<'_>| refused(path, number, hunk, &Shown { text, grown }, misfit);
        let fit = text.place(hunk, expected).map_err(|misfit| refused(&misfit, &text))?;
        applied.push(report(hunk, &fit, grown));
        text.apply(hunk, &fit).map_err(|misfit| refused(&misfit, &text))?;
        grown += signed(hunk.replace.len()) - signed(hunk.search.len());
    }
    Ok((text.joined(ending), applied))
}

fn report(hunk: &Hunk<'_>, fit: &Fit, grown: i64) -> Applied {
    let line = shifted(fit.line, -grown);
    let offset = hunk.expected_line.map(|expected| signed(line) - signed(expected)).filter(|offset| *offset != 0);
    let tolerated = (fit.tolerance != Tolerance::Exact).then_some(fit.tolerance);
    Applied { line: line + 1, tolerated, line_offset: offset }
}

/// The text that a change does not match, with the line offset of earlier changes.
struct Shown<'l> {
    text: &'l EditedText<'l>,
    grown: i64,
}

impl Shown<'_> {
    /// The number of a line in the original file, counted from 1.
    fn number(&self, line: usize) -> usize {
        shifted(line, -self.grown) + 1
    }

    fn at(&self, line: usize) -> String {
        let lines = self.text.lines_from(line).take(SHOWN_LINES);
        let text: Vec<String> = lines.map(|text| text.chars().take(SHOWN_CHARS).collect()).collect();
        format!("line {}: {}", self.number(line), text.join("\n").trim_end())
    }
}

fn refused(path: &str, number: usize, hunk: &Hunk<'_>, shown: &Shown<'_>, misfit: &Misfit) -> Error {
    let error = match misfit {
        Misfit::Nowhere => {
            let nearest = shown
                .text
                .nearest(hunk)
                .map(|line| format!(" The nearest text is at {}", shown.at(line)))
                .unwrap_or_default();
            let message = format!(
                "Change {number} does not match: its old lines are not in {path}. Nothing was written. Read the file again and copy them.{nearest}"
            );
            Error::new(ErrorCode::NotFound, message)
        }
        Misfit::Ambiguous { first, count } => {
            let candidates: Vec<String> = first.iter().take(MAX_CANDIDATES).map(|line| shown.at(*line)).collect();
            let message = format!(
                "Change {number} matches {path} in {count} places. Nothing was written. Add lines before or after, so that only one matches. Candidates: {}",
                candidates.join("; ")
            );
            let numbers: Vec<usize> = first.iter().map(|line| shown.number(*line)).collect();
            Error::new(ErrorCode::Validation, message).with("candidates", numbers)
        }
        Misfit::TooMuchWork => {
            let message = format!(
                "The diff has too many changes for a file of {} lines: the search stopped at change {number}. Nothing was written. Send fewer changes at a time, or write the whole file with write_file.",
                shown.text.len()
            );
            Error::new(ErrorCode::Limit, message)
        }
        Misfit::TooLarge => {
            let message = format!(
                "Change {number} would make {path} larger than fs.fileBytes allows. Nothing was written. Copy the indentation of the old lines exactly, or write less."
            );
            Error::new(ErrorCode::Limit, message)
        }
    };
    error.with("path", path).with("change", number)
}

fn shifted(line: usize, by: i64) -> usize {
    usize::try_from(signed(line).saturating_add(by)).unwrap_or_default()
}

fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
