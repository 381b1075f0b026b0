//! Completeness check: every referenced object must be in the pack or in the repository.

use crate::git_error::GitError;
use crate::limits::{Limit, MAX_PARENTS};
use crate::objects::raw_tree;
use git2::{ObjectType, Oid};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Size of the cache of recent references. Consecutive versions of a directory refer to almost the same objects.
const RECENT: usize = 1 << 14;
const ID_DIGITS: usize = 40;

pub(super) struct References {
    named: HashMap<Oid, ObjectType>,
    recent: RecentNames,
    most: u64,
}

/// A cache of recent references with their types.
pub(crate) struct RecentNames(Vec<Option<(Oid, ObjectType)>>);

impl RecentNames {
    pub(crate) fn new() -> Self {
        Self(vec![None; RECENT])
    }

    /// Whether a reference is in the cache; adds it.
    pub(crate) fn is_repeated(&mut self, id: Oid, kind: ObjectType) -> bool {
        let place = match id.as_bytes() {
            [one, other, ..] => (usize::from(*one) << 8 | usize::from(*other)) % RECENT,
            _ => 0,
        };
        self.0.get_mut(place).is_some_and(|known| known.replace((id, kind)) == Some((id, kind)))
    }
}

impl References {
    pub(super) fn new(most: u64) -> Self {
        Self { named: HashMap::new(), recent: RecentNames::new(), most }
    }

    /// Records the references of an object; an error if it is invalid.
    pub(super) fn note(&mut self, kind: ObjectType, content: &[u8]) -> Result<(), GitError> {
        match kind {
            ObjectType::Tree => {
                for entry in raw_tree::entries(content) {
                    let entry = entry.map_err(|_| GitError::protocol("it sent an invalid folder"))?;
                    if let Some(kind) = entry.kind() {
                        self.add(entry.id, kind)?;
                    }
                }
            }
            ObjectType::Commit => {
                let commit = CommitLinks::read(content)?;
                if !has_valid_signatures(content) {
                    return Err(unreadable_commit());
                }
                self.add(commit.tree, ObjectType::Tree)?;
                for parent in commit.parents {
                    self.add(parent, ObjectType::Commit)?;
                }
            }
            ObjectType::Tag => {
                let (id, kind) = tag_target(content).ok_or_else(unreadable_commit)?;
                self.add(id, kind)?;
            }
            ObjectType::Blob | ObjectType::Any => {}
        }
        Ok(())
    }

    fn add(&mut self, id: Oid, kind: ObjectType) -> Result<(), GitError> {
        if self.recent.is_repeated(id, kind) {
            return Ok(());
        }
        let count = self.named.len() as u64;
        match self.named.entry(id) {
            Entry::Occupied(known) if *known.get() == kind => Ok(()),
            Entry::Occupied(_) => Err(contradiction()),
            Entry::Vacant(_) if count >= self.most => Err(GitError::RemoteLimit(Limit::Names(self.most))),
            Entry::Vacant(vacant) => {
                vacant.insert(kind);
                Ok(())
            }
        }
    }

    /// Checks that every referenced object exists with the expected type.
    pub(super) fn check(&self, find: impl Fn(Oid) -> Option<ObjectType>) -> Result<(), GitError> {
        for (id, kind) in &self.named {
            match find(*id) {
                Some(found) if found == *kind => {}
                Some(_) => return Err(contradiction()),
                None => {
                    return Err(GitError::protocol(
                        "it did not send all that its commits need; retry, or repair the repository",
                    ));
                }
            }
        }
        Ok(())
    }
}

/// The tree and parents of a commit.
#[derive(Debug)]
pub(crate) struct CommitLinks {
    pub(crate) tree: Oid,
    pub(crate) parents: Vec<Oid>,
}

