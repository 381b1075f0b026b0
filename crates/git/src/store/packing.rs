//! Packs loose objects in the background. A commit writes about six loose objects with 27 KB of disk space; packed they take 500
//! bytes.
//!
//! Safe with concurrent `git` and other processes: a pack is complete, read back and synced before its loose objects are removed,
//! and readers that miss a file refresh their list of packs. Unreachable objects are kept too. One process packs at a time.
//! A `git repack` that started before the pack was stored does not remove it, because its name is new; one that starts while
//! loose objects are removed does not, because of a `.keep` file; one that starts later finds the objects only in the pack.
//! Disabled by `gc.auto = 0` and `extensions.preciousObjects`.

use crate::exchange_deadline::{ExchangeDeadline, Halt};
use crate::git_error::GitError;
use crate::limits::Limits;
use crate::objects::pack::{self, OwnPack};
use crate::regular_file;
use git2::{Odb, Oid, Repository};
use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

const LOCK_NAME: &str = "tgp-packing";
/// Loose objects that are not packed; more if there are many packs, so that packs stay few.
const FEWEST_FILES: usize = 1024;
const FILES_PER_PACK: usize = 256;
const MAX_FILES: usize = 4096;
/// Limits of one round.
const ROUND_OBJECTS: usize = 8192;
const ROUND_BYTES: usize = 64 << 20;
const ROUND_TIMEOUT: Duration = Duration::from_secs(60);
const STALE_TEMP_AGE: Duration = Duration::from_hours(1);
/// Larger objects stay loose.
pub(super) const MAX_OBJECT_BYTES: usize = 1 << 20;

/// The result of a packing round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Round {
    /// The number of packed loose objects.
    Packed(usize),
    TooFew,
    /// Another process is packing, or packing is disabled.
    NotAllowed,
}

/// The lock for packing, with the deadline of one round.
pub(super) struct PackingLock {
    pub(super) objects: PathBuf,
    pub(super) deadline: ExchangeDeadline,
    _lock: File,
}

/// `None` if another process holds the lock, or packing is disabled.
pub(super) fn lock_for_packing(repository: &Repository, halt: &Halt) -> Result<Option<PackingLock>, GitError> {
    let deadline = ExchangeDeadline::new(ROUND_TIMEOUT, halt);
    deadline.remaining()?;
    if is_packing_disabled(repository) {
        return Ok(None);
    }
    let Some(lock) = lock(repository)? else { return Ok(None) };
    let objects = repository.commondir().join("objects");
    let is_own = [&objects, &objects.join("pack")].into_iter().all(|folder| is_own_folder(folder));
    Ok(is_own.then_some(PackingLock { objects, deadline, _lock: lock }))
}

/// Runs one packing round.
pub(crate) fn round(repository: &Repository, limits: &Limits, halt: &Halt) -> Result<Round, GitError> {
    let Some(PackingLock { objects, deadline, _lock }) = lock_for_packing(repository, halt)? else {
        return Ok(Round::NotAllowed);
    };
    clear_abandoned(&objects.join("pack"));
    let found = loose_objects(&objects).map_err(GitError::io("list the objects"))?;
    let packs = count_packs(&objects.join("pack"));
    let enough = (packs * FILES_PER_PACK).clamp(FEWEST_FILES, MAX_FILES);
    if found.len() < enough {
        return Ok(Round::TooFew);
    }
    let odb = repository.odb().map_err(|error| GitError::git("pack objects", &error))?;
    let mut bytes = 0;
    let mut chosen = Vec::new();
    for (id, _) in &found {
        // The other half of the time is for writing the pack.
        if deadline.remaining()? < ROUND_TIMEOUT / 2 {
            break;
        }
        if chosen.len() >= ROUND_OBJECTS || bytes >= ROUND_BYTES {
            break;
        }
        if let Some(size) = sound_size(&odb, *id) {
            bytes += size;
            chosen.push(*id);
        }
    }
    // Most objects are too large or unreadable; a pack of the others is not worthwhile.
    if chosen.len() < enough / 2 && bytes < ROUND_BYTES {
        return Ok(Round::TooFew);
    }
    let pack = pack::store(repository, &chosen, limits, &deadline)?;
    remove_packed(&found, &pack).map(Round::Packed)
}

