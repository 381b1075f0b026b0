//! Reads the branches of a foreign repository.

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
/// Longest chain of symbolic references.
const MAX_SYMBOLIC_DEPTH: usize = 5;

/// The value of a reference.
pub(super) enum Value {
    Commit(Oid),
    /// A symbolic reference.
    Symbolic(String),
}

impl ForeignRepository {
    /// All branches, and the commit of `HEAD`.
    pub(crate) fn refs(&self) -> Result<RemoteRefs, GitError> {
        let mut found = BTreeMap::new();
        self.loose(&mut found)?;
        // In this order, as in `git`: a loose reference that is packed between the two reads is found in packed-refs, which
        // had an older value before.
        let mut packed = BTreeMap::new();
        self.packed(&mut packed)?;
        for (name, value) in packed {
            found.entry(name).or_insert(value);
        }
        let resolve = |value: &Value| {
            let mut value = value;
            for _ in 0..MAX_SYMBOLIC_DEPTH {
                match value {
                    Value::Commit(id) => return Some(*id),
                    Value::Symbolic(name) => value = found.get(name)?,
                }
            }
            None
        };
        let head = read_value(&self.own.join("HEAD")).map_err(failed)?;
        let branches = found.iter().filter_map(|(name, value)| match value {
            Value::Commit(id) => Some((name.clone(), *id)),
            Value::Symbolic(_) => None,
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
        let mut visited = 0;
        while let Some(prefix) = waiting.pop() {
            let folder = match std::fs::read_dir(self.common.join(&prefix)) {
                Ok(folder) => folder,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => return Err(failed(error)),
            };
            for entry in folder {
                let entry = entry.map_err(failed)?;
                visited += 1;
                if visited > MAX_REFS {
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

/// `None` if the file is missing, torn or too long.
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
        Some(name) => Some(Value::Symbolic(name.trim().to_owned())),
        None => parse_id(text).map(Value::Commit),
    })
}

fn parse_id(text: &str) -> Option<Oid> {
    (text.len() == ID_DIGITS).then(|| Oid::from_str(text).ok()).flatten()
}

fn failed(error: io::Error) -> GitError {
    GitError::io("list the branches of the remote")(error)
}
