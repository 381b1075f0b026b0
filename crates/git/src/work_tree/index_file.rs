//! In-place updates of a few index entries.
//!
//! libgit2 parses and rewrites the whole index. Here unchanged entries are copied as bytes, which is much faster for thousands
//! of entries. Other index versions, split and sparse indexes are left to libgit2.

use crate::regular_file;
use git2::{ErrorClass, ErrorCode, Oid};
use sha1::{Digest, Sha1};
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

const SIGNATURE: &[u8] = b"DIRC";
const HEADER_BYTES: usize = 12;
/// The stat data before the hash; the hash; the flags.
const STAT_BYTES: usize = 40;
const HASH_BYTES: usize = 20;
const FIXED_BYTES: usize = STAT_BYTES + HASH_BYTES + 2;
const MODE_AT: Range<usize> = 24..28;
const EXTENDED: u16 = 0x4000;
const STAGE: u16 = 0x3000;
const MAX_NAME: usize = 0xfff;
/// The extension for resolved conflicts. Other optional extensions are caches and are dropped.
const RESOLVED: &[u8] = b"REUC";

/// Maximum size for in-place updates.
const MAX_INDEX_BYTES: u64 = 64 << 20;
/// Maximum number of changes; every entry is compared with each of them.
const MAX_CHANGES: usize = 64;

/// The new index entry of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Change<'p> {
    pub(crate) path: &'p str,
    /// The hash and mode of a regular file; `None` removes the entry.
    pub(crate) file: Option<(Oid, u32)>,
}

/// Whether the index was updated in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patched {
    Done,
    Unsupported,
}

/// Applies `changes` to the index in `git_dir`, under its lock file.
pub(crate) fn patch(git_dir: &Path, changes: &[Change<'_>]) -> Result<Patched, git2::Error> {
    let (index, lock) = (git_dir.join("index"), git_dir.join("index.lock"));
    if changes.len() > MAX_CHANGES || !index.exists() || !regular_file::is_harmless(&index, MAX_INDEX_BYTES) {
        return Ok(Patched::Unsupported);
    }
    let mut file = File::options().write(true).create_new(true).open(&lock).map_err(|error| failure(&error))?;
    let replace = || {
        let old = regular_file::read(&index, MAX_INDEX_BYTES)?;
        match changed(&old, changes) {
            None => Ok(Some(Patched::Unsupported)),
            Some(new) if new == old => Ok(Some(Patched::Done)),
            Some(new) => {
                file.write_all(&new)?;
                drop(file);
                std::fs::rename(&lock, &index).map(|()| None)
            }
        }
    };
    match replace() {
        Ok(None) => Ok(Patched::Done),
        result => {
            // The lock must be removed here; others wait for it.
            let removed = std::fs::remove_file(&lock);
            let patched = result.and_then(|patched| removed.map(|()| patched.unwrap_or(Patched::Done)));
            patched.map_err(|error| failure(&error))
        }
    }
}

fn failure(error: &io::Error) -> git2::Error {
    let code = if error.kind() == io::ErrorKind::AlreadyExists { ErrorCode::Locked } else { ErrorCode::GenericError };
    git2::Error::new(code, ErrorClass::Index, error.kind().to_string())
}

/// One unmodified entry.
struct Entry<'i> {
    bytes: &'i [u8],
    name: &'i [u8],
    flags: u16,
}

impl Entry<'_> {
    fn holds(&self, id: Oid, mode: u32) -> bool {
        self.flags & (EXTENDED | STAGE) == 0
            && self.bytes.get(STAT_BYTES..STAT_BYTES + HASH_BYTES) == Some(id.as_bytes())
            && self.bytes.get(MODE_AT) == Some(&mode.to_be_bytes())
    }
}