/// Removes the loose objects that `pack` has, and returns their number. The pack is kept by `git` meanwhile.
pub(crate) fn remove_packed(loose: &[(Oid, PathBuf)], pack: &OwnPack) -> Result<usize, GitError> {
    let packed: HashSet<Oid> = pack.ids.iter().copied().collect();
    let (mut count, mut failure) = (0, None);
    for (_, path) in loose.iter().filter(|(id, _)| packed.contains(id)) {
        match fs::remove_file(path) {
            Ok(()) => count += 1,
            // Removed by `git` meanwhile.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => count += 1,
            Err(error) => failure = Some(error),
        }
    }
    match failure {
        Some(error) => Err(GitError::io("remove packed objects")(error)),
        None => Ok(count),
    }
}

/// Removes files of killed processes. Writing a pack takes minutes at most.
fn clear_abandoned(packs: &Path) {
    pack::clear_abandoned(packs);
    let Ok(entries) = fs::read_dir(packs) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_temporary =
            name.to_str().is_some_and(|name| name.starts_with("tmp_pack_") || name.starts_with("tmp_idx_"));
        let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
        if is_temporary && age().is_some_and(|age| age > STALE_TEMP_AGE) {
            // `git gc` may remove it at the same time.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The size of an intact object; `None` if it is large or damaged.
fn sound_size(odb: &Odb<'_>, id: Oid) -> Option<usize> {
    let (size, _) = odb.read_header(id).ok().filter(|(size, _)| *size <= MAX_OBJECT_BYTES)?;
    // Damaged objects stay; the redo log or a user may restore them.
    odb.read(id).ok().map(|_| size)
}

/// Whether the configuration disables packing.
fn is_packing_disabled(repository: &Repository) -> bool {
    let Ok(config) = repository.config() else { return true };
    config.get_i64("gc.auto").is_ok_and(|limit| limit <= 0)
        || config.get_bool("extensions.preciousobjects").is_ok_and(|precious| precious)
}

/// Locks packing; `None` if another process holds the lock. The system releases it when the process dies.
fn lock(repository: &Repository) -> Result<Option<File>, GitError> {
    let failed = GitError::io("lock the objects");
    let path = repository.commondir().join(LOCK_NAME);
    let mut options = File::options();
    let file =
        regular_file::open(&path, options.read(true).write(true).create(true).truncate(false)).map_err(&failed)?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// Whether this is a directory and not a link, which could lead to another repository.
fn is_own_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

/// All loose objects.
pub(crate) fn loose_objects(objects: &Path) -> std::io::Result<Vec<(Oid, PathBuf)>> {
    let mut found = Vec::new();
    for first in 0..=u8::MAX {
        let folder = format!("{first:02x}");
        let place = objects.join(&folder);
        if !is_own_folder(&place) {
            continue;
        }
        for entry in fs::read_dir(place)? {
            let entry = entry?;
            let name = entry.file_name();
            // Temporary files have other names.
            let id =
                name.to_str().filter(|name| name.len() == 38).map(|name| Oid::from_str(&format!("{folder}{name}")));
            if let Some(Ok(id)) = id
                && entry.file_type()?.is_file()
            {
                found.push((id, entry.path()));
            }
        }
    }
    Ok(found)
}

/// Whether there are packs or many loose objects. Ids are distributed evenly, so one of the 256 directories is a sample.
pub(super) fn is_large(objects: &Path) -> bool {
    let some = || fs::read_dir(objects.join("17")).map_or(0, Iterator::count);
    count_packs(&objects.join("pack")) > 0 || some() * 256 >= FEWEST_FILES
}

fn count_packs(folder: &Path) -> usize {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries.filter_map(Result::ok).filter(|entry| entry.path().extension().is_some_and(|kind| kind == "idx")).count()
}

#[cfg(test)]
mod tests {
    use super::{FEWEST_FILES, Round, lock, loose_objects};
    use crate::exchange_deadline::{ExchangeDeadline, Halt};
    use crate::objects::pack;
    use crate::tests::test_repository::{TestRepository, limits};
    use git2::{ObjectType, Oid, Repository};
    use std::fs;
    use std::path::PathBuf;
    use std::time::Duration;

    /// A repository with many unreachable objects.
    fn many() -> (TestRepository, Vec<Oid>) {
        let test = TestRepository::new();
        for number in 0..8 {
            test.forge(&format!("tools/t{number}.ts"), format!("export default () => {number}\n").as_bytes());
        }
        let repository = Repository::open(test.root()).unwrap();
        let odb = repository.odb().unwrap();
        let loose = (0..FEWEST_FILES)
            .map(|number| odb.write(ObjectType::Blob, format!("export const number = {number};\n").as_bytes()).unwrap())
            .collect();
        (test, loose)
    }

    fn path_of(test: &TestRepository, id: &str) -> PathBuf {
        let (folder, file) = id.split_at(2);
        test.git_dir().join("objects").join(folder).join(file)
    }

    fn round(test: &TestRepository) -> Round {
        super::round(&Repository::open(test.root()).unwrap(), &limits(), &Halt::default()).unwrap()
    }

    fn files(test: &TestRepository) -> usize {
        loose_objects(&test.git_dir().join("objects")).unwrap().len()
    }

    #[test]
    fn all_objects_exist_after_packing() {
        let (test, loose) = many();
        let before = test.git(&["rev-list", "--objects", "--all"]);
        let handle = Repository::open(test.root()).unwrap();
        let count = files(&test);
        assert_eq!(round(&test), Round::Packed(count));
        assert_eq!((files(&test), round(&test)), (0, Round::TooFew));
        assert_eq!(test.git(&["fsck", "--full", "--strict", "--no-dangling"]), "");
        assert_eq!(test.git(&["rev-list", "--objects", "--all"]), before);
        // Also for handles that were opened before, and for the next commit.
        assert!(loose.iter().all(|id| handle.find_object(*id, None).is_ok()));
        test.forge("tools/t1.ts", b"export default () => 2\n");
        assert_eq!(test.git(&["fsck", "--full", "--strict", "--no-dangling"]), "");
        assert_eq!(test.git(&["status", "--porcelain"]), "");
    }

    #[test]
    fn an_interrupted_packing_round_is_completed_by_the_next() {
        let (test, loose) = many();
        let repository = Repository::open(test.root()).unwrap();
        let deadline = ExchangeDeadline::new(Duration::from_secs(60), &Halt::default());
        // Killed before the pack was renamed, and before loose objects were removed.
        fs::write(test.git_dir().join("objects/pack/tmp_pack_dead"), b"PACK").unwrap();
        assert_eq!(pack::store(&repository, &loose, &limits(), &deadline).unwrap().ids.len(), loose.len());
        assert_eq!(test.git(&["fsck", "--full", "--strict", "--no-dangling"]), "");
        let first = loose.first().unwrap().to_string();
        fs::remove_file(path_of(&test, &first)).unwrap();
        let count = files(&test);
        assert_eq!(round(&test), Round::Packed(count));
        assert_eq!(test.git(&["fsck", "--full", "--strict", "--no-dangling"]), "");
        assert!(loose.iter().all(|id| repository.find_object(*id, None).is_ok()));
    }

    #[test]
    fn damaged_and_large_objects_stay_loose_and_one_process_packs() {
        let (test, loose) = many();
        let repository = Repository::open(test.root()).unwrap();
        let large = repository.blob(&vec![7; (1 << 20) + 1]).unwrap().to_string();
        let torn = loose.first().unwrap().to_string();
        fs::remove_file(path_of(&test, &torn)).unwrap();
        fs::write(path_of(&test, &torn), b"").unwrap();
        let count = files(&test);
        let held = lock(&repository).unwrap().unwrap();
        assert_eq!(round(&test), Round::NotAllowed);
        drop(held);
        assert_eq!(round(&test), Round::Packed(count - 2));
        assert!(path_of(&test, &torn).exists() && path_of(&test, &large).exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_place_of_a_folder_is_not_followed() {
        let (test, loose) = many();
        let own = test.git_dir().join("objects");
        let file = path_of(&test, &loose.first().unwrap().to_string());
        let (folder, other) = (file.parent().unwrap(), test.root().join("other"));
        fs::rename(folder, &other).unwrap();
        std::os::unix::fs::symlink(&other, folder).unwrap();
        let repository = Repository::open(test.root()).unwrap();
        for _ in 0..64 {
            let mut chance = [0; 8];
            getrandom::fill(&mut chance).unwrap();
            repository.blob(&chance).unwrap();
        }
        assert!(matches!(round(&test), Round::Packed(1..)));
        assert!(other.join(file.file_name().unwrap()).exists());
        fs::rename(&own, test.root().join("objects")).unwrap();
        std::os::unix::fs::symlink(test.root().join("objects"), &own).unwrap();
        assert_eq!(round(&test), Round::NotAllowed);
    }

    #[test]
    fn packing_can_be_disabled() {
        for (key, value) in [("gc.auto", "0"), ("extensions.preciousObjects", "true")] {
            let (test, _) = many();
            test.git(&["config", key, value]);
            assert_eq!(round(&test), Round::NotAllowed, "{key}");
            test.git(&["config", "--unset", key]);
            let halt = Halt::default();
            halt.set();
            let repository = Repository::open(test.root()).unwrap();
            assert!(super::round(&repository, &limits(), &halt).is_err(), "halted");
        }
    }
}
