//! What the text of an import names, before anybody looks for a file: the one answer for the rule and for the resolver.

use super::std_library;

/// The folder that `/lib/` stands for.
pub const TOOLS: &str = "tools";
/// Longest name of a package or a file in it.
const MAX_SPECIFIER_BYTES: usize = 1024;

/// What an import names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Named<'p> {
    /// A path of the root, before endings are tried.
    File(String),
    /// A part of the standard library.
    Std { path: String, source: &'static str },
    /// A package, or a file of it.
    Package(&'p str),
}

impl<'p> Named<'p> {
    /// What `specifier` names in the module `importer`; `None` when that is outside what tools may import.
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

/// A part of Node may be named with its scheme or without, where the application allows it.
#[must_use]
pub fn without_scheme(specifier: &str) -> &str {
    specifier.strip_prefix("node:").unwrap_or(specifier)
}

/// The package that `specifier` names, or a file of which it names; `None` when it leads anywhere else.
fn package_of<'p>(specifier: &str, packages: &'p [String]) -> Option<&'p str> {
    let is_clean = specifier.len() <= MAX_SPECIFIER_BYTES
        && !specifier.contains(['\\', '\0', ':'])
        // A package in a package is one that nobody has allowed.
        && specifier.split('/').all(|part| !matches!(part, "" | "." | ".." | "node_modules"));
    let names = |package: &&String| {
        specifier.strip_prefix(package.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    packages.iter().find(names).filter(|_| is_clean).map(String::as_str)
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
