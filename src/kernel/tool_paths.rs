//! Classification of files by path: sources, tools, tests. The only list of extensions.

use tgp_compile::{is_test_file, tested_stem};
use tgp_vfs::JailPath;

/// The folder of the tools.
pub use tgp_compile::TOOLS;

/// The folder of long results, which JavaScript writes. Not committed, and not writable by agents.
pub const RESULTS: &str = ".results";

/// The virtual path of code without a file, for its imports. Agents cannot write a file of this name.
pub const CODE_PATH: &str = "tools/.code.ts";

const TYPESCRIPT: [&str; 3] = ["ts", "mts", "cts"];
const JAVASCRIPT: [&str; 3] = ["js", "mjs", "cjs"];

/// Whether a file's types can be checked.
pub fn is_typescript(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, extension)| TYPESCRIPT.contains(&extension))
}

/// Whether a path is that of code below `tools/`, declarations included.
pub fn is_tool_source(path: &JailPath) -> bool {
    let is_source = |extension: &str| sources().any(|source| source == extension);
    path.starts_with(TOOLS) && path.extension().is_some_and(is_source)
}

/// Whether a path can be a tool, which declarations and tests are not.
pub fn is_tool(path: &JailPath) -> bool {
    is_tool_source(path) && !path.file_name().is_some_and(is_declaration) && !is_test_file(path.as_str())
}

/// Whether a path is that of tests of a tool, such as `tools/a/b.test.ts`.
pub fn is_test(path: &JailPath) -> bool {
    is_tool_source(path) && is_test_file(path.as_str())
}

/// The possible paths of a test's tool, the likeliest first.
pub fn tools_of_test(test: &JailPath) -> Vec<JailPath> {
    with_endings(tested_stem(test.as_str()).map(str::to_owned), test.extension())
}

/// The possible paths of a tool's test, the likeliest first.
pub fn tests_of_tool(tool: &JailPath) -> Vec<JailPath> {
    let stem = tool.as_str().rsplit_once('.').map(|(stem, _)| format!("{stem}.test"));
    with_endings(stem, tool.extension())
}

/// The path with every extension of a source, `first` before the others.
fn with_endings(stem: Option<String>, first: Option<&str>) -> Vec<JailPath> {
    let Some(stem) = stem else { return Vec::new() };
    let mut endings: Vec<&str> = sources().collect();
    endings.sort_by_key(|ending| first != Some(*ending));
    endings.iter().filter_map(|ending| JailPath::parse(&format!("{stem}.{ending}")).ok()).collect()
}

/// The suffixes that are tried for an import, in order.
pub fn import_endings() -> impl Iterator<Item = String> {
    let files = sources().chain(["json"]).map(|extension| format!(".{extension}"));
    let folders = sources().map(|extension| format!("/index.{extension}"));
    std::iter::once(String::new()).chain(files).chain(folders)
}

fn sources() -> impl Iterator<Item = &'static str> {
    TYPESCRIPT.into_iter().chain(JAVASCRIPT)
}

fn is_declaration(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    is_typescript(name) && stem.rsplit_once('.').is_some_and(|(_, kind)| kind == "d")
}

#[cfg(test)]
mod tests {
    use super::{import_endings, is_test, is_tool, is_tool_source, is_typescript, tests_of_tool, tools_of_test};
    use tgp_vfs::JailPath;

    #[test]
    fn all_functions_agree_on_the_six_extensions() {
        for extension in ["ts", "mts", "cts", "js", "mjs", "cjs"] {
            let path = JailPath::parse(&format!("tools/a.{extension}")).unwrap();
            assert!(is_tool(&path) && is_tool_source(&path), "{extension}");
            assert_eq!(is_typescript(path.as_str()), extension.ends_with("ts"), "{extension}");
            for ending in [format!(".{extension}"), format!("/index.{extension}")] {
                assert!(import_endings().any(|known| known == ending), "{ending}");
            }
        }
        for path in ["tools/a.d.ts", "tools/a.d.cts"] {
            let path = JailPath::parse(path).unwrap();
            assert!(is_tool_source(&path) && !is_tool(&path));
        }
        let (tool, test) = (JailPath::parse("tools/a/b.mts").unwrap(), JailPath::parse("tools/a/b.test.mts").unwrap());
        assert!(is_test(&test) && !is_tool(&test) && is_tool_source(&test) && !is_test(&tool));
        assert_eq!((&tools_of_test(&test)[0], &tests_of_tool(&tool)[0]), (&tool, &test));
        for path in ["a.ts", "tools/a.json", "tools/ts", "tools/a.TS"] {
            assert!(!is_tool_source(&JailPath::parse(path).unwrap()), "{path}");
        }
    }
}
