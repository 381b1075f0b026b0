//! Classifies files as tools or tests by their names, and pairs them.

const SOURCES: [&str; 6] = ["ts", "mts", "cts", "js", "mjs", "cjs"];
const TOOLS: &str = "tools/";
const TEST: &str = ".test";

/// Whether a file is the tool or its test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Tool,
    Test,
}

/// The tool that a file belongs to, and the role of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    pub tool: String,
    pub kind: Kind,
}

impl Subject {
    /// Classifies a file below `tools/`: a test (`a.test.ts`), or else a tool. Declarations, data and files in other folders
    /// are neither: they run only as part of a tool and are covered by its test. The tool of a test need not exist.
    #[must_use]
    pub fn of(path: &str) -> Option<Self> {
        path.starts_with(TOOLS).then_some(())?;
        let (stem, extension) = stem_and_extension(path)?;
        if let Some(tested) = stem.strip_suffix(TEST) {
            let has_name = !tested.is_empty() && !tested.ends_with('/');
            return has_name.then(|| Self { tool: format!("{tested}.{extension}"), kind: Kind::Test });
        }
        let is_declaration = stem.ends_with(".d") && extension.ends_with("ts");
        (!is_declaration).then(|| Self { tool: path.to_owned(), kind: Kind::Tool })
    }

    /// The path of the test.
    #[must_use]
    pub fn test(&self) -> String {
        test_of(&self.tool)
    }
}

/// The path of a tool's test: `tools/a.test.ts` for `tools/a.ts`, `tools/a.test.js` for `tools/a.js`.
#[must_use]
pub fn test_of(tool: &str) -> String {
    let (stem, extension) = stem_and_extension(tool).unwrap_or((tool, "ts"));
    format!("{stem}{TEST}.{extension}")
}

/// Whether a file is named like a test, in any folder.
#[must_use]
pub fn is_test(path: &str) -> bool {
    stem_and_extension(path).is_some_and(|(stem, _)| stem.ends_with(TEST))
}

/// The stem and extension of a source file; `None` for other files.
fn stem_and_extension(path: &str) -> Option<(&str, &str)> {
    let (stem, extension) = path.rsplit_once('.')?;
    let has_name = !stem.is_empty() && !stem.ends_with('/');
    (has_name && SOURCES.contains(&extension)).then_some((stem, extension))
}

#[cfg(test)]
mod tests {
    use super::{Kind, Subject, is_test, test_of};

    #[test]
    fn files_are_classified_by_their_names() {
        let kinds = [
            ("tools/a.ts", Some(("tools/a.ts", Kind::Tool))),
            ("tools/a/b.mjs", Some(("tools/a/b.mjs", Kind::Tool))),
            ("tools/a.test.ts", Some(("tools/a.ts", Kind::Test))),
            ("tools/a.b.test.ts", Some(("tools/a.b.ts", Kind::Test))),
            ("tools/test.ts", Some(("tools/test.ts", Kind::Tool))),
            ("tools/.test.ts", None),
            ("tools/a.test.js", Some(("tools/a.js", Kind::Test))),
            ("tools/a.d.ts", None),
            ("tools/a.json", None),
            ("tools/a", None),
            ("lib/a.ts", None),
            ("a.test.ts", None),
            ("", None),
        ];
        for (path, expected) in kinds {
            let expected = expected.map(|(tool, kind)| Subject { tool: tool.to_owned(), kind });
            assert_eq!(Subject::of(path), expected, "{path}");
        }
        for (tool, test) in [("tools/a.ts", "tools/a.test.ts"), ("tools/a.js", "tools/a.test.js")] {
            assert_eq!(test_of(tool), test);
            assert_eq!(
                Subject::of(test).map(|subject| (subject.test(), subject.tool)),
                Some((test.into(), tool.into()))
            );
        }
        assert_eq!(test_of("lib/x.ts"), "lib/x.test.ts");
        assert!(is_test("tools/a.test.js") && is_test("lib/a.test.ts") && !is_test("tools/test.ts"));
    }
}
