//! All path globs of a policy, matched in one pass.

use globset::{GlobBuilder, GlobMatcher, GlobSet, GlobSetBuilder};
use std::collections::HashMap;

/// The longest glob.
const MAX_GLOB_BYTES: usize = 512;
/// The most braces in a glob: each can double its expansion.
const MAX_BRACES: usize = 8;
/// The most distinct globs in one policy.
pub(crate) const MAX_GLOBS: usize = 10_000;
/// The most bytes of globs with inner wildcards, which add to the cost of every match.
const MAX_WILDCARD_BYTES: usize = 64 << 10;

#[derive(Debug)]
pub(crate) struct PathSetBuilder {
    texts: Vec<String>,
    ids: HashMap<String, usize>,
    globs: GlobSetBuilder,
    wildcard_bytes: usize,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct PathSet {
    texts: Vec<String>,
    set: GlobSet,
}

impl Default for PathSetBuilder {
    fn default() -> Self {
        Self { texts: Vec::new(), ids: HashMap::new(), globs: GlobSetBuilder::new(), wildcard_bytes: 0 }
    }
}

impl PathSetBuilder {
    /// Adds a glob and returns its number.
    ///
    /// # Errors
    /// What is wrong, as text that follows the glob.
    pub fn add(&mut self, text: &str) -> Result<usize, String> {
        if let Some(id) = self.ids.get(text) {
            return Ok(*id);
        }
        check_path_glob(text)?;
        let glob = builder(text)?.build().map_err(|error| format!("is not a valid glob: {}", error.kind()))?;
        if self.texts.len() >= MAX_GLOBS {
            return Err(format!("exceeds the limit of {MAX_GLOBS} different globs"));
        }
        if has_inner_wildcards(text) {
            self.wildcard_bytes += text.len();
        }
        if self.wildcard_bytes > MAX_WILDCARD_BYTES {
            let limit = MAX_WILDCARD_BYTES >> 10;
            return Err(format!("exceeds the limit: globs with inner wildcards have more than {limit} KiB together"));
        }
        self.globs.add(glob);
        let id = self.texts.len();
        self.texts.push(text.to_owned());
        self.ids.insert(text.to_owned(), id);
        Ok(id)
    }

    /// # Errors
    /// When all globs together are too large.
    pub fn finish(self) -> Result<PathSet, &'static str> {
        let set = self
            .globs
            .build()
            .map_err(|_| "The globs of this policy are too large together. Use fewer or simpler globs.")?;
        Ok(PathSet { texts: self.texts, set })
    }
}

impl PathSet {
    /// The numbers of the matching globs, in ascending order.
    pub fn matches(&self, path: &str) -> Vec<usize> {
        self.set.matches(path)
    }

    pub fn text(&self, id: usize) -> &str {
        self.texts.get(id).map(String::as_str).unwrap_or_default()
    }
}

/// A glob for a text that is not a path.
///
/// # Errors
/// What is wrong, as text that follows the glob.
pub(crate) fn text_glob(text: &str) -> Result<GlobMatcher, String> {
    let glob = builder(text)?.build().map_err(|error| format!("is not a valid glob: {}", error.kind()))?;
    Ok(glob.compile_matcher())
}

/// A path that the glob matches, made by replacing its wildcards; `None` if that is not possible.
pub(crate) fn example_of(glob: &str) -> Option<String> {
    let hard = ['{', '[', '\\'];
    if glob.contains(hard) {
        return None;
    }
    Some(glob.replace("**/*", "example").replace("**", "example").replace('*', "example").replace('?', "x"))
}

/// `*` and `?` match within a folder, `**` across folders.
fn builder(text: &str) -> Result<GlobBuilder<'_>, String> {
    if text.is_empty() {
        return Err("is empty".to_owned());
    }
    if text.len() > MAX_GLOB_BYTES {
        return Err(format!("is longer than {MAX_GLOB_BYTES} bytes"));
    }
    if text.bytes().filter(|byte| *byte == b'{').count() > MAX_BRACES {
        return Err(format!("has more than {MAX_BRACES} braces"));
    }
    let mut builder = GlobBuilder::new(text);
    builder.literal_separator(true).backslash_escape(true);
    Ok(builder)
}

fn check_path_glob(text: &str) -> Result<(), String> {
    let advice = "can never match: paths are relative to the root";
    if text.starts_with('/') {
        return Err(format!("{advice}, so remove the leading '/'"));
    }
    if text.split('/').any(|segment| matches!(segment, "." | "..")) {
        return Err(format!("{advice}, without '.' and '..'"));
    }
    if text.starts_with('!') {
        return Err("begins with '!', which does not negate; use a rule with another verdict".to_owned());
    }
    if text.trim() != text {
        return Err("begins or ends with a space; paths do not".to_owned());
    }
    if text.split('\\').skip(1).any(|rest| rest.starts_with(char::is_alphanumeric)) {
        return Err("has a '\\' before a letter; folders are separated by '/'".to_owned());
    }
    if text.ends_with('/') {
        return Err("ends with '/'; to match the contents of a folder, end it with '/**'".to_owned());
    }
    if text.contains("//") {
        return Err("has '//'; paths do not".to_owned());
    }
    Ok(())
}

fn has_inner_wildcards(text: &str) -> bool {
    let plain = text.strip_suffix("/**").unwrap_or(text);
    plain.contains(['*', '?', '[', '{', '\\'])
}

#[cfg(test)]
mod tests {
    use super::{PathSetBuilder, example_of};

    #[test]
    fn wildcards_stay_within_a_folder_and_examples_match() {
        for (glob, path, expected) in [
            ("tools/**", "tools/a/b.ts", true),
            ("tools/**", "tools", false),
            ("tools/*", "tools/a/b.ts", false),
            ("tools/*.ts", "tools/a.ts", true),
            ("**/*.test.ts", "a/b/c.test.ts", true),
            ("**/*.test.ts", "c.test.ts", true),
            ("tools/{a,b}/**", "tools/b/x", true),
            ("tools/{a,b}/**", "tools/c/x", false),
            ("**", "anything/at/all", true),
            ("Tools/**", "tools/a", false),
            ("a?c", "abc", true),
            ("a?c", "a/c", false),
        ] {
            let mut builder = PathSetBuilder::default();
            builder.add(glob).unwrap();
            let set = builder.finish().unwrap();
            assert_eq!(!set.matches(path).is_empty(), expected, "{glob} {path}");
            if let Some(example) = example_of(glob) {
                assert_eq!(set.matches(&example), [0], "{glob} {example}");
            }
        }
    }

    #[test]
    fn invalid_globs_are_refused() {
        let long = "a".repeat(600);
        for glob in ["", "/a", "../a", "a/./b", "a/", "a//b", "[", "{a", "{a}{a}{a}{a}{a}{a}{a}{a}{a}", &long] {
            assert!(PathSetBuilder::default().add(glob).is_err(), "{glob}");
        }
    }
}
