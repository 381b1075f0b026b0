//! Rewrites files after a failed flush. The system may have dropped their data, and what is still readable is only cached in
//! memory. As new files they are part of the next flush.

use super::damage;
use super::redo_log::Record;
use crate::git_error::GitError;
use crate::regular_file;
use crate::work_tree::work_tree::WorkTree;
use git2::{ObjectType, Oid, Repository};
use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Rewrites all loose objects, and the branches and files of `records`.
pub(super) fn rewrite(repository: &Repository, records: &[Record], work: &dyn WorkTree) -> Result<(), GitError> {
    let failed = GitError::io("rewrite files after a failed flush");
    let logged: HashSet<&str> = records.iter().flat_map(|record| &record.objects).map(|object| &*object.id).collect();
    for prefix in 0..=u8::MAX {
        let folder = format!("{prefix:02x}");
        for file in file_names(&repository.commondir().join("objects").join(&folder)).map_err(&failed)? {
            let id = format!("{folder}{file}");
            let written = rewrite_object(repository, &damage::loose_path(repository, &id));
            written
                .or_else(|error| if logged.contains(&*id) { Err(error) } else { ignore_permanent(error) })
                .map_err(&failed)?;
        }
    }
    for name in damage::branches(records).into_keys() {
        let branch = repository.commondir().join(name);
        replace(&branch, &repository.commondir().join(format!("{name}.lock")), |file| copy(&branch, file))
            .or_else(ignore_missing)
            .map_err(&failed)?;
    }
    for path in records.iter().flat_map(|record| &record.paths) {
        rewrite_file(repository, path, work).map_err(&failed)?;
    }
    Ok(())
}

/// The names of the objects in a folder.
fn file_names(folder: &Path) -> io::Result<Vec<String>> {
    let listed = fs::read_dir(folder).and_then(|entries| {
        let names = entries.map(|entry| Ok(entry?.file_name().into_string().unwrap_or_default()));
        names.filter(|name| name.as_ref().map_or(true, |name| name.len() == 38)).collect()
    });
    listed.or_else(|error| ignore_permanent(error).map(|()| Vec::new()))
}

fn rewrite_object(repository: &Repository, path: &Path) -> io::Result<()> {
    replace(path, &temporary(repository)?, |file| copy(path, file)).or_else(ignore_missing)
}

/// Rewrites a file whose content is in the history. Other content is an edit and left to its editor.
fn rewrite_file(repository: &Repository, path: &str, work: &dyn WorkTree) -> io::Result<()> {
    let Some(content) = work.read(path)? else { return Ok(()) };
    let is_known = Oid::hash_object(ObjectType::Blob, &content)
        .and_then(|id| Ok(repository.odb()?.exists(id)))
        .map_err(io::Error::other)?;
    if is_known && work.read(path)?.as_ref() == Some(&content) { work.write(path, &content) } else { Ok(()) }
}

/// A temporary name in the object folder that `git gc` removes if the process dies.
pub(super) fn temporary(repository: &Repository) -> io::Result<PathBuf> {
    let mut chance = [0; 8];
    getrandom::fill(&mut chance).map_err(io::Error::other)?;
    Ok(repository.commondir().join("objects").join(format!("tmp_obj_{:016x}", u64::from_le_bytes(chance))))
}

/// Replaces the file at `path`. `write` runs while `temporary` exists, which for a branch is its lock file.
pub(super) fn replace(
    path: &Path,
    temporary: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = regular_file::open(temporary, File::options().write(true).create_new(true))?;
    let replaced = fs::metadata(path)
        .and_then(|present| file.set_permissions(present.permissions()))
        .and_then(|()| write(&mut file))
        .and_then(|()| fs::rename(temporary, path));
    if replaced.is_err() {
        // If this fails, the next writer removes a branch lock, and `git gc` other files.
        let _ = fs::remove_file(temporary);
    }
    replaced
}

fn copy(path: &Path, file: &mut File) -> io::Result<()> {
    io::copy(&mut regular_file::open(path, File::options().read(true))?, file).map(drop)
}