impl CommitLinks {
    pub(crate) fn read(commit: &[u8]) -> Result<Self, GitError> {
        let mut lines = commit.split(|byte| *byte == b'\n');
        let tree = lines.next().and_then(|line| id_after(line, b"tree ")).ok_or_else(unreadable_commit)?;
        let mut parents = Vec::new();
        for line in lines.take_while(|line| line.starts_with(b"parent ")) {
            if parents.len() == MAX_PARENTS {
                return Err(GitError::RemoteLimit(Limit::Parents));
            }
            parents.push(id_after(line, b"parent ").ok_or_else(unreadable_commit)?);
        }
        Ok(Self { tree, parents })
    }
}

/// Whether author and committer have a form that libgit2 can parse; otherwise it fails on the commit.
fn has_valid_signatures(commit: &[u8]) -> bool {
    let mut lines = commit.split(|byte| *byte == b'\n').take_while(|line| !line.is_empty());
    let mut is_person = |role: &[u8]| {
        let person = lines.find_map(|line| line.strip_prefix(role)).unwrap_or_default();
        let place = |sign: u8| person.iter().position(|byte| *byte == sign);
        matches!((place(b'<'), place(b'>')), (Some(open), Some(close)) if open < close)
    };
    is_person(b"author ") && is_person(b"committer ")
}

fn tag_target(tag: &[u8]) -> Option<(Oid, ObjectType)> {
    let mut lines = tag.split(|byte| *byte == b'\n');
    let id = id_after(lines.next()?, b"object ")?;
    let kind = str::from_utf8(lines.next()?.strip_prefix(b"type ")?).ok()?;
    let kind = ObjectType::from_str(kind).filter(|kind| *kind != ObjectType::Any)?;
    Some((id, kind))
}

fn id_after(line: &[u8], prefix: &[u8]) -> Option<Oid> {
    let digits = str::from_utf8(line.strip_prefix(prefix)?).ok().filter(|digits| digits.len() == ID_DIGITS)?;
    Oid::from_str(digits).ok()
}

fn unreadable_commit() -> GitError {
    GitError::protocol("it sent an invalid commit")
}

fn contradiction() -> GitError {
    GitError::protocol("its commits refer to one object as two different types")
}

#[cfg(test)]
mod tests {
    use super::{CommitLinks, References};
    use crate::limits::MAX_PARENTS;
    use git2::ObjectType;

    #[test]
    fn commits_and_tags_are_read_strictly() {
        let id = "ab".repeat(20);
        let commit = format!("tree {id}\nparent {id}\nparent {id}\nauthor parent\n\nparent {id}\n");
        assert_eq!(CommitLinks::read(commit.as_bytes()).unwrap().parents.len(), 2);
        let many = format!("tree {id}\n{}", format!("parent {id}\n").repeat(MAX_PARENTS + 1));
        for bad in ["", "tree ", "tree abc\n", &format!("tree {id}\nparent x\n"), &format!("parent {id}\n"), &many] {
            assert!(CommitLinks::read(bad.as_bytes()).is_err(), "{bad}");
        }
        let mut references = References::new(2);
        assert!(references.note(ObjectType::Tag, format!("object {id}\ntype commit\ntag x\n").as_bytes()).is_ok());
        assert!(references.note(ObjectType::Tag, format!("object {id}\ntype tree\n").as_bytes()).is_err());
        assert!(references.note(ObjectType::Tag, format!("object {id}\ntype nothing\n").as_bytes()).is_err());
    }

    #[test]
    fn too_many_references_are_refused() {
        let tree = |ids: std::ops::Range<u8>| -> Vec<u8> {
            ids.flat_map(|byte| [b"100644 a\0".as_slice(), &[byte; 20]].concat()).collect()
        };
        let mut references = References::new(3);
        references.note(ObjectType::Tree, &tree(0..3)).unwrap();
        references.note(ObjectType::Tree, &tree(0..3)).unwrap();
        assert!(references.note(ObjectType::Tree, &tree(3..4)).is_err());
        assert!(references.check(|_| Some(ObjectType::Blob)).is_ok());
        assert!(references.check(|_| Some(ObjectType::Tree)).is_err());
        assert!(references.check(|_| None).is_err());
    }
}
