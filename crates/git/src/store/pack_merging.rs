//! Merges small packs, because a lookup searches all packs.
//!
//! Sizes follow `git repack --geometric=2`: a pack has at least twice as many objects as all smaller ones together, so that each
//! object is repacked only a few times. Safe by the rules of [`super::packing`]: the new pack is read back and synced before the
//! old ones are removed, and readers that miss a pack refresh their list. Packs that `git` has marked are kept. A `git gc` would
//! fail, without a loss, if packs vanish that it has listed: its lock file is honoured.

use super::gc_lock;
use super::packing::{MAX_OBJECT_BYTES, lock_for_packing};
use crate::exchange_deadline::{ExchangeDeadline, Halt};
use crate::git_error::GitError;
use crate::limits::Limits;
use crate::objects::pack::{self, PackIndex};
use git2::{Odb, Oid, Repository};
use std::collections::HashSet;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Minimum number of packs to merge.
const FEWEST_PACKS: usize = 4;
const FACTOR: u64 = 2;
/// Maximum size of a merged pack; packs of more than half this size are kept.
const MAX_OBJECTS: u64 = 1 << 16;
const MAX_BYTES: u64 = 64 << 20;
const MAX_UNPACKED_BYTES: usize = 256 << 20;
/// Extensions of files that mark a pack for special handling by `git`.
const MARKER_EXTENSIONS: [&str; 4] = ["keep", "promisor", "mtimes", "bitmap"];
/// The index over all packs.
const SHARED_INDEX: &str = "multi-pack-index";

struct SmallPack {
    index: PathBuf,
    objects: u64,
    bytes: u64,
}

/// Merges small packs and returns their number; zero if there are few or packing is not allowed.
pub(crate) fn merge(repository: &Repository, limits: &Limits, halt: &Halt) -> Result<usize, GitError> {
    let failed = GitError::io("merge packs");
    let Some(turn) = lock_for_packing(repository, halt)? else { return Ok(0) };
    let folder = turn.objects.join("pack");
    if gc_lock::is_held(repository.commondir()) || fs::symlink_metadata(folder.join(SHARED_INDEX)).is_ok() {
        return Ok(0);
    }
    let chosen = chosen(small_packs(&folder).map_err(&failed)?);
    let odb = repository.odb().map_err(|error| GitError::git("merge packs", &error))?;
    let mut room = MAX_UNPACKED_BYTES;
    let mut merged = Vec::new();
    for pack in chosen {
        // Unreadable packs and packs beyond the limit are skipped.
        let Ok(ids) = PackIndex::open(&pack.index).and_then(|mut index| index.ids()) else { continue };
        let Some(left) = unpacked_bytes(&odb, &ids, &turn.deadline)?.and_then(|bytes| room.checked_sub(bytes)) else {
            continue;
        };
        room = left;
        merged.push((pack.index, ids));
    }
    if merged.len() < 2 {
        return Ok(0);
    }
    let all: HashSet<Oid> = merged.iter().flat_map(|(_, ids)| ids).copied().collect();
    let all: Vec<Oid> = all.into_iter().collect();
    let pack = pack::store(repository, &all, limits, &turn.deadline)?;
    let there: HashSet<Oid> = pack.ids.iter().copied().collect();
    let mut count = 0;
    for (index, ids) in &merged {
        if ids.iter().all(|id| there.contains(id)) {
            remove(index).map_err(&failed)?;
            count += 1;
        }
    }
    Ok(count)
}

