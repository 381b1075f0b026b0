//! Globs of files that need no tests.

use super::state_error::StateError;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

const MAX_GLOBS: usize = 1_000;
const MAX_GLOB_BYTES: usize = 512;

/// The path that represents code without a file: a glob that matches it lets agents run such code in `strict` mode.
pub const CODE_PATH: &str = "tools/.code.ts";

/// A set of case-sensitive path globs. `*` and `?` match within a folder, `**` across folders.
#[derive(Debug, Clone, Default)]
pub struct ExemptGlobs {
    globs: GlobSet,
}

impl ExemptGlobs {
    /// # Errors
    /// A glob that cannot match any path.
    pub fn new<'g>(globs: impl IntoIterator<Item = &'g str>) -> Result<Self, StateError> {
        let mut set = GlobSetBuilder::new();
        for (number, glob) in globs.into_iter().enumerate() {
            let refused = |problem: &'static str| StateError::Glob { glob: shown(glob), problem };
            if number >= MAX_GLOBS {
                return Err(refused("exceeds the limit of 1000 globs"));
            }
            check(glob).map_or(Ok(()), |problem| Err(refused(problem)))?;
            let built = GlobBuilder::new(glob).literal_separator(true).backslash_escape(true).build();
            set.add(built.map_err(|_| refused("is not a valid glob"))?);
        }
        let too_much = |_| StateError::Glob {
            glob: "(all together)".to_owned(),
            problem: "exceeds the size limit. Use fewer globs",
        };
        Ok(Self { globs: set.build().map_err(too_much)? })
    }

    #[must_use]
    pub fn has(&self, path: &str) -> bool {
        self.globs.is_match(path)
    }
}

fn check(glob: &str) -> Option<&'static str> {
    if glob.is_empty() || glob.len() > MAX_GLOB_BYTES {
        Some("must have 1 to 512 bytes")
    } else if glob.starts_with('/') || glob.split('/').any(|segment| matches!(segment, "." | ".." | "")) {
        Some("can never match. Paths are relative to the root, without empty segments, '.' or '..'")
    } else if glob.bytes().filter(|byte| *byte == b'{').count() > 8 {
        Some("has more than 8 braces")
    } else {
        None
    }
}

fn shown(glob: &str) -> String {
    glob.chars().take(100).collect()
}

#[cfg(test)]
mod tests {
    use super::ExemptGlobs;

    #[test]
    fn globs_match_whole_paths_and_invalid_globs_are_refused() {
        let exempt = ExemptGlobs::new(["tools/scratch/**", "tools/*.gen.ts"]).unwrap();
        for (path, expected) in [
            ("tools/scratch/a/b.ts", true),
            ("tools/a.gen.ts", true),
            ("tools/a/b.gen.ts", false),
            ("tools/scratch.ts", false),
            ("Tools/scratch/a.ts", false),
        ] {
            assert_eq!(exempt.has(path), expected, "{path}");
        }
        assert!(!ExemptGlobs::default().has("tools/a.ts"));
        let long = "a".repeat(513);
        for glob in ["", "/a", "../a", "a/../b", "a//b", "a/", "[", "{a", &long, "{a}{a}{a}{a}{a}{a}{a}{a}{a}"] {
            assert!(ExemptGlobs::new([glob]).is_err(), "{glob}");
        }
        assert!(ExemptGlobs::new(std::iter::repeat_n("a", 1_001)).is_err());
    }
}
