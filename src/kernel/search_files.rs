//! `search_files`: text in the files of the root, by ripgrep's engine but through the jail.

use super::config::{DEFAULT_SEARCH_LIMIT, SEARCH_LIMIT};
use super::kernel::Kernel;
use crate::error::{Error, ErrorCode};
use crate::vfs::{JailPath, Vfs};
use globset::{GlobBuilder, GlobMatcher};
use grep_matcher::Matcher;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::sinks::UTF8;
use grep_searcher::{BinaryDetection, SearcherBuilder};
use serde::{Deserialize, Serialize};

/// Longest piece of a line that is shown.
const SHOWN_CHARS: usize = 300;
/// Largest compiled expression.
const REGEX_BYTES: usize = 1 << 20;

/// What to look for.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SearchQuery {
    pattern: String,
    /// Which files, such as `tools/**/*.ts`; all when absent.
    glob: Option<String>,
    #[serde(default)]
    case: Case,
    limit: Option<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Case {
    #[default]
    Sensitive,
    Insensitive,
}

#[derive(Debug, Serialize)]
pub struct SearchMatch {
    path: String,
    /// Counted from 1.
    line: u64,
    /// Counted from 1, in characters.
    column: usize,
    text: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchReport {
    matches: Vec<SearchMatch>,
    /// Whether there are more than are shown.
    truncated: bool,
    /// Files that were looked into.
    files: usize,
}

impl Kernel {
    /// Matching lines in the order of their paths, at most `limit`.
    pub fn search_files(&self, query: &SearchQuery) -> Result<SearchReport, Error> {
        let limit = query.limit.unwrap_or(DEFAULT_SEARCH_LIMIT);
        SEARCH_LIMIT.check(limit, "", ErrorCode::Validation)?;
        let limit = limit as usize;
        let (regex, glob) = (query.regex()?, query.glob()?);
        let mut searcher = SearcherBuilder::new().line_number(true).binary_detection(BinaryDetection::quit(0)).build();
        let mut report = SearchReport { matches: Vec::new(), truncated: false, files: 0 };
        for path in self.vfs.list(&JailPath::root())? {
            if glob.as_ref().is_some_and(|glob| !glob.is_match(path.as_str())) {
                continue;
            }
            // What cannot be read as text, or is gone by now, holds no match.
            let Ok(text) = self.vfs.read(&path) else { continue };
            report.files += 1;
            let sink = UTF8(|line, text| {
                if report.matches.len() >= limit {
                    report.truncated = true;
                    return Ok(false);
                }
                report.matches.push(SearchMatch {
                    path: path.as_str().to_owned(),
                    line,
                    column: column(&regex, text),
                    text: shown(text),
                });
                Ok(true)
            });
            // The text is in memory: there is nothing that could fail.
            let _ = searcher.search_slice(&regex, text.as_bytes(), sink);
            if report.truncated {
                break;
            }
        }
        Ok(report)
    }
}

impl SearchQuery {
    fn regex(&self) -> Result<RegexMatcher, Error> {
        if self.pattern.is_empty() {
            return Err(refused("pattern", "is empty. Give a regular expression, such as \"fetch\\\\(\"."));
        }
        RegexMatcherBuilder::new()
            .case_insensitive(self.case == Case::Insensitive)
            .size_limit(REGEX_BYTES)
            .dfa_size_limit(REGEX_BYTES)
            .line_terminator(Some(b'\n'))
            .build(&self.pattern)
            .map_err(|error| {
                refused(
                    "pattern",
                    &format!("is not a valid regular expression: {error}. Escape characters that are meant literally."),
                )
            })
    }

    fn glob(&self) -> Result<Option<GlobMatcher>, Error> {
        let Some(glob) = &self.glob else { return Ok(None) };
        // A bare name pattern is meant for every folder, as in .gitignore.
        let pattern = if glob.contains('/') { glob.clone() } else { format!("**/{glob}") };
        let glob = GlobBuilder::new(&pattern).literal_separator(true).build();
        glob.map(|glob| Some(glob.compile_matcher())).map_err(|error| {
            refused("glob", &format!("is not a valid pattern: {}. Write it as \"tools/**/*.ts\".", error.kind()))
        })
    }
}

fn refused(field: &str, why: &str) -> Error {
    Error::new(ErrorCode::Validation, format!("{field} {why}")).with("field", field)
}

fn column(regex: &RegexMatcher, line: &str) -> usize {
    let found = regex.find(line.as_bytes()).ok().flatten();
    let before = found.and_then(|found| line.get(..found.start())).unwrap_or_default();
    before.chars().count() + 1
}

fn shown(line: &str) -> String {
    line.trim_end().chars().take(SHOWN_CHARS).collect()
}
