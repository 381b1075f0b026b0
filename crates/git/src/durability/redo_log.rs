//! Commits that survive a power cut for the price of one flush.
//!
//! A commit is half a dozen small files; to wait for the disk for each of them would be most of its cost. They are written
//! without waiting. What they hold goes to this log before the branch moves, and only the log is flushed. A process that
//! dies loses nothing: the system has its writes. When the machine itself went down, or the file system failed and came back
//! without what was not flushed, the next boot or write writes everything in the log again. A full log is emptied by having the
//! system flush all its files, once. A flush that fails leaves a mark: the system may have dropped what it could not write, and
//! reports that once only.
//!
//! The log is used where the system can tell one start of the machine from another; elsewhere every file is flushed.

use crate::plain_file;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::SystemTime;

const LOG_NAME: &str = "tgp-redo";
/// Written in full when the log is made: a flush then changes nothing but these blocks.
pub(crate) const CAPACITY: u64 = 1 << 20;
/// How long the log is while a flush of all files is under way, or has failed.
const MARKED: u64 = CAPACITY + 1;
const ID_BYTES: usize = 16;
const FRAME_BYTES: usize = 4 + ID_BYTES;

/// Stands for one start of the machine; `None` where the system does not tell.
pub(crate) fn session() -> Option<String> {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned()).filter(|id| !id.is_empty())
}

/// One commit, with all that is needed to make it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) session: String,
    /// Full name of the branch, and what it was and became.
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
    /// As Git names it.
    pub(crate) kind: String,
    pub(crate) data: Vec<u8>,
}

/// Whether the record of a commit has its objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Size {
    Fits,
    /// They are left out, because the log could not hold them.
    TooLarge,
}

/// The log of one repository. Every call needs the repository's lock to be held.
#[derive(Debug)]
pub(crate) struct RedoLog {
    session: String,
    /// How far the log was read; others may have written on.
    known: Mutex<Position>,
    /// The way of the branch that this process has moved last.
    moved: Mutex<Moved>,
    /// Open since the first commit: through it the system reports whatever it could not write since then.
    watch: Mutex<Option<File>>,
}

/// A branch, and the commits that it had one after the other.
#[derive(Debug, Default)]
struct Moved {
    reference: String,
    way: Vec<String>,
}

/// Commits of a way that are remembered.
const LONGEST_WAY: usize = 1024;

#[derive(Debug, Clone, Copy, Default)]
struct Position {
    /// Changes whenever the log is emptied, so that what was in it before is no longer valid.
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

