//! What a type checker needs to see of a tool: its text and that of every file it names, all read through the jail.
//!
//! A checker opens whatever a source names, and its messages quote what it read. So it is handed texts, never paths, and a
//! tool that names something outside the root is not handed over at all.

use super::import_target::{Target as Import, target_of};
use super::kernel::Kernel;
use super::module_graph::ENDINGS;
use super::std_library;
use crate::compile::{Severity, TYPES, Verdict};
use crate::error::Error;
use crate::vfs::{JailPath, Vfs};
use serde::Serialize;
use std::collections::BTreeSet;

/// Files and bytes that one check may pull in.
const MAX_FILES: usize = 256;
const MAX_BYTES: usize = 4 << 20;

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct TypeSources {
    /// The tool first.
    pub files: Vec<SourceText>,
    /// Packages that the files import.
    pub packages: BTreeSet<String>,
    /// What a finding weighs; absent when types are not to be checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// Lines of the tool on which findings are ignored.
    pub ignored_lines: Vec<u32>,
    /// Why the types of this tool cannot be checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SourceText {
    pub path: String,
    pub text: String,
}

impl Kernel {
    /// Collects what the types of a tool depend on; `verdict` is that on its text.
    pub(super) fn type_sources(&self, entry: &JailPath, text: String, verdict: &Verdict) -> Result<TypeSources, Error> {
        let mut sources = TypeSources {
            files: Vec::new(),
            packages: BTreeSet::new(),
            severity: self.lint.severity_of(TYPES, Severity::Error),
            ignored_lines: verdict.types_ignored.clone(),
            refused: None,
        };
        if sources.severity.is_none() {
            return Ok(sources);
        }
        if !is_typescript(entry.as_str()) {
            sources.refused = Some("types are checked in TypeScript files only".to_owned());
            return Ok(sources);
        }
        if let Err(why) = self.collect(entry, text, verdict, &mut sources)? {
            sources.files.clear();
            sources.refused = Some(why);
        }
        Ok(sources)
    }

    /// The inner error is a reason not to check the types.
    fn collect(
        &self,
        entry: &JailPath,
        text: String,
        verdict: &Verdict,
        sources: &mut TypeSources,
    ) -> Result<Result<(), String>, Error> {
        let mut seen = BTreeSet::from([entry.as_str().to_owned()]);
        let mut open = vec![entry.clone()];
        let mut first = Some((text, verdict.references.clone()));
        let mut bytes = 0;
        while let Some(path) = open.pop() {
            let (text, references) = match first.take() {
                Some(tool) => tool,
                None => {
                    let text = self.vfs.read(&path)?;
                    let references = is_typescript(path.as_str())
                        .then(|| self.compiler.references(path.as_str(), &text).ok())
                        .flatten();
                    (text, references)
                }
            };
            bytes += text.len();
            if sources.files.len() >= MAX_FILES || bytes > MAX_BYTES {
                return Ok(Err("it pulls in too many files".to_owned()));
            }
            if is_typescript(path.as_str()) {
                let Some(references) = references else {
                    return Ok(Err(format!("{} does not compile", path.as_str())));
                };
                for reference in references {
                    match self.locate(&path, &reference.specifier)? {
                        Target::File(target) => {
                            if seen.insert(target.as_str().to_owned()) {
                                open.push(target);
                            }
                        }
                        Target::Package(name) => {
                            sources.packages.insert(name);
                        }
                        Target::Missing => {}
                        Target::Outside => {
                            let place = format!("{}:{}:{}", path.as_str(), reference.line, reference.column);
                            return Ok(Err(format!("'{}' ({place}) may not be imported", reference.specifier)));
                        }
                    }
                }
            }
            // Scripts without types are left out: what they export is then taken as it comes.
            if is_typescript(path.as_str()) || path.extension() == Some("json") {
                sources.files.push(SourceText { path: path.as_str().to_owned(), text });
            }
        }
        Ok(Ok(()))
    }

    /// What a specifier leads a type checker to, by the rules of every import.
    fn locate(&self, importer: &JailPath, specifier: &str) -> Result<Target, Error> {
        let base = match target_of(importer.as_str(), specifier, &self.packages) {
            None => return Ok(Target::Outside),
            Some(Import::Std { .. }) => return Ok(Target::Package(std_library::NAME.to_owned())),
            Some(Import::Package { specifier, .. }) => {
                let package = self.packages.allowed_package(&specifier);
                return Ok(package.map_or(Target::Outside, |name| Target::Package(name.to_owned())));
            }
            Some(Import::File(base)) => base,
        };
        for ending in ENDINGS {
            let Ok(candidate) = JailPath::parse(&format!("{}{ending}", base.as_str())) else { continue };
            if self.vfs.exists(&candidate)? {
                return Ok(Target::File(candidate));
            }
        }
        Ok(Target::Missing)
    }
}

enum Target {
    File(JailPath),
    Package(String),
    Missing,
    Outside,
}

pub(super) fn is_typescript(path: &str) -> bool {
    [".ts", ".mts", ".cts"].iter().any(|ending| path.ends_with(ending))
}
