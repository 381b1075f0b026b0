//! Reports imported names that do not exist, with a spelling suggestion. At run time such an import is `undefined` and
//! fails late, with an error that does not name it.

use crate::kernel::modules::{ImportResolver, Resolved, Target};
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use tgp_base::error::Error;
use tgp_base::spelling::{did_you_mean, nearest};
use tgp_compile::{
    Compiler, DEFAULT, Diagnostic, ImportedName, LintResult, MISSING_EXPORT, ModuleExports, Severity, std_library,
};
use tgp_vfs::JailPath;

/// Bounds of one check, whatever the texts contain: specifiers, files, their bytes, and re-exported names.
const MAX_LOOKUPS: usize = 4096;
const MAX_FILES: usize = 256;
const MAX_BYTES: usize = 4 << 20;
const MAX_NAMES: usize = 50_000;
/// A model repairs a handful at a time.
const MAX_FINDINGS: usize = 20;
/// Candidates for a spelling suggestion, and the longest of them.
const MAX_COMPARED: usize = 500;
const MAX_COMPARED_BYTES: usize = 64;
/// Names that a message lists.
const MAX_LISTED: usize = 12;

/// Looks up imported names for one check, of one tool or of all tools of a run. Reads each file once; reports nothing
/// beyond its limits.
pub struct ExportCheck<'r> {
    compiler: &'r Compiler,
    resolver: &'r ImportResolver,
    /// The text of a file that is imported.
    read: &'r dyn Fn(&JailPath) -> Result<String, Error>,
    checked: RefCell<CheckedFiles>,
}

/// The files read so far, and what they count against the limits.
#[derive(Default)]
struct CheckedFiles {
    exports: HashMap<String, Option<Rc<ModuleExports>>>,
    lookups: usize,
    bytes: usize,
    names: usize,
}

/// The exports of a file including re-exports; `None` when they are not known statically.
type Offered = Option<BTreeSet<String>>;

impl<'r> ExportCheck<'r> {
    pub fn new(
        compiler: &'r Compiler,
        resolver: &'r ImportResolver,
        read: &'r dyn Fn(&JailPath) -> Result<String, Error>,
    ) -> Self {
        Self { compiler, resolver, read, checked: RefCell::default() }
    }

    /// The imported names in the tool at `path` that do not exist.
    pub fn findings(&self, path: &str, verdict: &LintResult, severity: Severity) -> Vec<Diagnostic> {
        let ignored: HashSet<u32> = verdict.exports_ignored.iter().copied().collect();
        let mut known: HashMap<&str, Offered> = HashMap::new();
        let mut findings = Vec::new();
        for imported in &verdict.imported {
            let offered = known.entry(&imported.specifier).or_insert_with(|| self.offered(path, &imported.specifier));
            let Some(names) = offered.as_ref().filter(|names| !names.contains(&imported.name)) else { continue };
            if ignored.contains(&imported.line) {
                continue;
            }
            findings.push(finding(imported, names, severity));
            if findings.len() >= MAX_FINDINGS {
                break;
            }
        }
        findings
    }

    /// All names that a specifier exports, including re-exports.
    fn offered(&self, importer: &str, specifier: &str) -> Offered {
        let mut names = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open = vec![(Rc::<str>::from(importer), specifier.to_owned())];
        while let Some((importer, specifier)) = open.pop() {
            let target = self.target(&importer, &specifier)?;
            let path = Rc::<str>::from(target.path());
            if !seen.insert(Rc::clone(&path)) {
                continue;
            }
            let exported = self.exports_of(&target)?;
            if exported.is_dynamic || !self.checked.borrow_mut().may_pass_on(exported.names.len()) {
                return None;
            }
            // `export *` does not re-export the default.
            let is_first = seen.len() == 1;
            names.extend(exported.names.iter().filter(|name| is_first || *name != DEFAULT).cloned());
            let further: BTreeSet<&String> = exported.star_exports.iter().collect();
            open.extend(further.into_iter().map(|specifier| (Rc::clone(&path), specifier.clone())));
        }
        Some(names)
    }

    /// The target of a specifier; `None` for one that cannot be resolved, which other checks report.
    fn target(&self, importer: &str, specifier: &str) -> Option<Target> {
        if !self.checked.borrow_mut().may_look_up() {
            return None;
        }
        match self.resolver.resolve(importer, specifier).ok()?.resolved {
            Resolved::Found(target) => Some(target),
            Resolved::Missing | Resolved::Forbidden => None,
        }
    }

    /// The exports of one file without re-exports; `None` for a package, JSON, or a file that cannot be read.
    fn exports_of(&self, target: &Target) -> Option<Rc<ModuleExports>> {
        if let Some(known) = self.checked.borrow().exports.get(target.path()) {
            return known.clone();
        }
        let read = self.read_exports(target).map(Rc::new);
        self.checked.borrow_mut().exports.insert(target.path().to_owned(), read.clone());
        read
    }

    fn read_exports(&self, target: &Target) -> Option<ModuleExports> {
        if !self.checked.borrow().may_read() {
            return None;
        }
        let text = match target {
            Target::File(file) if file.extension() == Some("json") => return None,
            Target::File(file) => (self.read)(file).ok()?,
            Target::Std { source, .. } => (*source).to_owned(),
            Target::Package { .. } => return None,
        };
        self.checked.borrow_mut().bytes += text.len();
        self.compiler.module_exports(target.path(), &text).ok()
    }
}

impl CheckedFiles {
    fn may_look_up(&mut self) -> bool {
        self.lookups += 1;
        self.lookups <= MAX_LOOKUPS
    }

    fn may_read(&self) -> bool {
        self.exports.len() < MAX_FILES && self.bytes < MAX_BYTES
    }

    fn may_pass_on(&mut self, names: usize) -> bool {
        self.names = self.names.saturating_add(names);
        self.names <= MAX_NAMES
    }
}

fn finding(imported: &ImportedName, names: &BTreeSet<String>, severity: Severity) -> Diagnostic {
    let ImportedName { specifier, name, .. } = imported;
    let others: Vec<&str> = names.iter().map(String::as_str).filter(|other| *other != DEFAULT).collect();
    let (message, help) = if name == DEFAULT {
        let message = format!("'{specifier}' has no default export");
        let help = match others.as_slice() {
            [] => format!("It exports nothing. Add an `export default` to {specifier}."),
            names => format!("Write `import {{ … }} from '{specifier}'`; it has {}.", listed(names)),
        };
        (message, help)
    } else {
        let compared = others.iter().copied().filter(|other| other.len() <= MAX_COMPARED_BYTES).take(MAX_COMPARED);
        let near = if name.len() <= MAX_COMPARED_BYTES { nearest(name, compared) } else { None };
        let message = format!("'{specifier}' has no export '{name}'.{}", did_you_mean(near));
        let help = match others.as_slice() {
            [] if names.contains(DEFAULT) => {
                format!("It has only a default export. Write `import {name} from '{specifier}'`.")
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
        help: Some(format!("At run time it would be undefined. {help}{library}")),
        fix: None,
    }
}

fn listed(names: &[&str]) -> String {
    let shown = names.iter().take(MAX_LISTED).copied().collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(MAX_LISTED);
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

#[cfg(test)]
#[path = "export_check_tests.rs"]
mod tests;
