//! `search_files`: regular expression search over the files of the root, line by line.

use super::line_regex::{LetterCase, LineRegex, TooMuchWork};
use super::path_glob::PathGlob;
use crate::kernel::config::{DEFAULT_SEARCH_LIMIT, SEARCH_LIMIT};
use crate::kernel::tool_paths::RESULTS;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};
use tgp_base::error::{Error, ErrorCode};
use tgp_vfs::{JailPath, Vfs};

/// Most characters of a line that are shown.
const SHOWN_CHARS: usize = 300;
/// Longest expression.
const MAX_PATTERN_BYTES: usize = 4 << 10;
/// Time limit of a search.
const MAX_TIME: Duration = Duration::from_secs(5);

/// A search request.
#[derive(Debug, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchQuery {
    pattern: String,
    /// Which files, such as `tools/**/*.ts`; all when absent.
    glob: Option<String>,
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<_>", optional))]
    case: Case,
    limit: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
enum Case {
    #[default]
    Sensitive,
    Insensitive,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SearchMatch {
    path: String,
    /// Counted from 1.
    line: u64,
    /// Counted from 1, in characters.
    column: usize,
    text: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct SearchReport {
    matches: Vec<SearchMatch>,
    /// Whether there are more matches.
    truncated: bool,
    /// The number of searched files.
    files: usize,
    /// Why the search stopped before the last file.
    #[serde(skip_serializing_if = "Option::is_none")]
    notice: Option<String>,
}

/// The random name of a stored result, without its part and extension.
fn result_name(path: &JailPath) -> &str {
    let path = path.as_str();
    let end = path.match_indices('-').nth(1).map(|(at, _)| at).or_else(|| path.rfind('.'));
    end.and_then(|end| path.get(..end)).unwrap_or(path)
}

/// Matching lines of `files` in path order, up to the query's limit.
pub fn search(files: &dyn Vfs, query: &SearchQuery) -> Result<SearchReport, Error> {
    let limit = query.limit.unwrap_or(DEFAULT_SEARCH_LIMIT);
    SEARCH_LIMIT.check(limit, "", ErrorCode::Validation)?;
    let (mut regex, glob) = (query.regex()?, query.glob.as_deref().map(PathGlob::parse).transpose()?);
    let mut report = SearchReport { matches: Vec::new(), truncated: false, files: 0, notice: None };
    let begun = Instant::now();
    for path in files.list(&JailPath::root())? {
        if glob.as_ref().is_some_and(|glob| !glob.matches(path.as_str())) {
            continue;
        }
        // A stored result is only for the caller who knows its name.
        if path.starts_with(RESULTS) && query.glob.as_ref().is_none_or(|glob| !glob.starts_with(result_name(&path))) {
            continue;
        }
        // Skips binary and removed files.
        let Ok(text) = files.read(&path) else { continue };
        report.files += 1;
        let searched = report.add(&path, &text, &mut regex, limit as usize);
        if searched.is_err() || begun.elapsed() > MAX_TIME {
            report.truncated = true;
            report.notice = Some(format!(
                "The search stopped at {}: it took too long. Narrow it with glob, or simplify the pattern.",
                path.as_str()
            ));
        }
        if report.truncated {
            break;
        }
    }
    Ok(report)
}

impl SearchReport {
    /// Adds the matches of one file.
    fn add(&mut self, path: &JailPath, text: &str, regex: &mut LineRegex, limit: usize) -> Result<(), TooMuchWork> {
        if text.contains('\0') {
            return Ok(());
        }
        for (line, text) in (1..).zip(text.lines()) {
            let Some(start) = regex.find(text)? else { continue };
            if self.matches.len() >= limit {
                self.truncated = true;
                break;
            }
            let before = text.get(..start).unwrap_or_default();
            self.matches.push(SearchMatch {
                path: path.as_str().to_owned(),
                line,
                column: before.chars().count() + 1,
                text: text.trim_end().chars().take(SHOWN_CHARS).collect(),
            });
        }
        Ok(())
    }
}

impl SearchQuery {
    fn regex(&self) -> Result<LineRegex, Error> {
        let pattern = self.pattern.as_str();
        if pattern.is_empty() {
            return Err(refused("pattern", "is empty. Give a regular expression, such as \"fetch\\\\(\"."));
        }
        if pattern.len() > MAX_PATTERN_BYTES {
            return Err(refused("pattern", "is longer than 4 096 bytes. Use a shorter one."));
        }
        if spans_lines(pattern) {
            return Err(refused(
                "pattern",
                "contains a line break. Lines are searched one by one: search for one of them.",
            ));
        }
        let case = match self.case {
            Case::Sensitive => LetterCase::Sensitive,
            Case::Insensitive => LetterCase::Insensitive,
        };
        LineRegex::new(pattern, case).map_err(|error| {
            refused(
                "pattern",
                &format!("is not a valid regular expression: {error}. Escape literal special characters."),
            )
        })
    }
}

fn refused(field: &str, why: &str) -> Error {
    Error::new(ErrorCode::Validation, format!("{field} {why}")).with("field", field)
}

/// Whether a pattern matches a line break, other than in a class such as `[^\n]`.
fn spans_lines(pattern: &str) -> bool {
    let mut in_class = false;
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.next() == Some('n') && !in_class => return true,
            '\n' if !in_class => return true,
            '[' => in_class = true,
            ']' => in_class = false,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::spans_lines;

    #[test]
    fn multi_line_patterns_are_recognised() {
        for pattern in [r"a\nb", "a\nb", r"\\\n"] {
            assert!(spans_lines(pattern), "{pattern}");
        }
        for pattern in [r"a\\nb", r"[^\n]+", r"\[n", "n"] {
            assert!(!spans_lines(pattern), "{pattern}");
        }
    }
}