    /// Makes sure that the commit of `record` survives, once its branch has moved. What is in a full log goes to
    /// `before_emptying` first.
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
            position = self.begin_again(&mut file)?;
            if position.end + frame_size(&payload) > CAPACITY {
                // Its objects are safe by now; what is left is where the branch goes.
                record.objects.clear();
                payload = encode(&record)?;
            }
        }
        let length = u32::try_from(payload.len()).map_err(|_| io::ErrorKind::FileTooLarge)?;
        let mut frame = length.to_le_bytes().to_vec();
        frame.extend_from_slice(&check(&position.generation, &payload));
        frame.extend_from_slice(&payload);
        file.seek(SeekFrom::Start(position.end))?;
        if let Err(error) = file.write_all(&frame).and_then(|()| file.sync_data()) {
            // Not in the log, although it can be read: the next record takes its place, so that all of it is written again.
            file.seek(SeekFrom::Start(position.end))?;
            file.write_all(&[0; 4])?;
            return Err(error);
        }
        *known = Position { end: position.end + frame_size(&payload), ..position };
        Ok(())
    }

    /// Notes that a branch has moved to a commit that is in the log.
    pub(crate) fn note_moved(&self, reference: &str, old: Option<String>, new: String) {
        let mut moved = self.moved.lock();
        if moved.reference != reference || moved.way.last() != old.as_ref() || moved.way.len() >= LONGEST_WAY {
            *moved = Moved { reference: reference.to_owned(), way: old.into_iter().collect() };
        }
        moved.way.push(new);
    }

    /// Whether the branch that this process has moved last is at a commit before that one.
    pub(crate) fn has_gone_back(&self, current: impl FnOnce(&str) -> Option<String>) -> bool {
        let moved = self.moved.lock();
        let Some((last, before)) = moved.way.split_last() else { return false };
        current(&moved.reference).is_some_and(|current| current != *last && before.contains(&current))
    }

    /// When something was written to it last.
    pub(crate) fn time(git_dir: &Path) -> Option<SystemTime> {
        std::fs::metadata(git_dir.join(LOG_NAME)).ok()?.modified().ok()
    }

    /// What is in the log, oldest first.
    pub(crate) fn records(&self, git_dir: &Path) -> io::Result<Vec<Record>> {
        let mut file = match plain_file::open(&git_dir.join(LOG_NAME), File::options().read(true)) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        if file.metadata()?.len() < CAPACITY {
            // Whoever made it died before it was ready, and so before its first commit.
            return Ok(Vec::new());
        }
        let (_, payloads) = read_on(&mut file, Position::default())?;
        Ok(payloads.iter().filter_map(|payload| decode(payload)).collect())
    }

    /// Whether `records` were written before the machine last started. Whoever finds such empties the log: the first one
    /// speaks for all.
    pub(crate) fn is_before_restart(&self, records: &[Record]) -> bool {
        records.first().is_some_and(|first| first.session != self.session)
    }

    /// Forgets everything, after it was made again.
    pub(crate) fn empty(&self, git_dir: &Path) -> io::Result<()> {
        let mut file = self.open(git_dir)?;
        let position = self.begin_again(&mut file)?;
        file.sync_data()?;
        *self.known.lock() = position;
        self.forget_way();
        Ok(())
    }

    /// Whether a flush of all files has failed: what is on the disk of those that were written before is not known.
    pub(crate) fn is_doubted(git_dir: &Path) -> bool {
        std::fs::symlink_metadata(git_dir.join(LOG_NAME)).is_ok_and(|file| file.len() >= MARKED)
    }

    /// Has all files written to the disk, and empties the log.
    fn begin_again(&self, file: &mut File) -> io::Result<Position> {
        file.set_len(MARKED)?;
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

    /// Nothing is known any more of where this process has moved a branch.
    pub(crate) fn forget_way(&self) {
        *self.moved.lock() = Moved::default();
    }
}

fn open(git_dir: &Path) -> io::Result<File> {
    let mut options = File::options();
    let mut file = plain_file::open(&git_dir.join(LOG_NAME), options.read(true).write(true).create(true))?;
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

/// Where the log ends, and the payloads after `known`.
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

/// The payload at the end of what was read so far; `None` when there is no valid one.
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
    Ok((check(&position.generation, &payload) == sum).then_some(payload))
}

fn encode(record: &Record) -> io::Result<Vec<u8>> {
    postcard::to_stdvec(record).map_err(io::Error::other)
}

/// A record, unless it names as a branch what leads out of the repository: the log may be anybody's.
fn decode(payload: &[u8]) -> Option<Record> {
    let is_branch = |name: &str| name.starts_with("refs/") && git2::Reference::is_valid_name(name);
    postcard::from_bytes(payload).ok().filter(|record: &Record| is_branch(&record.reference))
}

const fn frame_size(payload: &[u8]) -> u64 {
    (FRAME_BYTES + payload.len()) as u64
}

fn check(generation: &[u8; ID_BYTES], payload: &[u8]) -> [u8; ID_BYTES] {
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
    // Without a session there is no log.
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
#[cfg(target_os = "linux")]
pub(super) mod tests {
    use super::{CAPACITY, LoggedObject, Record, RedoLog, Size};
    use std::cell::Cell;

    thread_local! {
        /// No file system can be made to fail by a test that any user can run.
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
    fn only_what_was_written_before_the_restart_is_made_again() {
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
    fn a_full_log_begins_again_and_a_huge_commit_keeps_its_branch() {
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
