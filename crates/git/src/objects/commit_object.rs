//! Writes commit objects directly: libgit2 would parse the tree and refuse unusual entries.

use crate::git_error::GitError;
use git2::{ObjectType, Oid, Repository, Signature};

/// The content of a commit.
pub(crate) struct NewCommit<'c> {
    pub(crate) tree: Oid,
    pub(crate) parents: &'c [Oid],
    pub(crate) author: &'c Signature<'c>,
    pub(crate) committer: &'c Signature<'c>,
    pub(crate) message: &'c [u8],
}

impl NewCommit<'_> {
    /// Writes the object; no branch moves.
    pub(crate) fn write(&self, repository: &Repository) -> Result<Oid, GitError> {
        let written = repository.odb().and_then(|odb| odb.write(ObjectType::Commit, &self.bytes()));
        written.map_err(|error| GitError::git("write a commit", &error))
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = format!("tree {}\n", self.tree).into_bytes();
        for parent in self.parents {
            bytes.extend_from_slice(format!("parent {parent}\n").as_bytes());
        }
        for (role, person) in [("author ", self.author), ("committer ", self.committer)] {
            let time = person.when();
            let (minutes, sign) = (time.offset_minutes(), if time.offset_minutes() < 0 { '-' } else { '+' });
            let zone = format!("{sign}{:02}{:02}", (minutes / 60).abs(), (minutes % 60).abs());
            let parts = [role.as_bytes(), person.name_bytes(), b" <", person.email_bytes(), b"> "];
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
    fn commits_equal_those_of_libgit2() {
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
