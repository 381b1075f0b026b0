//! Files that nobody asks tests for.

use super::state_error::StateError;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

const MAX_GLOBS: usize = 1_000;
const MAX_GLOB_BYTES: usize = 512;

/// The path that stands for code without a file: a glob that matches it lets agents run some in `strict`.
pub const CODE_PATH: &str = "tools/.code.ts";

/// Globs of paths. `*` and `?` stay within a folder, `**` does not; case counts.
#[derive(Debug, Clone, Default)]
pub struct Exempt {
    globs: GlobSet,
}

impl Exempt {
    /// # Errors
    /// A glob that cannot match any path.
    pub fn new<'g>(globs: impl IntoIterator<Item = &'g str>) -> Result<Self, StateError> {
        let mut set = GlobSetBuilder::new();
        for (number, glob) in globs.into_iter().enumerate() {
            let refused = |problem: &'static str| StateError::Glob { glob: shown(glob), problem };
            if number >= MAX_GLOBS {
                return Err(refused("is one too many; 1000 is the most"));
            }
            check(glob).map_or(Ok(()), |problem| Err(refused(problem)))?;
            let built = GlobBuilder::new(glob).literal_separator(true).backslash_escape(true).build();
            set.add(built.map_err(|_| refused("is no valid glob"))?);
        }
        let too_much = |_| StateError::Glob { glob: "together".to_owned(), problem: "are too much; write fewer ones" };
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
        Some("can never match: paths are relative to the root, and hold no empty segment, no '.' and no '..'")
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
    use super::Exempt;

    #[test]
    fn globs_match_whole_paths_and_wrong_ones_are_refused() {
        let exempt = Exempt::new(["tools/scratch/**", "tools/*.gen.ts"]).unwrap();
        for (path, expected) in [
            ("tools/scratch/a/b.ts", true),
            ("tools/a.gen.ts", true),
            ("tools/a/b.gen.ts", false),
            ("tools/scratch.ts", false),
            ("Tools/scratch/a.ts", false),
        ] {
            assert_eq!(exempt.has(path), expected, "{path}");
        }
        assert!(!Exempt::default().has("tools/a.ts"));
        let long = "a".repeat(513);
        for glob in ["", "/a", "../a", "a/../b", "a//b", "a/", "[", "{a", &long, "{a}{a}{a}{a}{a}{a}{a}{a}{a}"] {
            assert!(Exempt::new([glob]).is_err(), "{glob}");
        }
        assert!(Exempt::new(std::iter::repeat_n("a", 1_001)).is_err());
    }
}