/// Applies `changes` to the bytes of an index; `None` if its format is not supported.
fn changed(index: &[u8], changes: &[Change<'_>]) -> Option<Vec<u8>> {
    let mut changes: Vec<&Change<'_>> = changes.iter().collect();
    changes.sort_unstable_by_key(|change| change.path.as_bytes());
    let (header, mut rest) = index.get(..index.len().checked_sub(HASH_BYTES)?)?.split_at_checked(HEADER_BYTES)?;
    let version = number(header, 4)?;
    if header.get(..4) != Some(SIGNATURE) || !matches!(version, 2 | 3) {
        return None;
    }
    let mut entries = Vec::with_capacity(index.len() + 128 * changes.len());
    let (mut count, mut next, mut is_same) = (0_u32, 0, true);
    for _ in 0..number(header, 8)? {
        let entry = entry_at(rest, version)?;
        rest = rest.get(entry.bytes.len()..)?;
        while let Some(change) = changes.get(next).filter(|change| change.path.as_bytes() < entry.name) {
            is_same &= !put(&mut entries, &mut count, change);
            next += 1;
        }
        match changes.get(next).filter(|change| change.path.as_bytes() == entry.name) {
            Some(Change { file: Some((id, mode)), .. }) if entry.holds(*id, *mode) => next += 1,
            // Also removes conflict entries of this path; the change is added after the last.
            Some(_) => {
                is_same = false;
                continue;
            }
            None if changes.iter().any(|change| is_in_the_way(entry.name, change)) => {
                is_same = false;
                continue;
            }
            None => {}
        }
        entries.extend_from_slice(entry.bytes);
        count += 1;
    }
    for change in changes.get(next..)? {
        is_same &= !put(&mut entries, &mut count, change);
    }
    if is_same {
        return Some(index.to_vec());
    }
    let mut new = Vec::with_capacity(entries.len() + 256);
    new.extend_from_slice(header.get(..8)?);
    new.extend_from_slice(&count.to_be_bytes());
    new.append(&mut entries);
    keep_extensions(rest, &mut new)?;
    let sum = Sha1::digest(&new);
    new.extend_from_slice(&sum);
    Some(new)
}

/// Whether an entry conflicts with the file of `change`, as a parent directory or a file below it.
fn is_in_the_way(name: &[u8], change: &Change<'_>) -> bool {
    let below = |path: &[u8], dir: &[u8]| path.strip_prefix(dir).is_some_and(|rest| rest.first() == Some(&b'/'));
    let path = change.path.as_bytes();
    change.file.is_some() && (below(name, path) || below(path, name))
}

/// Adds the entry of a change, if it has one. Zero times and size make Git compare the content, so the work tree is not read
/// here.
fn put(entries: &mut Vec<u8>, count: &mut u32, change: &Change<'_>) -> bool {
    let Some((id, mode)) = change.file else { return false };
    let name = change.path.as_bytes();
    let mut stat = [0; STAT_BYTES];
    if let Some(place) = stat.get_mut(MODE_AT) {
        place.copy_from_slice(&mode.to_be_bytes());
    }
    entries.extend_from_slice(&stat);
    entries.extend_from_slice(id.as_bytes());
    let length = u16::try_from(name.len().min(MAX_NAME)).unwrap_or_default();
    entries.extend_from_slice(&length.to_be_bytes());
    entries.extend_from_slice(name);
    entries.resize(entries.len() + padded(FIXED_BYTES + name.len()) - FIXED_BYTES - name.len(), 0);
    *count += 1;
    true
}

fn entry_at(rest: &[u8], version: u32) -> Option<Entry<'_>> {
    let flags = rest.get(STAT_BYTES + HASH_BYTES..FIXED_BYTES)?;
    let flags = u16::from_be_bytes(flags.try_into().ok()?);
    let start = if version == 3 && flags & EXTENDED != 0 { FIXED_BYTES + 2 } else { FIXED_BYTES };
    let tail = rest.get(start..)?;
    let length = match usize::from(flags) & MAX_NAME {
        MAX_NAME => tail.iter().position(|byte| *byte == 0)?,
        length => length,
    };
    Some(Entry { bytes: rest.get(..padded(start + length))?, name: tail.get(..length)?, flags })
}

/// Entries are padded with one to eight zeros.
const fn padded(length: usize) -> usize {
    (length + 8) & !7
}

/// Copies the extensions to keep; `None` if there is an unsupported mandatory one.
fn keep_extensions(mut rest: &[u8], new: &mut Vec<u8>) -> Option<()> {
    while !rest.is_empty() {
        let size = 8 + usize::try_from(number(rest, 4)?).ok()?;
        let (extension, after) = rest.split_at_checked(size)?;
        let name = extension.get(..4)?;
        if !name.first()?.is_ascii_uppercase() {
            return None;
        }
        if name == RESOLVED {
            new.extend_from_slice(extension);
        }
        rest = after;
    }
    Some(())
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "git is the oracle")]
mod tests {
    use super::{Change, Patched, changed, patch};
    use crate::tests::test_repository::TestRepository;
    use git2::Oid;
    use std::fs;

    const MODE: u32 = 0o100_644;

