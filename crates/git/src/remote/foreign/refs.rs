//! The branches of a repository, from its files.

use super::ForeignRepository;
use crate::git_error::GitError;
use crate::limits::{Limit, MAX_ADVERTISEMENT_BYTES, MAX_REF_BYTES, MAX_REFS};
use crate::regular_file;
use crate::remote::remote::RemoteRefs;
use git2::Oid;
use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::Path;

const BRANCHES: &str = "refs/heads/";
const ID_DIGITS: usize = 40;
/// Branches that are other names for branches.
const MAX_ALIASES: usize = 5;

/// What a reference's file says.
pub(super) enum Value {
    Commit(Oid),
    /// It stands for another.
    Alias(String),
}

impl ForeignRepository {
    /// All branches, and where `HEAD` stands.
    pub(crate) fn refs(&self) -> Result<RemoteRefs, GitError> {
        let mut found = BTreeMap::new();
        self.loose(&mut found)?;
        // In this order, as `git` does: one that is packed between the two is found in the second place, where before it may
        // have had an older value.
        let mut packed = BTreeMap::new();
        self.packed(&mut packed)?;
        for (name, value) in packed {
            found.entry(name).or_insert(value);
        }
        let resolve = |value: &Value| {
            let mut value = value;
            for _ in 0..MAX_ALIASES {
                match value {
                    Value::Commit(id) => return Some(*id),
                    Value::Alias(name) => value = found.get(name)?,
                }
            }
            None
        };
        let head = read_value(&self.own.join("HEAD")).map_err(failed)?;
        let branches = found.iter().filter_map(|(name, value)| match value {
            Value::Commit(id) => Some((name.clone(), *id)),
            Value::Alias(_) => None,
        });
        Ok(RemoteRefs { branches: branches.collect(), head: head.as_ref().and_then(resolve) })
    }

    fn packed(&self, found: &mut BTreeMap<String, Value>) -> Result<(), GitError> {
        let text = match regular_file::read(&self.common.join("packed-refs"), MAX_ADVERTISEMENT_BYTES) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) if error.kind() == ErrorKind::FileTooLarge => {
                return Err(GitError::RemoteLimit(Limit::Advertisement));
            }
            Err(error) => return Err(failed(error)),
        };
        for line in text.split(|byte| *byte == b'\n') {
            let Some((id, name)) = str::from_utf8(line).ok().and_then(|line| line.split_once(' ')) else { continue };
            if name.starts_with(BRANCHES)
                && name.len() <= MAX_REF_BYTES
                && let Some(id) = parse_id(id)
            {
                put(found, name.to_owned(), Value::Commit(id))?;
            }
        }
        Ok(())
    }

    fn loose(&self, found: &mut BTreeMap<String, Value>) -> Result<(), GitError> {
        let mut waiting = vec![BRANCHES.to_owned()];
        let mut met = 0;
        while let Some(prefix) = waiting.pop() {
            let folder = match std::fs::read_dir(self.common.join(&prefix)) {
                Ok(folder) => folder,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(failed(error)),
            };
            for entry in folder {
                let entry = entry.map_err(failed)?;
                met += 1;
                if met > MAX_REFS {
                    return Err(GitError::RemoteLimit(Limit::Refs));
                }
                let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else { continue };
                let name = format!("{prefix}{name}");
                if name.len() > MAX_REF_BYTES {
                    continue;
                }
                if kind.is_dir() {
                    waiting.push(name + "/");
                } else if kind.is_file()
                    && !name.ends_with(".lock")
                    && let Some(value) = read_value(&entry.path()).map_err(failed)?
                {
                    put(found, name, value)?;
                }
            }
        }
        Ok(())
    }
}

fn put(found: &mut BTreeMap<String, Value>, name: String, value: Value) -> Result<(), GitError> {
    found.insert(name, value);
    if found.len() > MAX_REFS { Err(GitError::RemoteLimit(Limit::Refs)) } else { Ok(()) }
}

/// `None` when it is gone by now, torn, or too long to be one.
pub(super) fn read_value(path: &Path) -> io::Result<Option<Value>> {
    let text = match regular_file::read(path, 2 * MAX_REF_BYTES as u64) {
        Ok(text) => text,
        Err(error)
            if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::FileTooLarge | ErrorKind::InvalidInput) =>
        {
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let text = String::from_utf8_lossy(&text);
    let text = text.trim_end();
    Ok(match text.strip_prefix("ref:") {
        Some(name) => Some(Value::Alias(name.trim().to_owned())),
        None => parse_id(text).map(Value::Commit),
    })
}

fn parse_id(text: &str) -> Option<Oid> {
    (text.len() == ID_DIGITS).then(|| Oid::from_str(text).ok()).flatten()
}

fn failed(error: io::Error) -> GitError {
    GitError::io("list the branches of the remote")(error)
}
