//! Restores lost objects from the redo log. This changes nothing else, so any write may do it at any point.

use super::damage;
use super::redo_log::{LoggedObject, Record, RedoLog};
use super::rewrite;
use crate::git_error::GitError;
use crate::regular_file;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use git2::{ObjectType, Oid, Repository};
use std::fs::File;
use std::io::{self, Read, Write};

/// Slack for the deflated size, in addition to twice the size of an object.
const MAX_DEFLATED: u64 = 1 << 16;

/// Runs `attempt`, and retries it once if it failed because of an object that could be restored from the log.
pub(crate) fn retry_after_restore<T>(
    repository: &Repository,
    log: Option<&RedoLog>,
    mut attempt: impl FnMut() -> Result<T, GitError>,
) -> Result<T, GitError> {
    match (attempt(), log) {
        (Err(error), Some(log)) if error.is_damaged_content() => {
            let mut records = log.records(repository.path()).map_err(GitError::io("read the log of commits"))?;
            let emptied = restore_truncated(repository, &damage::remove_moved(repository, &mut records))?;
            let restored = restore(repository, records.iter().flat_map(|record| &record.objects))?;
            if emptied + restored > 0 { attempt() } else { Err(error) }
        }
        (result, _) => result,
    }
}

/// Restores missing objects before the log is emptied.
pub(crate) fn restore_missing(repository: &Repository, mut records: Vec<Record>) -> Result<(), GitError> {
    restore_truncated(repository, &damage::remove_moved(repository, &mut records))?;
    let objects = records.iter().flat_map(|record| &record.objects);
    restore(repository, objects.filter(|object| !damage::is_there(repository, &object.id))).map(drop)
}

/// Restores truncated objects of commits that no branch may have. Other commits may share them.
pub(super) fn restore_truncated(repository: &Repository, moved: &[Record]) -> Result<usize, GitError> {
    let objects = moved.iter().flat_map(|record| &record.objects);
    restore(repository, objects.filter(|object| damage::is_truncated(repository, &object.id)))
}

/// Restores unreadable objects and returns their number.
pub(super) fn restore<'o>(
    repository: &Repository,
    objects: impl Iterator<Item = &'o LoggedObject>,
) -> Result<usize, GitError> {
    let mut restored = 0;
    for object in objects {
        restored += usize::from(restore_object(repository, object)?);
    }
    Ok(restored)
}

/// Restores an object if its file is missing or has other content; returns whether it did. A file with a transient read error
/// may be intact and is kept.
fn restore_object(repository: &Repository, object: &LoggedObject) -> Result<bool, GitError> {
    let failed = |error: git2::Error| GitError::git("restore a commit", &error);
    let kind = ObjectType::from_str(&object.kind).unwrap_or(ObjectType::Blob);
    if Oid::hash_object(kind, &object.data).map_err(failed)?.to_string() != object.id {
        // The log is not trusted.
        return Ok(false);
    }
    let path = damage::loose_path(repository, &object.id);
    let header = format!("{} {}\0", kind.str(), object.data.len());
    match regular_file::read(&path, MAX_DEFLATED + 2 * object.data.len() as u64) {
        Ok(deflated) if is_inflated(&deflated, &[header.as_bytes(), &object.data].concat()) => return Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // `write` refreshes the list of packs first.
            repository.odb().and_then(|odb| odb.write(kind, &object.data)).map_err(failed)?;
            return Ok(path.exists());
        }
        Err(error) if error.kind() != io::ErrorKind::FileTooLarge && !rewrite::is_damage(&error) => {
            return Err(GitError::io("read an object")(error));
        }
        Ok(_) | Err(_) => {}
    }
    let write = |file: &mut File| {
        let mut encoder = ZlibEncoder::new(file, Compression::fast());
        encoder.write_all(header.as_bytes())?;
        encoder.write_all(&object.data)?;
        encoder.finish().map(drop)
    };
    let replaced = rewrite::temporary(repository).and_then(|temporary| rewrite::replace(&path, &temporary, write));
    replaced.map_err(GitError::io("restore a commit"))?;
    Ok(true)
}

/// Whether `deflated` decompresses to exactly `content`.
fn is_inflated(deflated: &[u8], content: &[u8]) -> bool {
    let mut inflated = Vec::new();
    let read = ZlibDecoder::new(deflated).take(content.len() as u64 + 1).read_to_end(&mut inflated);
    read.is_ok() && inflated == content
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::restore;
    use crate::durability::damage::loose_path;
    use crate::durability::redo_log::LoggedObject;
    use crate::tests::test_repository::TestRepository;
    use git2::{ObjectType, Oid, Repository};
    use std::fs;
    use std::os::unix::fs::MetadataExt;

    fn logged(data: &[u8]) -> LoggedObject {
        let id = Oid::hash_object(ObjectType::Blob, data).unwrap().to_string();
        LoggedObject { id, kind: "blob".to_owned(), data: data.to_vec() }
    }

    #[test]
    fn only_missing_or_damaged_objects_are_rewritten() {
        let test = TestRepository::new();
        let repository = Repository::open(test.root()).unwrap();
        let object = logged(b"content");
        let path = loose_path(&repository, &object.id);
        let restored = || restore(&repository, [&object].into_iter());
        let read = || test.git(&["cat-file", "blob", &object.id]);
        assert_eq!((restored().unwrap(), read().as_str()), (1, "content"), "missing");
        let file = fs::metadata(&path).unwrap().ino();
        assert_eq!((restored().unwrap(), fs::metadata(&path).unwrap().ino()), (0, file), "sound");
        let sound = fs::read(&path).unwrap();
        let (half, _) = sound.split_at(sound.len() / 2);
        for torn in [&b""[..], half, b"other"] {
            fs::remove_file(&path).unwrap();
            fs::write(&path, torn).unwrap();
            assert_eq!((restored().unwrap(), read().as_str()), (1, "content"), "{torn:?}");
        }
        test.git(&["update-ref", "refs/keep", &object.id]);
        test.git(&["repack", "-q", "-a", "-d"]);
        test.git(&["prune-packed"]);
        assert_eq!((restored().unwrap(), path.exists()), (0, false), "in a pack");
        // Unreadable files and objects with a wrong hash are not replaced.
        let elsewhere = test.root().join("elsewhere");
        fs::write(&elsewhere, &sound).unwrap();
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &path).unwrap();
        restored().unwrap_err();
        assert!(path.is_symlink() && fs::read(&elsewhere).unwrap() == sound);
        let wrong = LoggedObject { data: b"another".to_vec(), ..logged(b"content") };
        assert_eq!(restore(&repository, [&wrong].into_iter()).unwrap(), 0);
        assert!(path.is_symlink());
        let left = fs::read_dir(test.git_dir().join("objects")).unwrap();
        assert!(!left.flatten().any(|entry| entry.file_name().to_str().unwrap().starts_with("tmp_")));
    }
}