    fn put<'p>(test: &TestRepository, path: &'p str, content: &str) -> Change<'p> {
        fs::write(test.root().join("scratch"), content).unwrap();
        let id = test.git(&["hash-object", "-w", "scratch"]);
        fs::remove_file(test.root().join("scratch")).unwrap();
        Change { path, file: Some((Oid::from_str(id.trim()).unwrap(), MODE)) }
    }

    /// Applies the same changes with `git`.
    fn by_git(test: &TestRepository, changes: &[Change<'_>]) {
        for change in changes.iter().filter(|change| change.file.is_none()) {
            test.git(&["update-index", "--force-remove", change.path]);
        }
        for Change { path, file } in changes {
            if let Some((id, _)) = file {
                test.git(&["update-index", "--add", "--replace", "--cacheinfo", &format!("100644,{id},{path}")]);
            }
        }
    }

    #[test]
    fn the_result_equals_that_of_git() {
        let long = "d/".repeat(60) + &"x".repeat(200);
        let huge = "y".repeat(5000);
        let nothing = |path| Change { path, file: None };
        for paths in [&["b"] as &[&str], &["a", "c"], &["b/x", "b.ts"], &["ü", long.as_str(), huge.as_str()], &["dir"]]
        {
            let test = TestRepository::new();
            for name in ["a.ts", "b", "dir/one", "dir/two/three", "z"] {
                fs::create_dir_all(test.root().join(name).parent().unwrap()).unwrap();
                fs::write(test.root().join(name), name).unwrap();
            }
            test.git(&["add", "-A"]);
            test.git(&["commit", "-q", "-m", "start"]);
            let mut changes: Vec<_> = paths.iter().map(|path| put(&test, path, "new")).collect();
            changes.extend([nothing("z"), nothing("never")]);
            let before = fs::read(test.git_dir().join("index")).unwrap();
            assert_eq!(patch(&test.git_dir(), &changes).unwrap(), Patched::Done);
            let ours = test.git(&["ls-files", "--stage"]);
            assert!(!test.git_dir().join("index.lock").exists());
            assert_eq!(test.git(&["-c", "core.checkIndex=true", "fsck", "--strict", "--no-dangling"]), "");
            let patched = fs::read(test.git_dir().join("index")).unwrap();
            assert_eq!(changed(&patched, &changes).unwrap(), patched, "again changes nothing");
            fs::write(test.git_dir().join("index"), before).unwrap();
            by_git(&test, &changes);
            assert_eq!(ours, test.git(&["ls-files", "--stage"]), "{paths:?}");
        }
    }

    #[test]
    fn conflicts_are_resolved_and_staged_files_kept() {
        let test = TestRepository::new();
        test.forge("a", b"1");
        fs::write(test.root().join("staged"), "mine").unwrap();
        test.git(&["add", "staged"]);
        let id = test.git(&["rev-parse", "HEAD:a"]);
        let conflict = format!("0 {} 0\ta\n100644 {} 1\ta\n100644 {} 2\ta\n", "0".repeat(40), id.trim(), id.trim());
        fs::write(test.root().join("info"), conflict).unwrap();
        let info = fs::File::open(test.root().join("info")).unwrap();
        let mut command = std::process::Command::new("git");
        command.args(["update-index", "--index-info"]).current_dir(test.root()).stdin(info);
        assert!(command.status().unwrap().success());
        assert_eq!(test.git(&["ls-files", "--unmerged"]).lines().count(), 2);
        assert_eq!(patch(&test.git_dir(), &[put(&test, "a", "2")]).unwrap(), Patched::Done);
        assert_eq!(test.git(&["ls-files", "--unmerged"]), "");
        assert_eq!(test.git(&["ls-files"]), "a\nstaged\n");
    }

    #[test]
    fn unsupported_and_torn_indexes_are_not_changed() {
        let test = TestRepository::new();
        test.forge("a", b"1");
        let change = [put(&test, "b", "2")];
        let index = fs::read(test.git_dir().join("index")).unwrap();
        for length in 0..index.len() {
            assert_eq!(changed(&index[..length], &change), None, "{length}");
        }
        test.git(&["update-index", "--index-version", "4"]);
        assert_eq!(patch(&test.git_dir(), &change).unwrap(), Patched::Unsupported);
        test.git(&["update-index", "--index-version", "2"]);
        test.git(&["update-index", "--split-index"]);
        assert_eq!(patch(&test.git_dir(), &change).unwrap(), Patched::Unsupported);
        assert!(!test.git_dir().join("index.lock").exists());
        fs::write(test.git_dir().join("index.lock"), "").unwrap();
        assert_eq!(patch(&test.git_dir(), &change).unwrap_err().code(), git2::ErrorCode::Locked);
        assert!(test.git_dir().join("index.lock").exists());
    }
}
