//! Warnings about files and branches that an exchange with the remote has changed.

use crate::branches::backup_branch::BackupBranch;
use crate::store::held_back::Released;
use crate::store::landing::Landed;

/// Paths listed in a warning; the others are counted.
const SHOWN: usize = 5;

/// The warnings of a landing.
pub(super) fn of_landing(landed: &Landed) -> impl Iterator<Item = String> {
    let backup = landed.backup.as_ref().map(backup_warning);
    landed.left_branch.as_deref().map(switched_warning).into_iter().chain(backup).chain(landed.skipped.warning())
}

/// The warnings about held-back files.
pub(super) fn of_released(released: &Released) -> impl Iterator<Item = String> {
    released.kept.as_ref().map(backup_warning).into_iter().chain(held_back_warning(&released.still))
}

fn switched_warning(branch: &str) -> String {
    format!(
        "The workspace was on the branch '{branch}' and is now on git.branch. The commits of '{branch}' are kept; \
         'git show {branch}:<file>' in the workspace shows a file. To work on that branch, set git.branch to it."
    )
}

fn named(paths: &[String]) -> String {
    let shown: Vec<&str> = paths.iter().take(SHOWN).map(String::as_str).collect();
    let others = paths.len() - shown.len();
    if others == 0 { shown.join(", ") } else { format!("{} and {others} more", shown.join(", ")) }
}

fn held_back_warning(paths: &[String]) -> Option<String> {
    (!paths.is_empty()).then(|| {
        format!(
            "The remote has changed files that contain a secret here. They are neither committed nor overwritten: {}. \
             If you remove such a file, the next sync brings the remote's; if you remove the secret, it also keeps your \
             version on a branch.",
            named(paths)
        )
    })
}

fn backup_warning(kept: &BackupBranch) -> String {
    let BackupBranch { branch, commit, paths } = kept;
    let first = paths.first().map_or("<file>", String::as_str);
    format!(
        "The remote changed files that had uncommitted edits: {}. The remote's versions are in the workspace now; yours are \
         kept in commit {commit} on the branch {branch}. 'git show {branch}:{first}' in the workspace shows one, and \
         'tgp revert {first} {commit}' restores it.",
        named(paths)
    )
}
