//! Objects of the log that are not on the disk any more. Writing them again changes nothing else, so a write may do it at any point.

use super::damage;
use super::redo_log::{LoggedObject, Record, RedoLog};
use super::rewrite;
use crate::git_error::GitError;
use crate::plain_file;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use git2::{ObjectType, Oid, Repository};
use std::fs::File;
use std::io::{self, Read, Write};

/// What deflating adds at most to twice the size of an object.
const LONGEST_DEFLATED: u64 = 1 << 16;

/// What `attempt` comes to; once more if it has failed for want of an object that the log has.
pub(crate) fn despite_losses<T>(
    repository: &Repository,
    log: Option<&RedoLog>,
    mut attempt: impl FnMut() -> Result<T, GitError>,
) -> Result<T, GitError> {
    match (attempt(), log) {
        (Err(error), Some(log)) if error.is_of_content() => {
            let mut records = log.records(repository.path()).map_err(GitError::io("read the log of commits"))?;
            let emptied = restore_emptied(repository, &damage::take_moved(repository, &mut records))?;
            let restored = restore(repository, records.iter().flat_map(|record| &record.objects))?;
            if emptied + restored > 0 { attempt() } else { Err(error) }
        }
        (result, _) => result,
    }
}

/// Writes again what is not there of a log that is about to be emptied.
pub(crate) fn restore_missing(repository: &Repository, mut records: Vec<Record>) -> Result<(), GitError> {
    restore_emptied(repository, &damage::take_moved(repository, &mut records))?;
    let objects = records.iter().flat_map(|record| &record.objects);
    restore(repository, objects.filter(|object| !damage::is_there(repository, &object.id))).map(drop)
}

/// Writes again what was lost of commits that a branch may not have any more. Others may share their objects.
pub(super) fn restore_emptied(repository: &Repository, moved: &[Record]) -> Result<usize, GitError> {
    let objects = moved.iter().flat_map(|record| &record.objects);
    restore(repository, objects.filter(|object| damage::is_emptied(repository, &object.id)))
}

/// Writes those of `objects` again that cannot be read; how many there were.
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

/// Writes an object again if its file is not there, or holds something else; whether that was so. A file that cannot be read
/// at the moment may be sound.
fn restore_object(repository: &Repository, object: &LoggedObject) -> Result<bool, GitError> {
    let failed = |error: git2::Error| GitError::git("restore a commit", &error);
    let kind = ObjectType::from_str(&object.kind).unwrap_or(ObjectType::Blob);
    if Oid::hash_object(kind, &object.data).map_err(failed)?.to_string() != object.id {
        // The log may be anybody's.
        return Ok(false);
    }
    let path = damage::loose_path(repository, &object.id);
    let header = format!("{} {}\0", kind.str(), object.data.len());
    match plain_file::read(&path, LONGEST_DEFLATED + 2 * object.data.len() as u64) {
        Ok(deflated) if is_inflated(&deflated, &[header.as_bytes(), &object.data].concat()) => return Ok(false),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // It asks for packs as they are now; a handle remembers what it has read.
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

/// Whether `deflated` holds `content` and nothing else.
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
    fn only_content_that_is_not_the_object_is_replaced() {
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
        // Neither what cannot be read nor what another name claims is touched.
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
