//! Branches of tools with a pending pull request.

use super::references::{base, branch_at};
use crate::git_error::GitError;
use crate::objects::tree_changes::TreeChange;
use crate::objects::trees::Trees;
use crate::store_options::StoreOptions;
use git2::{ObjectType, Oid, Repository};
use std::collections::BTreeMap;

const PREFIX: &str = "tgp/feat-";
const MAX_SLUG: usize = 40;
const ID_DIGITS: usize = 8;

/// A branch that is not merged.
#[derive(Debug, Clone)]
pub(crate) struct PendingBranch {
    /// Short name, such as `tgp/feat-vat-1f2e3d4c`.
    pub(crate) branch: String,
    pub(crate) tip: Oid,
    /// Its changes since the merge base.
    pub(crate) changes: Vec<TreeChange>,
}

/// The branch name of the tool at `path`, derived from the path alone.
pub(crate) fn branch_of(path: &str) -> String {
    let name = path.strip_prefix("tools/").unwrap_or(path);
    let name = name.rsplit_once('.').map_or(name, |(name, _)| name);
    let mut slug = String::new();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            slug.push(c.to_ascii_lowercase());
        } else if !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let slug: String = slug.trim_matches('-').chars().take(MAX_SLUG).collect();
    let id = Oid::hash_object(ObjectType::Blob, path.as_bytes()).map(|id| id.to_string()).unwrap_or_default();
    let id: String = id.chars().take(ID_DIGITS).collect();
    format!("{PREFIX}{}-{id}", slug.trim_matches('-'))
}

/// The branch on which `path` is changed: its own, or the one of the tool that it was moved with.
pub(crate) fn branch_for(repository: &Repository, options: &StoreOptions, path: &str) -> Result<String, GitError> {
    let own = branch_of(path);
    if branch_at(repository, &own)?.is_some() {
        return Ok(own);
    }
    let others = all(repository, options)?;
    let other = others.into_iter().find(|pending| pending.changes.iter().any(|change| change.path == path));
    Ok(other.map_or(own, |pending| pending.branch))
}

/// All local branches of tools, sorted.
pub(crate) fn all(repository: &Repository, options: &StoreOptions) -> Result<Vec<PendingBranch>, GitError> {
    let failed = |error: git2::Error| GitError::git("list the branches of tools", &error);
    let base = base(repository, options)?;
    let trees = Trees::new(repository, options.limits);
    let mut found = Vec::new();
    for reference in repository.references_glob(&format!("refs/heads/{PREFIX}*")).map_err(failed)? {
        let reference = reference.map_err(failed)?;
        let (Ok(name), Some(tip)) = (reference.shorthand(), reference.target()) else { continue };
        let fork = base.and_then(|base| repository.merge_base(base, tip).ok());
        let changes = changes_since(&trees, fork, tip)?;
        found.push(PendingBranch { branch: name.to_owned(), tip, changes });
    }
    found.sort_by(|one, other| one.branch.cmp(&other.branch));
    Ok(found)
}

/// The changes of the commits after `fork` up to `tip`.
pub(crate) fn changes_since(trees: &Trees<'_>, fork: Option<Oid>, tip: Oid) -> Result<Vec<TreeChange>, GitError> {
    Ok(trees.changes(trees.of(fork)?, trees.of(Some(tip))?)?.all)
}

/// The base with all pending changes that it has neither merged nor replaced.
pub(crate) fn view(repository: &Repository, options: &StoreOptions) -> Result<Option<Oid>, GitError> {
    let trees = Trees::new(repository, options.limits);
    let base = trees.of(base(repository, options)?)?;
    overlay(&trees, base, &all(repository, options)?)
}

/// Applies the changes of `pending` that `base` has neither merged nor replaced.
pub(crate) fn overlay(
    trees: &Trees<'_>,
    base: Option<Oid>,
    pending: &[PendingBranch],
) -> Result<Option<Oid>, GitError> {
    let mut changes = BTreeMap::new();
    for change in pending.iter().flat_map(|pending| &pending.changes) {
        if trees.entry(base, &change.path)? == change.old {
            changes.insert(change.path.clone(), change.new);
        }
    }
    if changes.is_empty() {
        return Ok(base);
    }
    trees.with_changes(base, changes).map(Some)
}

/// Whether `base` has merged or replaced all changes of `pending`.
pub(crate) fn is_decided(trees: &Trees<'_>, pending: &PendingBranch, base: Option<Oid>) -> Result<bool, GitError> {
    for change in &pending.changes {
        if trees.entry(base, &change.path)? == change.old {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::branch_of;

    #[test]
    fn each_tool_has_its_own_branch() {
        assert_eq!(branch_of("tools/finance/VAT rate.ts"), branch_of("tools/finance/VAT rate.ts"));
        assert!(branch_of("tools/finance/VAT rate.ts").starts_with("tgp/feat-finance-vat-rate-"));
        assert_ne!(branch_of("tools/a-b.ts"), branch_of("tools/a/b.ts"));
        for path in ["tools/.ts", "tools/ünï.ts", "data.json", &format!("tools/{}.ts", "x".repeat(300))] {
            assert!(git2::Branch::name_is_valid(&branch_of(path)).unwrap(), "{path}");
            assert!(branch_of(path).len() < 70);
        }
    }
}
