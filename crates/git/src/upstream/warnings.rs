//! What the user is told of files and branches that an exchange with the remote has moved.

use crate::branches::backup_branch::BackupBranch;
use crate::store::held_back::Released;
use crate::store::landing::Landed;

/// Names that a warning holds; the others are counted.
const SHOWN: usize = 5;

/// What the user should know of a landing.
pub(super) fn of_landing(landed: &Landed) -> impl Iterator<Item = String> {
    let backup = landed.backup.as_ref().map(backup_warning);
    landed.left_branch.as_deref().map(switched_warning).into_iter().chain(backup).chain(landed.skipped.warning())
}

/// What the user should know of files that were held back, or still are.
pub(super) fn of_released(released: &Released) -> impl Iterator<Item = String> {
    released.kept.as_ref().map(backup_warning).into_iter().chain(held_back_warning(&released.still))
}

fn switched_warning(branch: &str) -> String {
    format!(
        "The workspace was on the branch '{branch}' and is on that of git.branch now. Nothing of '{branch}' is lost: its \
         commits are on it, and 'git show {branch}:<file>' in the workspace shows what it has. To work on it, name it as git.branch."
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
            "The remote has changed files that hold a secret here, so that they are neither committed nor overwritten: {}. \
             Remove one, and the next sync brings the remote's; or take the secret out, and the next sync keeps yours on a \
             branch, which it names, and brings the remote's.",
            named(paths)
        )
    })
}

fn backup_warning(kept: &BackupBranch) -> String {
    let BackupBranch { branch, commit, paths } = kept;
    let first = paths.first().map_or("<file>", String::as_str);
    format!(
        "Files that were not committed stood where the remote changed something: {}. The remote's are in the workspace now; \
         yours are kept in commit {commit} on the branch {branch}. 'git show {branch}:{first}' in the workspace shows one, and \
         'tgp revert {first} {commit}' puts it over the remote's.",
        named(paths)
    )
}
