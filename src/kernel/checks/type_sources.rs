//! The input of the type checker: the text of a tool and of every file it imports, read through the jail.
//!
//! A checker opens whatever a source names, and its messages quote what it read. So it receives texts, never paths, and
//! never a tool that imports a file outside the root.

use crate::kernel::modules::{ImportResolver, Resolved, Target, std_library};
use crate::kernel::tool_paths::is_typescript;
use serde::Serialize;
use std::collections::BTreeSet;
use tgp_base::error::Error;
use tgp_compile::{Compiler, LintResult, Severity};
use tgp_vfs::JailPath;

/// Most files and bytes of one check.
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
    /// The severity of a finding; absent when types are not to be checked.
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

/// Collects the files that the types of a tool depend on.
pub struct TypeReader<'r> {
    pub compiler: &'r Compiler,
    pub resolver: &'r ImportResolver,
    /// The text of a file that is imported.
    pub read: &'r dyn Fn(&JailPath) -> Result<String, Error>,
}

impl TypeReader<'_> {
    /// The files that the types of a tool depend on. `verdict` is the rules' result for its text; findings get
    /// `severity`.
    pub fn sources(
        &self,
        entry: &JailPath,
        text: String,
        verdict: &LintResult,
        severity: Option<Severity>,
    ) -> Result<TypeSources, Error> {
        let mut sources = TypeSources {
            files: Vec::new(),
            packages: BTreeSet::new(),
            severity,
            ignored_lines: verdict.types_ignored.clone(),
            refused: None,
        };
        if severity.is_none() {
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
        verdict: &LintResult,
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
                    let text = (self.read)(&path)?;
                    let references = is_typescript(path.as_str())
                        .then(|| self.compiler.references(path.as_str(), &text).ok())
                        .flatten();
                    (text, references)
                }
            };
            bytes += text.len();
            if sources.files.len() >= MAX_FILES || bytes > MAX_BYTES {
                return Ok(Err("it imports too many files".to_owned()));
            }
            if is_typescript(path.as_str()) {
                let Some(references) = references else {
                    return Ok(Err(format!("{} does not compile", path.as_str())));
                };
                // A tool that may import `node:buffer` has its `Buffer` as a global.
                if text.contains("Buffer")
                    && let Resolved::Found(Target::Package { name, .. }) =
                        self.resolver.resolve(path.as_str(), "node:buffer")?.resolved
                {
                    sources.packages.insert(name);
                }
                for reference in references {
                    match self.resolver.resolve(path.as_str(), &reference.specifier)?.resolved {
                        Resolved::Found(Target::File(target)) => {
                            if seen.insert(target.as_str().to_owned()) {
                                open.push(target);
                            }
                        }
                        Resolved::Found(Target::Std { .. }) => {
                            sources.packages.insert(std_library::NAME.to_owned());
                        }
                        Resolved::Found(Target::Package { name, .. }) => {
                            sources.packages.insert(name);
                        }
                        Resolved::Missing => {}
                        Resolved::Forbidden => {
                            let place = format!("{}:{}:{}", path.as_str(), reference.line, reference.column);
                            return Ok(Err(format!("'{}' ({place}) may not be imported", reference.specifier)));
                        }
                    }
                }
            }
            // Files without types are passed empty: the checker sees that they exist and leaves their exports
            // unchecked.
            let has_types = is_typescript(path.as_str()) || path.extension() == Some("json");
            let text = if has_types { text } else { String::new() };
            sources.files.push(SourceText { path: path.as_str().to_owned(), text });
        }
        Ok(Ok(()))
    }
}
