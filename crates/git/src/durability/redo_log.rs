//! A redo log that makes commits durable with one flush each.
//!
//! A commit writes about six small files, and flushing each would dominate its cost. They are written without a flush; their
//! content is appended to this log before the branch moves, and only the log is flushed. A killed process loses nothing, since
//! the operating system has its writes. After a restart of the machine, or a file system failure that lost unflushed data, the
//! next boot or write replays the log. A full log is emptied after one flush of the whole file system. A failed flush leaves a
//! mark, because the system may have dropped the data and reports the error only once.
//!
//! The log is used where the system provides a boot id; elsewhere every file is flushed.

use crate::regular_file;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::SystemTime;

const LOG_NAME: &str = "tgp-redo";
/// Allocated completely at creation, so that a flush writes only data blocks.
pub(crate) const CAPACITY: u64 = 1 << 20;
/// File size that marks a running or failed flush of the file system.
const MARKED_SIZE: u64 = CAPACITY + 1;
const ID_BYTES: usize = 16;
const FRAME_BYTES: usize = 4 + ID_BYTES;

/// The boot id of the machine; `None` where the system has none.
pub(crate) fn session() -> Option<String> {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned()).filter(|id| !id.is_empty())
}

/// One commit with all data needed to restore it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) session: String,
    /// Full name of the branch; `old` and `new` are its commits before and after.
    pub(crate) reference: String,
    pub(crate) old: Option<String>,
    pub(crate) new: String,
    pub(crate) objects: Vec<LoggedObject>,
    /// The files that the commit changed.
    pub(crate) paths: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LoggedObject {
    pub(crate) id: String,
    /// Git's name of the object type.
    pub(crate) kind: String,
    pub(crate) data: Vec<u8>,
}

/// Whether a record contains the objects of its commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Size {
    Fits,
    /// They are omitted because they exceed the log.
    TooLarge,
}

/// The log of one repository. Callers must hold the repository lock.
#[derive(Debug)]
pub(crate) struct RedoLog {
    session: String,
    /// The position up to which the log was read. Other processes may have appended records.
    known: Mutex<Position>,
    /// The branch that this process moved last, and its commits.
    moved: Mutex<MovedBranch>,
    /// Open since the first commit, so that the system reports write errors since then through it.
    watch: Mutex<Option<File>>,
}

/// A branch and its successive commits.
#[derive(Debug, Default)]
struct MovedBranch {
    reference: String,
    commits: Vec<String>,
}

/// Commits remembered per branch.
const MAX_REMEMBERED_COMMITS: usize = 1024;

#[derive(Debug, Clone, Copy, Default)]
struct Position {
    /// Changes whenever the log is emptied, which invalidates older records.
    generation: [u8; ID_BYTES],
    end: u64,
}

impl RedoLog {
    pub(crate) fn new(session: String) -> Self {
        Self { session, known: Mutex::default(), moved: Mutex::default(), watch: Mutex::default() }
    }

    pub(crate) fn session(&self) -> &str {
        &self.session
    }

