//! What an import specifier stands for.

use super::packages::Packages;
use super::std_library;
use super::write_rules::TOOLS;
use crate::compile::Import;
use crate::error::Error;
use crate::vfs::JailPath;

/// A module that a tool may load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A file of the root; before it is resolved, its ending may be missing.
    File(JailPath),
    /// A part of the standard library.
    Std { path: String, source: &'static str },
    /// A package of the application.
    Package { specifier: String, path: String },
}

impl Target {
    /// The module's name within a run.
    pub fn path(&self) -> &str {
        match self {
            Self::File(path) => path.as_str(),
            Self::Std { path, .. } | Self::Package { path, .. } => path,
        }
    }
}

/// The target of a specifier; `None` when it is outside what tools may import.
pub fn target_of(importer: &str, specifier: &str, packages: &Packages) -> Option<Target> {
    if let Some(part) = std_library::part_of(importer, specifier) {
        return std_library::find(&part).map(|(path, source)| Target::Std { path, source });
    }
    if specifier.starts_with(['.', '/']) {
        return JailPath::parse(&file_of(importer, specifier)?).ok().map(Target::File);
    }
    packages
        .allowed_package(specifier)
        .map(|_| Target::Package { specifier: specifier.to_owned(), path: format!("node_modules/{specifier}") })
}

/// The file of the root that a specifier stands for, before endings are tried; `None` when it names no file inside it.
fn file_of(importer: &str, specifier: &str) -> Option<String> {
    if let Some(rest) = specifier.strip_prefix("/lib/") {
        return normal(TOOLS, rest);
    }
    let relative = specifier == "." || specifier == ".." || specifier.starts_with("./") || specifier.starts_with("../");
    let folder = importer.rsplit_once('/').map_or("", |(folder, _)| folder);
    if relative { normal(folder, specifier) } else { None }
}

/// The same error with the place of the import.
pub fn placed(error: Error, importer: &str, import: &Import) -> Error {
    let error = error.with("path", importer);
    if import.line == 0 { error } else { error.with("line", import.line).with("column", import.column) }
}

/// `relative` seen from `folder`; `None` when it leaves the root.
fn normal(folder: &str, relative: &str) -> Option<String> {
    let mut segments: Vec<&str> = folder.split('/').filter(|segment| !segment.is_empty()).collect();
    for segment in relative.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            name => segments.push(name),
        }
    }
    Some(segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::target_of;
    use crate::kernel::packages::Packages;

    #[test]
    fn specifiers_stay_inside_what_is_allowed() {
        let packages = Packages::test(&["zod", "@scope/kit"]);
        let target =
            |specifier: &str| target_of("tools/a/b.ts", specifier, &packages).map(|target| target.path().to_owned());
        for (specifier, path) in [
            ("./c", "tools/a/c"),
            ("../lib/c.ts", "tools/lib/c.ts"),
            ("/lib/x/y", "tools/x/y"),
            ("../../data.json", "data.json"),
            (".", "tools/a"),
            ("zod", "node_modules/zod"),
            ("zod/v4", "node_modules/zod/v4"),
            ("@scope/kit/deep/er", "node_modules/@scope/kit/deep/er"),
            ("@tgp/std", "@tgp/std/index.ts"),
            ("@tgp/std/csv", "@tgp/std/csv.ts"),
        ] {
            assert_eq!(target(specifier).as_deref(), Some(path), "{specifier}");
        }
        for outside in [
            "../../../etc/passwd",
            "/lib/../../x",
            "fs",
            "node:fs",
            "/etc/passwd",
            "file:///x",
            "",
            "zodiac",
            "@scope",
            "@scope/other",
            "zod/../fs",
            "zod//x",
            "@tgp/std/none",
            "@tgp/std/../csv",
            "zod/./x",
            "zod/x\\y",
            "zod/node_modules/fs",
            "ZOD",
        ] {
            assert_eq!(target(outside), None, "{outside}");
        }
    }
}
