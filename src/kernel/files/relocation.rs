//! Removing and moving files, with their importers, as one commit.

use super::plan::{Before, OnFindings, Plan, Step};
use super::write_rules::check_writable;
use crate::kernel::history::{History, Written};
use crate::kernel::modules::{Dependents, Importer, Relink};
use crate::kernel::tool_paths::tests_of_tool;
use crate::kernel::visibility::shows;
use serde::Serialize;
use tgp_base::error::{Error, ErrorCode};
use tgp_vfs::{DiskVfs, JailPath, Vfs};

/// Importers that a message names.
const MAX_NAMED: usize = 10;

/// A removed file, and the files that still mention it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct Removed {
    #[serde(flatten)]
    written: Written,
    /// Files that contain its path as text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(as = "Option<_>", optional))]
    mentions: Vec<String>,
}

impl Removed {
    pub fn new(written: Written, mentions: Vec<String>) -> Self {
        Self { written, mentions }
    }
}

/// A moved file, and the files affected by the move.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct Moved {
    #[serde(flatten)]
    written: Written,
    /// Files whose imports were updated.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(as = "Option<_>", optional))]
    relinked: Vec<String>,
    /// Files that contain the old path as text, which is not changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(as = "Option<_>", optional))]
    mentions: Vec<String>,
}

/// Details of a move.
pub struct MoveDetails {
    relinked: Vec<String>,
    mentions: Vec<String>,
}

impl Moved {
    pub fn new(written: Written, details: MoveDetails) -> Self {
        let MoveDetails { relinked, mentions } = details;
        Self { written, relinked, mentions }
    }
}

/// Removes a file.
pub struct Removal<'r> {
    path: JailPath,
    relink: &'r Relink,
}

impl<'r> Removal<'r> {
    pub fn new(path: &str, relink: &'r Relink) -> Result<Self, Error> {
        let path = JailPath::parse(path)?;
        check_writable(&path)?;
        Ok(Self { path, relink })
    }
}

impl Plan for Removal<'_> {
    /// Files that contain its path as text.
    type Details = Vec<String>;

    fn path(&self) -> &JailPath {
        &self.path
    }

    fn subject(&self) -> String {
        format!("Remove: {}", self.path.as_str())
    }

    fn on_findings(&self) -> OnFindings {
        OnFindings::Reject
    }

    fn steps(&self, root: &DiskVfs) -> Result<(Vec<Step>, Vec<String>), Error> {
        let path = &self.path;
        let content = root.read_bytes(path)?;
        let Dependents { mut importers, mentions } = self.relink.dependents(path, path)?;
        // A tool's own test may stay: it can be removed later, or used for a new implementation.
        importers.retain(|importer| !tests_of_tool(path).contains(&importer.path));
        if !importers.is_empty() {
            let names = shown(names_of(&importers));
            let message = format!(
                "{} was not removed: {} import it. Change them first, or use move_file, which updates their imports.",
                path.as_str(),
                if names.is_empty() { "other files, which you may not read,".to_owned() } else { listed(&names) }
            );
            let error = Error::new(ErrorCode::Validation, message).with("path", path.as_str());
            return Err(error.with("importers", names));
        }
        Ok((vec![Step { path: path.clone(), before: Before::Exactly(Some(content)), after: None }], shown(mentions)))
    }
}

/// Moves a file.
pub struct Relocation<'r> {
    from: JailPath,
    to: JailPath,
    relink: &'r Relink,
    history: &'r History,
}

impl<'r> Relocation<'r> {
    pub fn new(from: &str, to: &str, relink: &'r Relink, history: &'r History) -> Result<Self, Error> {
        let (from, to) = (JailPath::parse(from)?, JailPath::parse(to)?);
        check_writable(&from)?;
        check_writable(&to)?;
        if from == to {
            let message = format!("{} was not moved: \"from\" and \"to\" are the same file.", to.as_str());
            return Err(Error::new(ErrorCode::Validation, message).with("field", "to"));
        }
        Ok(Self { from, to, relink, history })
    }
}

impl Plan for Relocation<'_> {
    type Details = MoveDetails;

    fn path(&self) -> &JailPath {
        &self.to
    }

    fn subject(&self) -> String {
        format!("Move: {} -> {}", self.from.as_str(), self.to.as_str())
    }

    fn on_findings(&self) -> OnFindings {
        OnFindings::Reject
    }

    fn steps(&self, root: &DiskVfs) -> Result<(Vec<Step>, MoveDetails), Error> {
        let Self { from, to, relink, history } = self;
        let text = root.read(from)?;
        if root.exists(to)? {
            let message = format!(
                "{} was not moved: {} already exists. Choose another path, or remove that file first.",
                from.as_str(),
                to.as_str()
            );
            return Err(Error::new(ErrorCode::Validation, message).with("field", "to").with("path", to.as_str()));
        }
        let dependents = relink.dependents(from, to)?;
        let mut steps =
            vec![Step { path: to.clone(), before: Before::Exactly(None), after: Some(relink.moved(from, to, &text)?) }];
        let relinked = shown(names_of(&dependents.importers));
        steps.extend(dependents.importers.into_iter().map(|importer| Step {
            path: importer.path,
            before: Before::Text(importer.text),
            after: Some(importer.relinked),
        }));
        steps.push(Step { path: from.clone(), before: Before::Text(text), after: None });
        // The removed file decides the branch, so it comes first.
        let paths: Vec<&str> = steps.iter().rev().map(|step| step.path.as_str()).collect();
        if let Some(other) = history.changed_on_other_branch(&paths)? {
            let message = format!(
                "{} was not moved: {other} has to change with it, and is in another open pull request. Merge or close that one first.",
                from.as_str()
            );
            return Err(Error::new(ErrorCode::Validation, message).with("path", other));
        }
        Ok((steps, MoveDetails { relinked, mentions: shown(dependents.mentions) }))
    }
}

fn names_of(importers: &[Importer]) -> Vec<String> {
    importers.iter().map(|importer| importer.path.as_str().to_owned()).collect()
}

/// The names that the caller may see.
fn shown(mut names: Vec<String>) -> Vec<String> {
    names.retain(|name| shows(name));
    names
}

fn listed(names: &[String]) -> String {
    let named = names.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
        Some(more) => format!("{named} and {more} more"),
        None => named,
    }
}
