//! Path globs: `*` and `?` match within a folder, `**` across folders.

use globset::{GlobBuilder, GlobMatcher};
use tgp_base::error::{Error, ErrorCode};

/// Longest glob.
const MAX_BYTES: usize = 1 << 10;
/// Most braces in a glob: each doubles the compiled size.
const MAX_BRACES: usize = 16;

#[derive(Debug)]
pub struct PathGlob(GlobMatcher);

impl PathGlob {
    /// # Errors
    /// `Validation` for an invalid glob.
    pub fn parse(text: &str) -> Result<Self, Error> {
        if text.len() > MAX_BYTES || text.matches('{').count() > MAX_BRACES {
            return Err(refused("is too long or has too many braces"));
        }
        let mut plain = text;
        while let Some(rest) = plain.strip_prefix("./") {
            plain = rest;
        }
        // A pattern without a slash applies to every folder, as in .gitignore.
        let pattern = if plain.contains('/') { plain.to_owned() } else { format!("**/{plain}") };
        let glob = GlobBuilder::new(&pattern).literal_separator(true).build();
        glob.map(|glob| Self(glob.compile_matcher()))
            .map_err(|error| refused(&format!("is not a valid pattern: {}", error.kind())))
    }

    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        self.0.is_match(path)
    }

    /// Whether the glob matches, relative to the root or to `folder`.
    #[must_use]
    pub fn matches_in(&self, folder: &str, path: &str) -> bool {
        let below = path.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
        self.matches(path) || below.is_some_and(|below| self.matches(below))
    }
}

fn refused(why: &str) -> Error {
    Error::new(ErrorCode::Validation, format!("glob {why}. Write it as \"tools/**/*.ts\".")).with("field", "glob")
}
