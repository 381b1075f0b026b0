//! Whether what a tool imports by name is there. To import what is not is no error before it is used, and then a strange
//! one; a model hears of it early, with the name that it meant.

use crate::compile::{
    Compiler, DEFAULT, Diagnostic, Exported, ImportedName, LintResult, MISSING_EXPORT, Severity, std_library,
};
use crate::error::Error;
use crate::kernel::modules::{ImportResolver, Resolved, Target};
use crate::near_name::nearest;
use crate::vfs::JailPath;
use std::collections::{BTreeSet, HashMap};

/// Files that are looked into for one tool.
const MAX_FILES: usize = 64;
/// Names that a message lists.
const MAX_LISTED: usize = 12;

/// Looks up the names that tools import.
pub struct ExportCheck<'r> {
    pub compiler: &'r Compiler,
    pub resolver: &'r ImportResolver,
    /// The text of a file that is imported.
    pub read: &'r dyn Fn(&JailPath) -> Result<String, Error>,
}

/// What one file offers, with all that it passes on; `None` when only a run can tell.
type Offered = Option<BTreeSet<String>>;

impl ExportCheck<'_> {
    /// The names in the tool at `path` that do not exist where it takes them from.
    pub fn findings(&self, path: &str, verdict: &LintResult, severity: Severity) -> Vec<Diagnostic> {
        let mut known: HashMap<&str, Offered> = HashMap::new();
        let mut findings = Vec::new();
        for imported in &verdict.imported {
            if !known.contains_key(imported.specifier.as_str()) && known.len() >= MAX_FILES {
                continue;
            }
            let offered = known.entry(&imported.specifier).or_insert_with(|| self.offered(path, &imported.specifier));
            let Some(names) = offered.as_ref().filter(|names| !names.contains(&imported.name)) else { continue };
            if !verdict.exports_ignored.contains(&imported.line) {
                findings.push(finding(imported, names, severity));
            }
        }
        findings
    }

    /// All that a specifier leads to, through every file that passes names on.
    fn offered(&self, importer: &str, specifier: &str) -> Offered {
        let mut names = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open = vec![(importer.to_owned(), specifier.to_owned())];
        while let Some((importer, specifier)) = open.pop() {
            let (path, exported) = self.exports_of(&importer, &specifier)?;
            if exported.is_open || seen.len() >= MAX_FILES {
                return None;
            }
            if seen.insert(path.clone()) {
                names.extend(exported.names);
                open.extend(exported.passed_on.into_iter().map(|specifier| (path.clone(), specifier)));
            }
        }
        Some(names)
    }

    /// Path and exports of one file; `None` when it is no source of ours, or cannot be read: others tell about that.
    fn exports_of(&self, importer: &str, specifier: &str) -> Option<(String, Exported)> {
        let target = match self.resolver.resolve(importer, specifier).ok()?.resolved {
            Resolved::Found(target) => target,
            Resolved::Missing | Resolved::Forbidden => return None,
        };
        let text = match &target {
            Target::File(file) if file.extension() == Some("json") => return None,
            Target::File(file) => (self.read)(file).ok()?,
            Target::Std { source, .. } => (*source).to_owned(),
            Target::Package { .. } => return None,
        };
        let exported = self.compiler.exported(target.path(), &text).ok()?;
        Some((target.path().to_owned(), exported))
    }
}

fn finding(imported: &ImportedName, names: &BTreeSet<String>, severity: Severity) -> Diagnostic {
    let ImportedName { specifier, name, .. } = imported;
    let others: Vec<&str> = names.iter().map(String::as_str).filter(|other| *other != DEFAULT).collect();
    let (message, help) = if name == DEFAULT {
        let message = format!("'{specifier}' has no default export");
        let help = match others.as_slice() {
            [] => format!("It exports nothing: give {specifier} an `export default`."),
            names => format!("Write `import {{ … }} from '{specifier}'`; it has {}.", listed(names)),
        };
        (message, help)
    } else {
        let near = nearest(name, others.iter().copied()).map(|near| format!(" Did you mean '{near}'?"));
        let message = format!("'{specifier}' has no export '{name}'.{}", near.unwrap_or_default());
        let help = match others.as_slice() {
            [] if names.contains(DEFAULT) => {
                format!("It has a default export alone: `import {name} from '{specifier}'`.")
            }
            [] => "It exports nothing.".to_owned(),
            names => format!("It has {}.", listed(names)),
        };
        (message.trim_end_matches('.').to_owned(), help)
    };
    let library = if specifier.starts_with(std_library::NAME) { "" } else { " Or add it to that file." };
    Diagnostic {
        rule: MISSING_EXPORT.to_owned(),
        standard: None,
        severity,
        message,
        line: imported.line,
        column: imported.column,
        end_line: imported.end_line,
        end_column: imported.end_column,
        help: Some(format!("In a run it would be undefined. {help}{library}")),
        fix: None,
    }
}

fn listed(names: &[&str]) -> String {
    let shown = names.iter().take(MAX_LISTED).copied().collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(MAX_LISTED);
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}
