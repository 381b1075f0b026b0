//! Applies the push policy.

use super::upstream::Upstream;
use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::objects::object_reader::{self, ReadObject};
use crate::objects::trees::Trees;
use git2::{ObjectType, Oid, Repository};

impl Upstream {
    /// Checks the files that differ between `new` and the remote against the push policy.
    pub(crate) fn check_push_policy(
        &self,
        repository: &Repository,
        known: Option<Oid>,
        new: Oid,
        deadline: &ExchangeDeadline,
    ) -> Result<(), GitError> {
        let Some(push_policy) = self.push_policy.get() else { return Ok(()) };
        let trees = Trees::new(repository, self.options().limits).with_deadline(deadline);
        let tree = trees.of(Some(new))?;
        let changes = trees.changes(trees.of(known)?, tree)?;
        let paths: Vec<&str> = changes.all.iter().map(|change| change.path.as_str()).collect();
        let text_of = |path: &str| {
            let entry = trees.entry(tree, path).ok().flatten()?;
            let most = self.options().limits.object_bytes();
            match object_reader::read(repository, entry.id, ObjectType::Blob, most).ok()? {
                ReadObject::Content(bytes) => String::from_utf8(bytes).ok(),
                ReadObject::TooLarge | ReadObject::Missing => None,
            }
        };
        match push_policy.refusal(&paths, &text_of) {
            Some(reason) => Err(GitError::Held { reason }),
            None => Ok(()),
        }
    }
}
