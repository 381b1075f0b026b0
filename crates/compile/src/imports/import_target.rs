//! Classification of import specifiers, without file access. Shared by the lint rule and the import resolver.

use super::std_library;

/// The folder that the prefix `/lib/` maps to.
pub const TOOLS: &str = "tools";
/// Maximum length of a package specifier.
const MAX_SPECIFIER_BYTES: usize = 1024;

/// The target of an import specifier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportTarget<'p> {
    /// A path relative to the workspace root, before file extensions are tried.
    File(String),
    /// A module of the standard library.
    Std { path: String, source: &'static str },
    /// An allowed package, or a file in it.
    Package(&'p str),
}

impl<'p> ImportTarget<'p> {
    /// The target of `specifier` in the module `importer`; `None` if tools may not import it.
    #[must_use]
    pub fn new(importer: &str, specifier: &str, packages: &'p [String]) -> Option<Self> {
        if let Some(part) = std_library::part_of(importer, specifier) {
            return part.map(|(path, source)| Self::Std { path, source });
        }
        if specifier.starts_with(['.', '/']) {
            return file_of(importer, specifier).map(Self::File);
        }
        package_of(without_scheme(specifier), packages).map(Self::Package)
    }
}

/// The specifier without the `node:` scheme: built-in modules are allowed with or without it.
#[must_use]
pub fn without_scheme(specifier: &str) -> &str {
    specifier.strip_prefix("node:").unwrap_or(specifier)
}

/// The allowed package that `specifier` names, or that contains the named file.
fn package_of<'p>(specifier: &str, packages: &'p [String]) -> Option<&'p str> {
    let is_clean = specifier.len() <= MAX_SPECIFIER_BYTES
        && !specifier.contains(['\\', '\0', ':'])
        // A package nested in another package is not on the allow list.
        && specifier.split('/').all(|part| !matches!(part, "" | "." | ".." | "node_modules"));
    let names = |package: &&String| {
        specifier.strip_prefix(package.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    packages.iter().find(names).filter(|_| is_clean).map(String::as_str)
}

/// The workspace path of a relative or `/lib/` specifier; `None` for any other specifier or a path outside the root.
fn file_of(importer: &str, specifier: &str) -> Option<String> {
    if let Some(rest) = specifier.strip_prefix("/lib/") {
        return normal(TOOLS, rest);
    }
    let relative = specifier == "." || specifier == ".." || specifier.starts_with("./") || specifier.starts_with("../");
    let folder = importer.rsplit_once('/').map_or("", |(folder, _)| folder);
    if relative { normal(folder, specifier) } else { None }
}

/// `relative` resolved against `folder`; `None` when it leaves the root.
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