/// Ignores a missing file: `git` has packed or removed it.
fn ignore_missing(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

/// Ignores permanent errors: damaged files and files of another user.
fn ignore_permanent(error: io::Error) -> io::Result<()> {
    let is_lasting = matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::InvalidInput);
    if is_lasting || is_damage(&error) { Ok(()) } else { ignore_missing(error) }
}

/// Whether the disk reported a read error.
pub(super) fn is_damage(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::EIO)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::{copy, replace, rewrite};
    use crate::durability::redo_log::{LoggedObject, Record};
    use crate::tests::test_repository::{PlainFiles, TestRepository};
    use git2::Repository;
    use std::fs;
    use std::os::unix::fs::MetadataExt;

    fn record(test: &TestRepository, objects: Vec<LoggedObject>) -> Record {
        Record {
            session: "same".to_owned(),
            reference: "refs/heads/main".to_owned(),
            old: None,
            new: test.git(&["rev-parse", "HEAD"]).trim().to_owned(),
            objects,
            paths: vec!["tools/a.ts".to_owned(), "tools/b.ts".to_owned(), "gone.ts".to_owned()],
        }
    }

    #[test]
    fn unreadable_objects_that_are_not_logged_are_skipped() {
        let test = TestRepository::new();
        test.forge("tools/a.ts", b"1");
        test.forge("tools/b.ts", b"2");
        let repository = Repository::open(test.root()).unwrap();
        let files = PlainFiles(test.root());
        let written = |objects| rewrite(&repository, &[record(&test, objects)], &files);
        let foreign = test.git_dir().join("objects/aa").join("b".repeat(38));
        fs::create_dir_all(&foreign).unwrap();
        let branch = test.git_dir().join("refs/heads/main");
        let before = fs::metadata(&branch).unwrap().ino();
        written(Vec::new()).unwrap();
        assert_ne!(fs::metadata(&branch).unwrap().ino(), before);
        let needed = LoggedObject { id: format!("aa{}", "b".repeat(38)), kind: "blob".to_owned(), data: Vec::new() };
        written(vec![needed]).unwrap_err();
        fs::remove_dir(&foreign).unwrap();
        test.git(&["pack-refs", "--all"]);
        written(Vec::new()).unwrap();
        assert!(!branch.exists() && !branch.with_extension("lock").exists());
        assert_eq!(test.git(&["fsck", "--full", "--strict"]), "");
    }

    #[test]
    fn edited_files_and_locked_branches_are_not_rewritten() {
        let test = TestRepository::new();
        test.forge("tools/a.ts", b"1");
        test.forge("tools/b.ts", b"2");
        let repository = Repository::open(test.root()).unwrap();
        let long_ago = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
        let path = |name: &str| test.root().join(name);
        fs::write(path("tools/b.ts"), "an edit").unwrap();
        for name in ["tools/a.ts", "tools/b.ts"] {
            fs::File::options().write(true).open(path(name)).unwrap().set_modified(long_ago).unwrap();
        }
        rewrite(&repository, &[record(&test, Vec::new())], &PlainFiles(test.root())).unwrap();
        let is_old = |name: &str| fs::metadata(path(name)).unwrap().modified().unwrap() == long_ago;
        assert_eq!((is_old("tools/a.ts"), is_old("tools/b.ts")), (false, true));

        let (branch, lock) = (path(".git/refs/heads/main"), path(".git/refs/heads/main.lock"));
        let before = fs::metadata(&branch).unwrap().ino();
        fs::write(&lock, "of git").unwrap();
        rewrite(&repository, &[record(&test, Vec::new())], &PlainFiles(test.root())).unwrap_err();
        assert_eq!(fs::read_to_string(&lock).unwrap(), "of git");
        assert_eq!(fs::metadata(&branch).unwrap().ino(), before);
        fs::remove_file(&lock).unwrap();
        // The branch is read while the lock is held.
        let read_under_lock = replace(&branch, &lock, |file| {
            assert!(!test.try_git(&["update-ref", "refs/heads/main", "HEAD^"]), "git waits for the lock");
            copy(&branch, file)
        });
        read_under_lock.unwrap();
        assert_eq!(test.git(&["show", "HEAD:tools/b.ts"]), "2");
    }
}
