//! Suggestions for imports of files that do not exist.

use crate::kernel::near_path::near_path_where;
use crate::kernel::tool_paths::{TOOLS, is_tool_source};
use tgp_vfs::{JailPath, Vfs};

/// The specifier of the file that an import most likely means, in the form of the one that was written. Never the
/// importing file.
pub(super) fn near_import(importer: &str, specifier: &str, files: &dyn Vfs) -> Option<String> {
    let is_candidate =
        |file: &JailPath| file.as_str() != importer && (is_tool_source(file) || file.extension() == Some("json"));
    let near = near_path_where(specifier, &folder_of(importer, specifier), files, &is_candidate)?;
    let is_whole = specifier.rsplit('/').next().is_some_and(|name| name.ends_with(".ts"));
    let path = if is_whole { near.as_str() } else { near.strip_suffix(".ts").unwrap_or(&near) };
    let inside = path.strip_prefix(TOOLS).and_then(|rest| rest.strip_prefix('/'));
    match inside {
        Some(inside) if !specifier.starts_with('.') => Some(format!("/lib/{inside}")),
        // Files outside the folder of the tools have only relative specifiers.
        _ => Some(relative(importer, path)),
    }
}

/// The folder in which an import looks for its file.
fn folder_of(importer: &str, specifier: &str) -> String {
    let (mut parts, rest) = match specifier.strip_prefix("/lib/") {
        Some(rest) => (vec![TOOLS], rest),
        None => (importer.split('/').collect(), specifier),
    };
    if rest == specifier {
        parts.pop();
    }
    let mut names: Vec<&str> = rest.split('/').collect();
    names.pop();
    for name in names {
        match name {
            ".." => drop(parts.pop()),
            "." | "" => {}
            name => parts.push(name),
        }
    }
    parts.join("/")
}

/// The relative specifier of `path` in the module `importer`.
fn relative(importer: &str, path: &str) -> String {
    let mut folders = importer.split('/').collect::<Vec<_>>();
    folders.pop();
    let mut rest = path;
    let mut up = folders.len();
    for folder in folders {
        let Some(inner) = rest.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')) else { break };
        rest = inner;
        up -= 1;
    }
    if up == 0 { format!("./{rest}") } else { "../".repeat(up) + rest }
}

#[cfg(test)]
mod tests {
    use super::near_import;
    use tgp_vfs::{JailPath, MemoryVfs, Vfs};

    #[test]
    fn of_files_with_the_same_name_the_nearest_to_the_import_is_suggested() {
        let files = MemoryVfs::new();
        for path in [
            "tools/a/round.ts",
            "tools/b/deep/round.ts",
            "tools/b/round.ts",
            "tools/c/round.ts",
            "tools/round.ts",
            "tools/z/net.ts",
        ] {
            files.write(&JailPath::parse(path).unwrap(), "").unwrap();
        }
        for (importer, specifier, near) in [
            ("tools/b/net.ts", "./rond", "./round"),
            ("tools/b/deep/net.ts", "./rond.ts", "./round.ts"),
            ("tools/c/net.ts", "./rounds/round", "./round"),
            ("tools/z/net.ts", "../c/rond", "../c/round"),
            ("tools/z/net.ts", "./rond", "../round"),
            ("tools/z/net.ts", "/lib/b/rond", "/lib/b/round"),
            ("tools/z/net.ts", "/lib/rond", "/lib/round"),
            ("tools/c/deep/net.ts", "./round", "../round"),
        ] {
            assert_eq!(near_import(importer, specifier, &files).as_deref(), Some(near), "{importer} {specifier}");
        }
    }

    #[test]
    fn an_import_is_suggested_in_the_form_that_was_written() {
        let files = MemoryVfs::new();
        for path in
            ["tools/price/gross.ts", "tools/price/gross.test.ts", "tools/d.test.ts", "data/rates.json", "notes.md"]
        {
            files.write(&JailPath::parse(path).unwrap(), "").unwrap();
        }
        for (importer, specifier, near) in [
            ("tools/price/net.ts", "./gros", Some("./gross")),
            ("tools/price/net.ts", "./gros.ts", Some("./gross.ts")),
            ("tools/price/deep/net.ts", "./gross", Some("../gross")),
            ("tools/net.ts", "./gross", Some("./price/gross")),
            ("tools/vat/net.ts", "../prise/gross", Some("../price/gross")),
            ("tools/price/net.ts", "/lib/price/gros", Some("/lib/price/gross")),
            ("tools/price/net.ts", "../rates.json", Some("../../data/rates.json")),
            ("tools/price/all.test.ts", "./gros", Some("./gross")),
            ("tools/price/all.test.ts", "./gros.test", Some("./gross.test")),
            ("tools/d.test.ts", "./d", None),
            ("tools/d.test.ts", "./d.tset", None),
            ("tools/price/gross.ts", "./gros", None),
            ("tools/price/net.ts", "../notes", None),
        ] {
            assert_eq!(near_import(importer, specifier, &files).as_deref(), near, "{importer} {specifier}");
        }
    }
}
