//! Making `git status` agree with a work tree that shows more than the current branch.
//!
//! With pull requests the current branch is that of one tool, and the work tree shows the waiting tools of all. What is
//! committed on another branch is no change that anybody has to commit: new files are excluded, changed ones are marked
//! in the index as not of this checkout.

use super::checkout::is_plain;
use super::git_error::GitError;
use super::git_store::StoreOptions;
use super::head;
use super::objects;
use super::plain_file;
use super::repository_setup::MAX_EXCLUDE_BYTES;
use super::trees::Trees;
use super::work_tree::WorkTree;
use super::write_strategy::view;
use git2::{IndexEntryExtendedFlag, IndexEntryFlag, Repository};
use std::collections::HashSet;
use std::fs;
use std::io;

const BEGIN: &str = "# tgp: tools that wait on other branches";
const END: &str = "# tgp: end";

/// Brings the excluded files and the marks in the index to what the branches say now.
pub(super) fn hide_others(
    repository: &Repository,
    options: &StoreOptions,
    work: &dyn WorkTree,
) -> Result<(), git2::Error> {
    let other = |error: GitError| git2::Error::from_str(&error.to_string());
    let head = head::target(repository, "HEAD")?;
    let trees = Trees::new(repository, options.limits);
    let own = trees.of(head).map_err(other)?;
    let shown = view(repository, options).map_err(other)?;
    let others = trees.changes(own, shown).map_err(other)?.all;
    let (added, changed): (Vec<_>, Vec<_>) = others.iter().partition(|change| change.old.is_none());
    exclude(repository, added.iter().map(|change| change.path.as_str()))
        .map_err(|error| git2::Error::from_str(&error.kind().to_string()))?;
    mark(&trees, &changed.iter().map(|change| change.path.as_str()).collect(), work)
}

/// Rewrites our section of the local exclude file.
fn exclude<'p>(repository: &Repository, paths: impl Iterator<Item = &'p str>) -> io::Result<()> {
    let file = repository.commondir().join("info").join("exclude");
    let present = match plain_file::read_linked(&file, MAX_EXCLUDE_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        result => String::from_utf8_lossy(&result?).into_owned(),
    };
    let mut text: String = without_section(&present).into_iter().map(|line| format!("{line}\n")).collect();
    let patterns: Vec<String> = paths.map(pattern).collect();
    if !patterns.is_empty() {
        text.push_str(&format!("{BEGIN}\n{}\n{END}\n", patterns.join("\n")));
    }
    if text == present {
        return Ok(());
    }
    fs::create_dir_all(repository.commondir().join("info"))?;
    let temporary = file.with_extension("tgp");
    fs::write(&temporary, text)?;
    fs::rename(temporary, file)
}

fn without_section(text: &str) -> Vec<&str> {
    let mut is_ours = false;
    let is_kept = |line: &&str| {
        let was_ours = is_ours;
        is_ours = (is_ours || *line == BEGIN) && *line != END;
        !was_ours && !is_ours
    };
    text.lines().filter(is_kept).collect()
}

/// A pattern that fits this path alone.
fn pattern(path: &str) -> String {
    let mut pattern = "/".to_owned();
    for c in path.chars() {
        if "*?[\\ ".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

/// Marks the index entries of `others`, and no other plain file's.
fn mark(trees: &Trees<'_>, others: &HashSet<&str>, work: &dyn WorkTree) -> Result<(), git2::Error> {
    let skip = IndexEntryExtendedFlag::SKIP_WORKTREE.bits();
    let mut index = trees.repository.index()?;
    index.read(false)?;
    let mut wrong = Vec::new();
    for mut entry in index.iter() {
        let Ok(path) = str::from_utf8(&entry.path) else { continue };
        let is_ours = is_plain(entry.mode.cast_signed()) && work.accepts(path);
        let (is, must) = (entry.flags_extended & skip != 0, others.contains(path));
        // One that is too large to be a file here stays marked.
        let fits =
            || objects::blob_size(trees.repository, entry.id).is_some_and(|size| size <= trees.limits.file_bytes);
        if is_ours && is != must && fits() {
            entry.flags_extended ^= skip;
            entry.flags = if must { IndexEntryFlag::EXTENDED.bits() } else { 0 };
            wrong.push(entry);
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    for entry in &wrong {
        index.add(entry)?;
    }
    index.write().inspect_err(|_| {
        // The repository keeps this index: without what did not reach the disk.
        let _ = index.read(true);
    })
}

#[cfg(test)]
mod tests {
    use super::{BEGIN, END, pattern, without_section};

    #[test]
    fn only_our_section_is_replaced() {
        let text = format!("mine\n{BEGIN}\n/tools/a.ts\n{END}\n*.log\n");
        assert_eq!(without_section(&text), ["mine", "*.log"]);
        assert_eq!(without_section("a\nb\n"), ["a", "b"]);
        assert_eq!(without_section(&format!("a\n{BEGIN}\ntorn")), ["a"]);
    }

    #[test]
    fn a_pattern_fits_one_path() {
        assert_eq!(pattern("tools/a b[1]*.ts"), r"/tools/a\ b\[1]\*.ts");
    }
}