    /// Appends a record and flushes the log, to be called before the branch moves. The records of a full log are passed to
    /// `before_emptying`.
    pub(crate) fn append(
        &self,
        git_dir: &Path,
        mut record: Record,
        size: Size,
        before_emptying: impl FnOnce(Vec<Record>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut file = self.open(git_dir)?;
        let mut known = self.known.lock();
        let (mut position, _) = read_on(&mut file, *known)?;
        let mut payload = encode(&record)?;
        if size == Size::TooLarge || position.end + frame_size(&payload) > CAPACITY {
            before_emptying(self.records(git_dir)?)?;
            position = self.reset(&mut file)?;
            if position.end + frame_size(&payload) > CAPACITY {
                // Its objects have been flushed, so only the branch move is logged.
                record.objects.clear();
                payload = encode(&record)?;
            }
        }
        let length = u32::try_from(payload.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
        let mut frame = length.to_le_bytes().to_vec();
        frame.extend_from_slice(&checksum(&position.generation, &payload));
        frame.extend_from_slice(&payload);
        file.seek(SeekFrom::Start(position.end))?;
        if let Err(error) = file.write_all(&frame).and_then(|()| file.sync_data()) {
            // Invalidates the record, so that the next one overwrites it.
            file.seek(SeekFrom::Start(position.end))?;
            file.write_all(&[0; 4])?;
            return Err(error);
        }
        *known = Position { end: position.end + frame_size(&payload), ..position };
        Ok(())
    }

    /// Records that a branch has moved to a logged commit.
    pub(crate) fn record_move(&self, reference: &str, old: Option<String>, new: String) {
        let mut moved = self.moved.lock();
        if moved.reference != reference
            || moved.commits.last() != old.as_ref()
            || moved.commits.len() >= MAX_REMEMBERED_COMMITS
        {
            *moved = MovedBranch { reference: reference.to_owned(), commits: old.into_iter().collect() };
        }
        moved.commits.push(new);
    }

    /// Whether the branch that this process moved last is at an earlier one of its commits.
    pub(crate) fn is_rolled_back(&self, current: impl FnOnce(&str) -> Option<String>) -> bool {
        let moved = self.moved.lock();
        let Some((last, before)) = moved.commits.split_last() else { return false };
        current(&moved.reference).is_some_and(|current| current != *last && before.contains(&current))
    }

    /// The modification time of the log.
    pub(crate) fn time(git_dir: &Path) -> Option<SystemTime> {
        std::fs::metadata(git_dir.join(LOG_NAME)).ok()?.modified().ok()
    }

    /// All records, oldest first.
    pub(crate) fn records(&self, git_dir: &Path) -> io::Result<Vec<Record>> {
        let mut file = match regular_file::open(&git_dir.join(LOG_NAME), File::options().read(true)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        if file.metadata()?.len() < CAPACITY {
            // Its creator died before the first commit.
            return Ok(Vec::new());
        }
        let (_, payloads) = read_on(&mut file, Position::default())?;
        Ok(payloads.iter().filter_map(|payload| decode(payload)).collect())
    }

    /// Whether `records` were written before the last start of the machine. All records of a log are from the same start.
    pub(crate) fn is_before_restart(&self, records: &[Record]) -> bool {
        records.first().is_some_and(|first| first.session != self.session)
    }

    /// Empties the log after its records were restored.
    pub(crate) fn empty(&self, git_dir: &Path) -> io::Result<()> {
        let mut file = self.open(git_dir)?;
        let position = self.reset(&mut file)?;
        file.sync_data()?;
        *self.known.lock() = position;
        self.forget_moves();
        Ok(())
    }

    /// Whether a flush of the file system has failed, so that earlier writes may be lost.
    pub(crate) fn has_failed_flush(git_dir: &Path) -> bool {
        std::fs::symlink_metadata(git_dir.join(LOG_NAME)).is_ok_and(|file| file.len() >= MARKED_SIZE)
    }

    /// Flushes the file system and empties the log.
    fn reset(&self, file: &mut File) -> io::Result<Position> {
        file.set_len(MARKED_SIZE)?;
        flush_everything(self.watch.lock().as_ref().unwrap_or(file))?;
        let position = Position { generation: new_generation()?, end: ID_BYTES as u64 };
        file.rewind()?;
        file.write_all(&position.generation)?;
        file.set_len(CAPACITY)?;
        Ok(position)
    }

    fn open(&self, git_dir: &Path) -> io::Result<File> {
        let file = open(git_dir)?;
        let mut watch = self.watch.lock();
        if watch.is_none() {
            *watch = Some(file.try_clone()?);
        }
        Ok(file)
    }

    /// Forgets the branch moves of this process.
    pub(crate) fn forget_moves(&self) {
        *self.moved.lock() = MovedBranch::default();
    }
}

fn open(git_dir: &Path) -> io::Result<File> {
    let mut options = File::options();
    let mut file = regular_file::open(&git_dir.join(LOG_NAME), options.read(true).write(true).create(true))?;
    if file.metadata()?.len() < CAPACITY {
        file.write_all(&vec![0; usize::try_from(CAPACITY).unwrap_or_default()])?;
        file.rewind()?;
        file.write_all(&new_generation()?)?;
        file.sync_all()?;
        File::open(git_dir)?.sync_all()?;
        file.rewind()?;
    }
    Ok(file)
}

/// The end of the log, and the payloads after `known`.
fn read_on(file: &mut File, known: Position) -> io::Result<(Position, Vec<Vec<u8>>)> {
    let generation = generation_of(file)?;
    let end = if known.generation == generation { known.end.max(ID_BYTES as u64) } else { ID_BYTES as u64 };
    let mut position = Position { generation, end };
    let mut payloads = Vec::new();
    while let Some(payload) = payload_at(file, &position)? {
        position.end += frame_size(&payload);
        payloads.push(payload);
    }
    Ok((position, payloads))
}

fn generation_of(file: &mut File) -> io::Result<[u8; ID_BYTES]> {
    let mut generation = [0; ID_BYTES];
    file.rewind()?;
    file.read_exact(&mut generation)?;
    Ok(generation)
}

/// The payload at a position; `None` if there is none that is valid.
fn payload_at(file: &mut File, position: &Position) -> io::Result<Option<Vec<u8>>> {
    if position.end + FRAME_BYTES as u64 > CAPACITY {
        return Ok(None);
    }
    let (mut length, mut sum) = ([0; 4], [0; ID_BYTES]);
    file.seek(SeekFrom::Start(position.end))?;
    file.read_exact(&mut length)?;
    file.read_exact(&mut sum)?;
    let length = u64::from(u32::from_le_bytes(length));
    if length == 0 || position.end + FRAME_BYTES as u64 + length > CAPACITY {
        return Ok(None);
    }
    let mut payload = vec![0; usize::try_from(length).unwrap_or_default()];
    file.read_exact(&mut payload)?;
    Ok((checksum(&position.generation, &payload) == sum).then_some(payload))
}

fn encode(record: &Record) -> io::Result<Vec<u8>> {
    postcard::to_stdvec(record).map_err(io::Error::other)
}

/// Decodes a record. Returns `None` for an invalid branch name, which could lead out of the repository.
fn decode(payload: &[u8]) -> Option<Record> {
    let is_branch = |name: &str| name.starts_with("refs/") && git2::Reference::is_valid_name(name);
    postcard::from_bytes(payload).ok().filter(|record: &Record| is_branch(&record.reference))
}

const fn frame_size(payload: &[u8]) -> u64 {
    (FRAME_BYTES + payload.len()) as u64
}

fn checksum(generation: &[u8; ID_BYTES], payload: &[u8]) -> [u8; ID_BYTES] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(generation).update(payload);
    let mut sum = [0; ID_BYTES];
    hasher.finalize_xof().fill(&mut sum);
    sum
}

fn new_generation() -> io::Result<[u8; ID_BYTES]> {
    let mut generation = [0; ID_BYTES];
    getrandom::fill(&mut generation).map_err(io::Error::other)?;
    Ok(generation)
}

#[cfg(target_os = "linux")]
fn flush_everything(file: &File) -> io::Result<()> {
    #[cfg(test)]
    if tests::NEXT_FLUSH_FAILS.take() {
        return Err(io::Error::from_raw_os_error(libc::EIO));
    }
    Ok(rustix::fs::syncfs(file)?)
}

#[cfg(not(target_os = "linux"))]
fn flush_everything(_: &File) -> io::Result<()> {
    // There is no log without a boot id.
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
#[cfg(target_os = "linux")]
pub(super) mod tests {
    use super::{CAPACITY, LoggedObject, Record, RedoLog, Size};
    use std::cell::Cell;

    thread_local! {
        /// Simulates a failed flush, which an unprivileged test cannot cause.
        pub(in super::super) static NEXT_FLUSH_FAILS: Cell<bool> = const { Cell::new(false) };
    }

    fn record(session: &str, new: &str, bytes: usize) -> Record {
        Record {
            session: session.to_owned(),
            reference: "refs/heads/main".to_owned(),
            old: None,
            new: new.to_owned(),
            objects: vec![LoggedObject { id: new.to_owned(), kind: "blob".to_owned(), data: vec![7; bytes] }],
            paths: vec!["tools/a.ts".to_owned()],
        }
    }

    fn news(log: &RedoLog, dir: &std::path::Path) -> Vec<String> {
        let records = log.records(dir).unwrap();
        let is_due = log.is_before_restart(&records);
        records.into_iter().filter(|_| is_due).map(|record| record.new).collect()
    }

    #[test]
    fn only_records_from_before_the_restart_are_replayed() {
        let dir = tempfile::tempdir().unwrap();
        let (before, other) = (RedoLog::new("one".to_owned()), RedoLog::new("one".to_owned()));
        assert_eq!(news(&before, dir.path()), [""; 0]);
        before.append(dir.path(), record("one", "a", 10), Size::Fits, |_| Ok(())).unwrap();
        other.append(dir.path(), record("one", "b", 10), Size::Fits, |_| Ok(())).unwrap();
        before.append(dir.path(), record("one", "c", 10), Size::Fits, |_| Ok(())).unwrap();
        assert_eq!(news(&before, dir.path()), [""; 0], "the machine is still up");
        let after = RedoLog::new("two".to_owned());
        assert_eq!(after.records(dir.path()).unwrap()[0], record("one", "a", 10));
        assert_eq!(news(&after, dir.path()), ["a", "b", "c"]);
        after.empty(dir.path()).unwrap();
        after.append(dir.path(), record("two", "d", 10), Size::Fits, |_| Ok(())).unwrap();
        assert_eq!(news(&RedoLog::new("three".to_owned()), dir.path()), ["d"]);
    }

    #[test]
    fn a_full_log_is_emptied_and_a_huge_commit_is_logged_without_objects() {
        let dir = tempfile::tempdir().unwrap();
        let log = RedoLog::new("one".to_owned());
        let third = usize::try_from(CAPACITY).unwrap() / 3;
        for new in ["a", "b", "c", "d"] {
            log.append(dir.path(), record("one", new, third), Size::Fits, |_| Ok(())).unwrap();
        }
        let after = RedoLog::new("two".to_owned());
        assert_eq!(news(&after, dir.path()), ["c", "d"]);
        log.append(dir.path(), record("one", "huge", third * 4), Size::Fits, |_| Ok(())).unwrap();
        let records = after.records(dir.path()).unwrap();
        assert_eq!(records.len(), 1);
        assert_eq!((records[0].new.as_str(), records[0].objects.len()), ("huge", 0));
        log.append(dir.path(), record("one", "left out", 0), Size::TooLarge, |_| Ok(())).unwrap();
        assert_eq!(news(&after, dir.path()), ["left out"]);
        assert_eq!(std::fs::metadata(dir.path().join("tgp-redo")).unwrap().len(), CAPACITY);
    }

    #[test]
    fn a_torn_record_ends_the_log() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("tgp-redo");
        std::fs::write(&file, "half made").unwrap();
        let log = RedoLog::new("one".to_owned());
        assert_eq!(news(&RedoLog::new("two".to_owned()), dir.path()), [""; 0]);
        log.append(dir.path(), record("one", "a", 100), Size::Fits, |_| Ok(())).unwrap();
        log.append(dir.path(), record("one", "b", 100), Size::Fits, |_| Ok(())).unwrap();
        let mut bytes = std::fs::read(&file).unwrap();
        let last = bytes.iter().rposition(|byte| *byte == 7).unwrap();
        bytes[last] = 8;
        std::fs::write(&file, bytes).unwrap();
        let after = RedoLog::new("two".to_owned());
        assert_eq!(news(&after, dir.path()), ["a"]);
        after.append(dir.path(), record("two", "c", 10), Size::Fits, |_| Ok(())).unwrap();
        assert_eq!(news(&RedoLog::new("three".to_owned()), dir.path()), ["a", "c"]);
    }
}