/// Removes the index first, so that no reader opens the pack.
fn remove(index: &Path) -> io::Result<()> {
    for kind in ["idx", "rev", "pack"] {
        match fs::remove_file(index.with_extension(kind)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Packs that may be merged, smallest first.
fn small_packs(folder: &Path) -> io::Result<Vec<SmallPack>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let index = entry?.path();
        let is_index = index.extension().is_some_and(|kind| kind == "idx");
        if !is_index || MARKER_EXTENSIONS.iter().any(|mark| index.with_extension(mark).exists()) {
            continue;
        }
        let Ok(file) = fs::symlink_metadata(index.with_extension("pack")) else { continue };
        // Unreadable packs are skipped.
        let Ok(objects) = PackIndex::open(&index).map(|index| index.count()) else { continue };
        if file.is_file() && objects <= MAX_OBJECTS / FACTOR && file.len() <= MAX_BYTES / FACTOR {
            found.push(SmallPack { index, objects, bytes: file.len() });
        }
    }
    found.sort_unstable_by(|one, other| (one.objects, &one.index).cmp(&(other.objects, &other.index)));
    Ok(found)
}

/// Chooses the smallest packs up to the last one that is less than twice as large as all smaller ones, within the size limits.
fn chosen(mut packs: Vec<SmallPack>) -> Vec<SmallPack> {
    let (mut smaller, mut count) = (0, 0);
    for (place, pack) in packs.iter().enumerate() {
        if pack.objects < FACTOR * smaller {
            count = place + 1;
        }
        smaller += pack.objects;
    }
    if count < FEWEST_PACKS {
        return Vec::new();
    }
    packs.truncate(count);
    let (mut objects, mut bytes) = (0, 0);
    let fitting = packs.iter().take_while(|pack| {
        objects += pack.objects;
        bytes += pack.bytes;
        objects <= MAX_OBJECTS && bytes <= MAX_BYTES
    });
    let count = fitting.count();
    packs.truncate(count);
    packs
}

/// The total size of the objects; `None` if one is large or unreadable.
fn unpacked_bytes(odb: &Odb<'_>, ids: &[Oid], deadline: &ExchangeDeadline) -> Result<Option<usize>, GitError> {
    let mut bytes = 0;
    for id in ids {
        deadline.remaining()?;
        match odb.read_header(*id) {
            Ok((size, _)) if size <= MAX_OBJECT_BYTES => bytes += size,
            Ok(_) | Err(_) => return Ok(None),
        }
    }
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, MAX_OBJECTS, SmallPack, chosen, merge};
    use crate::exchange_deadline::{ExchangeDeadline, Halt};
    use crate::objects::pack;
    use crate::tests::test_repository::{TestRepository, limits};
    use git2::Repository;
    use std::fs;
    use std::time::Duration;

    fn packs(sizes: &[u64]) -> Vec<SmallPack> {
        let pack = |objects: &u64| SmallPack { index: "x".into(), objects: *objects, bytes: *objects };
        sizes.iter().map(pack).collect()
    }

    #[test]
    fn disproportionate_packs_are_merged_within_the_limits() {
        let count = |sizes: &[u64]| chosen(packs(sizes)).len();
        assert_eq!(count(&[]), 0);
        assert_eq!(count(&[1, 2, 6, 18, 60]), 0, "each is twice as large as all before it");
        assert_eq!(count(&[5, 5, 5]), 0, "too few");
        assert_eq!(count(&[5, 5, 5, 5]), 4);
        assert_eq!(count(&[5, 5, 5, 5, 40, 120]), 4, "the large ones stay");
        assert_eq!(count(&[5, 5, 5, 5, 39, 117]), 6);
        assert_eq!(count(&[MAX_OBJECTS / 2; 5]), 2);
        let heavy = (0..5).map(|_| SmallPack { index: "x".into(), objects: 9, bytes: MAX_BYTES / 2 });
        assert_eq!(chosen(heavy.collect()).len(), 2);
    }

    /// A repository with several small packs, and their number.
    fn packed() -> (TestRepository, usize) {
        let test = TestRepository::new();
        for number in 0..6 {
            test.forge("tools/a.ts", format!("export default () => {number}\n").as_bytes());
            test.git(&["repack", "-q", "-d"]);
        }
        // Unreachable objects, and objects in two packs.
        let repository = Repository::open(test.root()).unwrap();
        let deadline = ExchangeDeadline::new(Duration::from_secs(60), &Halt::default());
        let ids: Vec<_> = (0..3).map(|number| repository.blob(format!("{number}").as_bytes()).unwrap()).collect();
        for some in [&ids[..2], &ids[1..]] {
            pack::store(&repository, some, &limits(), &deadline).unwrap();
        }
        test.git(&["prune-packed"]);
        (test, 8)
    }

    fn files(test: &TestRepository, kind: &str) -> usize {
        let folder = fs::read_dir(test.git_dir().join("objects/pack")).unwrap();
        folder.filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|found| found == kind)).count()
    }

    fn run(test: &TestRepository) -> usize {
        merge(&Repository::open(test.root()).unwrap(), &limits(), &Halt::default()).unwrap()
    }

    #[test]
    fn a_merged_pack_has_all_objects_and_open_readers_find_them() {
        let (test, count) = packed();
        assert_eq!(files(&test, "pack"), count);
        let list = ["cat-file", "--batch-all-objects", "--batch-check"];
        let before = test.git(&list);
        let reader = Repository::open(test.root()).unwrap();
        reader.odb().unwrap().refresh().unwrap();
        assert_eq!(run(&test), count);
        assert_eq!((files(&test, "pack"), files(&test, "idx"), files(&test, "rev")), (1, 1, 0));
        assert_eq!(test.git(&list), before);
        assert_eq!(test.git(&["fsck", "--full", "--strict", "--no-dangling"]), "");
        for line in before.lines() {
            let id = line.split(' ').next().unwrap();
            assert!(reader.find_object(id.parse().unwrap(), None).is_ok(), "{id}");
        }
        assert_eq!(run(&test), 0);
    }

    #[test]
    fn packs_that_are_marked_or_in_use_by_git_are_kept() {
        let (test, count) = packed();
        let packs = test.git_dir().join("objects/pack");
        for file in [test.git_dir().join("gc.pid"), packs.join("multi-pack-index")] {
            fs::write(&file, "").unwrap();
            assert_eq!(run(&test), 0, "{}", file.display());
            fs::remove_file(&file).unwrap();
        }
        test.git(&["config", "gc.auto", "0"]);
        assert_eq!(run(&test), 0, "gc.auto");
        test.git(&["config", "--unset", "gc.auto"]);
        let index = |found: &fs::DirEntry| found.path().extension().is_some_and(|kind| kind == "idx");
        let mut all = fs::read_dir(&packs).unwrap().map(Result::unwrap).filter(index);
        let (kept, damaged) = (all.next().unwrap().path(), all.next().unwrap().path());
        drop(all);
        fs::write(kept.with_extension("keep"), "").unwrap();
        fs::remove_file(&damaged).unwrap();
        fs::write(&damaged, "no index").unwrap();
        assert_eq!(run(&test), count - 2);
        assert!(kept.exists() && damaged.exists() && damaged.with_extension("pack").exists());
        assert_eq!(files(&test, "pack"), 3);
    }
}
