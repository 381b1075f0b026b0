//! Files that go, and files that move: with all that imports them, as one commit.

use super::plan::{Before, Faulty, Plan, Step};
use super::write_rules::check_writable;
use crate::kernel::history::{History, Written};
use crate::kernel::modules::{Dependents, Importer, Relink};
use crate::kernel::sight::shows;
use crate::kernel::tool_paths::tests_of_tool;
use serde::Serialize;
use tgp_base::error::{Error, ErrorCode};
use tgp_vfs::{DiskVfs, JailPath, Vfs};

/// Importers that a message names.
const MAX_NAMED: usize = 10;

/// A file that is removed, and who still names it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct Removed {
    #[serde(flatten)]
    written: Written,
    /// Files that hold its path as text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(as = "Option<_>", optional))]
    mentions: Vec<String>,
}

impl Removed {
    pub fn new(written: Written, mentions: Vec<String>) -> Self {
        Self { written, mentions }
    }
}

/// A file that is moved, and what follows from it.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct Moved {
    #[serde(flatten)]
    written: Written,
    /// Files whose imports were changed with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(as = "Option<_>", optional))]
    relinked: Vec<String>,
    /// Files that hold the old path as text, which stays.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(as = "Option<_>", optional))]
    mentions: Vec<String>,
}

/// What a move finds out on the way.
pub struct Followed {
    relinked: Vec<String>,
    mentions: Vec<String>,
}

impl Moved {
    pub fn new(written: Written, followed: Followed) -> Self {
        let Followed { relinked, mentions } = followed;
        Self { written, relinked, mentions }
    }
}

/// A file that goes.
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
    /// Files that hold its path as text.
    type Found = Vec<String>;

    fn path(&self) -> &JailPath {
        &self.path
    }

    fn subject(&self) -> String {
        format!("Remove: {}", self.path.as_str())
    }

    fn when_faulty(&self) -> Faulty {
        Faulty::IsRefused
    }

    fn steps(&self, root: &DiskVfs) -> Result<(Vec<Step>, Vec<String>), Error> {
        let path = &self.path;
        let content = root.read_bytes(path)?;
        let Dependents { mut importers, mentions } = self.relink.dependents(path, path)?;
        // Its own test says what it should do also when there is none: it goes after it, or waits for another.
        importers.retain(|importer| !tests_of_tool(path).contains(&importer.path));
        if !importers.is_empty() {
            let names = shown(names_of(&importers));
            let message = format!(
                "{} was not removed: {} import it. Change them first, or use move_file, which takes their imports along.",
                path.as_str(),
                if names.is_empty() { "others, which you may not read,".to_owned() } else { listed(&names) }
            );
            let error = Error::new(ErrorCode::Validation, message).with("path", path.as_str());
            return Err(error.with("importers", names));
        }
        Ok((vec![Step { path: path.clone(), before: Before::Exactly(Some(content)), after: None }], shown(mentions)))
    }
}

/// A file that gets another path.
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
            let message = format!("{} is there already: \"from\" and \"to\" are the same file.", to.as_str());
            return Err(Error::new(ErrorCode::Validation, message).with("field", "to"));
        }
        Ok(Self { from, to, relink, history })
    }
}

impl Plan for Relocation<'_> {
    type Found = Followed;

    fn path(&self) -> &JailPath {
        &self.to
    }

    fn subject(&self) -> String {
        format!("Move: {} -> {}", self.from.as_str(), self.to.as_str())
    }

    fn when_faulty(&self) -> Faulty {
        Faulty::IsRefused
    }

    fn steps(&self, root: &DiskVfs) -> Result<(Vec<Step>, Followed), Error> {
        let Self { from, to, relink, history } = self;
        let text = root.read(from)?;
        if root.exists(to)? {
            let message = format!(
                "{} was not moved: there is a file {} already. Choose another path, or remove that file first.",
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
        // What goes decides the branch, so it comes first.
        let paths: Vec<&str> = steps.iter().rev().map(|step| step.path.as_str()).collect();
        if let Some(other) = history.changed_on_other_branch(&paths)? {
            let message = format!(
                "{} was not moved: {other} has to change with it, and waits for a pull request of its own. Have that one merged or closed first.",
                from.as_str()
            );
            return Err(Error::new(ErrorCode::Validation, message).with("path", other));
        }
        Ok((steps, Followed { relinked, mentions: shown(dependents.mentions) }))
    }
}

fn names_of(importers: &[Importer]) -> Vec<String> {
    importers.iter().map(|importer| importer.path.as_str().to_owned()).collect()
}

/// Those that the caller may know of.
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
