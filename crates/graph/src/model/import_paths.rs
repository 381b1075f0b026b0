//! Which file a specifier, a literal path of a tool, or a test refers to.

/// Endings that a specifier may omit, or that it names as the compiled file.
const ENDINGS: [&str; 6] = [".ts", ".js", ".mts", ".mjs", ".tsx", ".json"];
const TOOL_ENDINGS: [&str; 2] = [".ts", ".js"];
/// The folder of tools.
pub const TOOLS: &str = "tools/";

/// The file that `importer` imports by a relative specifier, or by one below `/lib/`, which stands for the folder of tools.
pub fn imported<T>(importer: &str, specifier: &str, find: &impl Fn(&str) -> Option<T>) -> Option<T> {
    let is_relative = matches!(specifier, "." | "..") || specifier.starts_with("./") || specifier.starts_with("../");
    let path = match specifier.strip_prefix("/lib/") {
        Some(below) => joined(TOOLS, below)?,
        None if is_relative => joined(importer.rsplit_once('/').map_or("", |(folder, _)| folder), specifier)?,
        None => return None,
    };
    let stem = path.strip_suffix(".js").or_else(|| path.strip_suffix(".mjs"));
    let candidate = |path: &str| find(path);
    let added = || ENDINGS.iter().find_map(|ending| candidate(&format!("{path}{ending}")));
    let swapped = || ENDINGS.iter().find_map(|ending| candidate(&format!("{}{ending}", stem?)));
    let index = || ENDINGS.iter().find_map(|ending| candidate(&format!("{path}/index{ending}")));
    candidate(&path).or_else(added).or_else(swapped).or_else(index)
}

/// The tool that `tgp.exec_tool` calls by a literal path.
pub fn called<T>(literal: &str, find: &impl Fn(&str) -> Option<T>) -> Option<T> {
    let path = joined("", literal.trim_start_matches('/'))?;
    let short = format!("{TOOLS}{path}");
    [path, short].into_iter().find_map(|path| {
        find(&path).or_else(|| TOOL_ENDINGS.iter().find_map(|ending| find(&format!("{path}{ending}"))))
    })
}

/// The tool of `a.test.ts`: `a.ts`.
pub fn tool_of_test(path: &str) -> Option<String> {
    TOOL_ENDINGS.iter().find_map(|ending| Some(format!("{}{ending}", path.strip_suffix(&format!(".test{ending}"))?)))
}

pub fn looks_like_tool(path: &str) -> bool {
    let has_code = TOOL_ENDINGS.iter().any(|ending| path.ends_with(ending));
    path.starts_with(TOOLS) && has_code && tool_of_test(path).is_none() && !path.ends_with(".d.ts")
}

/// A relative path below a folder; `None` when it leads out of the root.
fn joined(folder: &str, relative: &str) -> Option<String> {
    let mut names: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    for name in relative.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()?),
            name => names.push(name),
        }
    }
    Some(names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::{called, imported, looks_like_tool, tool_of_test};

    #[test]
    fn specifiers_and_literals_find_their_files() {
        let files = ["tools/a.ts", "tools/lib/b.ts", "tools/lib/index.ts", "shared/c.js", "d.json"];
        let find = |path: &str| files.into_iter().find(|file| *file == path);
        for (importer, specifier, expected) in [
            ("tools/a.ts", "./lib/b.ts", Some("tools/lib/b.ts")),
            ("tools/a.ts", "./lib/b", Some("tools/lib/b.ts")),
            ("tools/a.ts", "./lib/b.js", Some("tools/lib/b.ts")),
            ("tools/a.ts", "./lib", Some("tools/lib/index.ts")),
            ("tools/lib/b.ts", "../a.ts", Some("tools/a.ts")),
            ("tools/lib/b.ts", ".", Some("tools/lib/index.ts")),
            ("tools/lib/b.ts", "./", Some("tools/lib/index.ts")),
            ("tools/lib/deep/b.ts", "..", Some("tools/lib/index.ts")),
            ("tools/a.ts", "/lib/lib/b", Some("tools/lib/b.ts")),
            ("tools/a.ts", "/lib/lib", Some("tools/lib/index.ts")),
            ("tools/a.ts", "/tools/a.ts", None),
            ("tools/lib/b.ts", "../../shared/c.js", Some("shared/c.js")),
            ("tools/lib/b.ts", "../../d.json", Some("d.json")),
            ("tools/a.ts", "../../d.json", None),
            ("tools/a.ts", "zod", None),
            ("tools/a.ts", "./missing", None),
        ] {
            assert_eq!(imported(importer, specifier, &find), expected, "{importer} {specifier}");
        }
        for (literal, expected) in [
            ("tools/a.ts", Some("tools/a.ts")),
            ("a.ts", Some("tools/a.ts")),
            ("lib/b", Some("tools/lib/b.ts")),
            ("./tools/a", Some("tools/a.ts")),
            ("../a.ts", None),
            ("zzz", None),
        ] {
            assert_eq!(called(literal, &find), expected, "{literal}");
        }
        assert_eq!(tool_of_test("tools/a.test.ts").as_deref(), Some("tools/a.ts"));
        assert_eq!(tool_of_test("tools/a.ts"), None);
        assert!(looks_like_tool("tools/a.ts") && !looks_like_tool("tools/a.test.ts") && !looks_like_tool("src/a.ts"));
    }
}
