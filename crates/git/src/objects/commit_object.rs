//! A commit, written as it is: libgit2 would first take its tree apart, and refuse one that has odd entries.

use crate::git_error::GitError;
use git2::{ObjectType, Oid, Repository, Signature};

/// What a commit says.
pub(crate) struct NewCommit<'c> {
    pub(crate) tree: Oid,
    pub(crate) parents: &'c [Oid],
    pub(crate) author: &'c Signature<'c>,
    pub(crate) committer: &'c Signature<'c>,
    pub(crate) message: &'c [u8],
}

impl NewCommit<'_> {
    /// Writes it; no branch moves.
    pub(crate) fn write(&self, repository: &Repository) -> Result<Oid, GitError> {
        let written = repository.odb().and_then(|odb| odb.write(ObjectType::Commit, &self.bytes()));
        written.map_err(|error| GitError::git("write a commit", &error))
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = format!("tree {}\n", self.tree).into_bytes();
        for parent in self.parents {
            bytes.extend_from_slice(format!("parent {parent}\n").as_bytes());
        }
        for (word, who) in [("author ", self.author), ("committer ", self.committer)] {
            let time = who.when();
            let (minutes, sign) = (time.offset_minutes(), if time.offset_minutes() < 0 { '-' } else { '+' });
            let zone = format!("{sign}{:02}{:02}", (minutes / 60).abs(), (minutes % 60).abs());
            let parts = [word.as_bytes(), who.name_bytes(), b" <", who.email_bytes(), b"> "];
            parts.iter().for_each(|part| bytes.extend_from_slice(part));
            bytes.extend_from_slice(format!("{} {zone}\n", time.seconds()).as_bytes());
        }
        bytes.push(b'\n');
        bytes.extend_from_slice(self.message);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::NewCommit;
    use crate::tests::test_repository::TestRepository;
    use git2::{Repository, Signature, Time};

    #[test]
    fn libgit2_writes_the_same() {
        let test = TestRepository::new();
        test.forge("a", b"1");
        let repository = Repository::open(test.root()).unwrap();
        let head = repository.head().unwrap().peel_to_commit().unwrap();
        let tree = repository.find_tree(head.tree_id()).unwrap();
        for (offset, message) in [(0, "x\n"), (-90, ""), (345, "ä\n\nbody"), (-5, "\n")] {
            let who = Signature::new("Ünï", "a@b", &Time::new(1_700_000_000, offset)).unwrap();
            let theirs = repository.commit(None, &who, &who, message, &tree, &[&head]).unwrap();
            let (tree, parents) = (tree.id(), [head.id()]);
            let ours =
                NewCommit { tree, parents: &parents, author: &who, committer: &who, message: message.as_bytes() };
            assert_eq!(ours.write(&repository).unwrap(), theirs);
        }
    }
}
