//! The spool: files of this process in which events wait for the store. They survive a crash of the process.
//!
//! `record` costs one write to the page cache; everything slow happens on the writer's thread.

use super::process_lock::ProcessLock;
use super::spool_file::{SpoolFile, SpoolView, Stage};
use super::spool_line::{MAX_LINE, lost_line, short_line, write_line};
use crate::durability::Durability;
use crate::event::event::{Importance, NewEvent};
use crate::event::event_type::EventType;
use crate::folder::Folder;
use crate::ledger_error::LedgerError;
use parking_lot::Mutex;
use std::io;

/// The most bytes of events kept in memory while the disk cannot be written.
const KEPT_BYTES: usize = 4 << 20;

/// The same for events without their large values, if the complete ones do not fit: some 20 000 events.
const RESERVED_BYTES: usize = 16 << 20;

/// Space that must be free before a call is admitted: for its intent, and those of concurrently admitted calls.
const INTENT_BYTES: u64 = 16 << 20;

/// Longer calls and results, unless they are intents, drop their large values before they use space reserved for intents.
const LARGE_LINE: usize = 4 << 10;

/// More bytes than this are not stored within the time that a commit waits.
const SOON_STORED: u64 = 4 << 20;

/// The most bytes of delayed lines; more are written at once.
const GATHERED_BYTES: usize = 64 << 10;

/// A longer file is rotated.
const ROTATE_BYTES: u64 = 4 << 20;

/// Attempts to create a file that no other process removes.
const TRIES: u64 = 16;

pub struct Spool {
    folder: Folder,
    /// The process id: 12 hex digits.
    process: String,
    /// The most bytes that may wait for the store.
    limit: u64,
    durability: Durability,
    state: Mutex<SpoolState>,
    /// Set from the first file on; shows that this process is alive.
    life: Mutex<Option<ProcessLock>>,
}

struct SpoolState {
    stage: Stage,
    /// `None` until there is something to write.
    current: Option<SpoolFile>,
    /// Older files that are not drained yet.
    retired: Vec<SpoolFile>,
    next: u64,
    /// Bytes of all files that are not in the store yet.
    waiting: u64,
    /// The number of events that did not fit even without their large values; recorded by the next written event.
    lost: u64,
    line: Vec<u8>,
    /// Lines that are not written yet, because they are delayed or because writing failed.
    pending: Vec<u8>,
    /// Whether the file's name was checked since the writer's last turn.
    is_looked_at: bool,
}

impl Spool {
    pub fn new(folder: Folder, process: String, limit: u64, durability: Durability) -> Self {
        let state = SpoolState {
            stage: Stage::Growing,
            current: None,
            retired: Vec::new(),
            next: 0,
            waiting: 0,
            lost: 0,
            line: Vec::new(),
            pending: Vec::new(),
            is_looked_at: false,
        };
        Self { folder, process, limit, durability, state: Mutex::new(state), life: Mutex::new(None) }
    }

    #[must_use]
    pub fn process(&self) -> &str {
        &self.process
    }

    /// Appends an event. See `Importance` for failures.
    pub fn record(&self, event: &NewEvent<'_>) -> Result<(), LedgerError> {
        let mut state = self.state.lock();
        let mut line = std::mem::take(&mut state.line);
        write_line(event, &mut line);
        let written = state.take(&line, event, self);
        state.line = line;
        // Frees the memory of one large event.
        state.line.shrink_to(1 << 16);
        let file = state.current.as_ref().map(SpoolFile::handle);
        drop(state);
        written?;
        match (self.durability, event.importance, file) {
            (Durability::Power, Importance::Intent, Some(file)) => {
                file.sync_data().map_err(|error| LedgerError::write(&error))
            }
            (
                Durability::Power | Durability::Process,
                Importance::Intent | Importance::Other | Importance::Later,
                _,
            ) => Ok(()),
        }
    }

    /// Whether there is space for the intent of another call of usual size.
    #[must_use]
    pub fn has_room(&self) -> bool {
        let waiting = self.state.lock().all_waiting();
        waiting == 0 || waiting.saturating_add(self.intent_room()) <= self.limit
    }

    /// Whether everything will be stored soon, if the store is available.
    #[must_use]
    pub fn is_soon_stored(&self) -> bool {
        self.state.lock().all_waiting() <= SOON_STORED
    }

    fn intent_room(&self) -> u64 {
        INTENT_BYTES.min(self.limit / 2)
    }

    /// Writes delayed and previously failed lines.
    pub fn retry(&self) -> Result<(), LedgerError> {
        self.write_kept(self.limit)
    }

    /// Writes all lines regardless of the limit, since lines in memory would be lost with this process.
    pub fn write_all(&self) -> Result<(), LedgerError> {
        self.write_kept(u64::MAX)
    }

    fn write_kept(&self, limit: u64) -> Result<(), LedgerError> {
        let mut state = self.state.lock();
        state.is_looked_at = false;
        state.write_pending(self, limit)
    }

    /// Views of the files, oldest first.
    #[must_use]
    pub fn views(&self) -> Vec<SpoolView> {
        let state = self.state.lock();
        let view = SpoolFile::view;
        let mut views: Vec<SpoolView> = state.retired.iter().map(|file| view(file, Stage::Ended)).collect();
        views.extend(state.current.as_ref().map(|file| view(file, Stage::Growing)));
        views
    }

    /// Records that this many bytes were stored.
    pub fn drained(&self, bytes: u64) {
        let mut state = self.state.lock();
        state.waiting = state.waiting.saturating_sub(bytes);
    }

    /// Starts a new file if the current one is long.
    pub fn rotate(&self) -> Result<(), LedgerError> {
        let mut state = self.state.lock();
        if state.current.as_ref().is_some_and(|file| file.len() >= ROTATE_BYTES) {
            let file = self.new_file(&mut state.next)?;
            let old = state.current.replace(file);
            state.retired.extend(old);
        }
        Ok(())
    }

    /// Removes a finished, drained file.
    pub fn remove(&self, name: &str) -> Result<(), LedgerError> {
        let mut state = self.state.lock();
        let Some(place) = state.retired.iter().position(|file| file.name == name) else { return Ok(()) };
        let file = state.retired.remove(place);
        drop(state);
        file.remove(&self.folder).map_err(|error| LedgerError::write(&error))
    }

    /// Closes the spool. Removes the last file if all of it is stored (`drained` bytes); otherwise it is left to the next
    /// process that opens the ledger. Returns whether it was removed.
    pub fn end(&self, drained: u64) -> Result<bool, LedgerError> {
        let mut state = self.state.lock();
        state.stage = Stage::Ended;
        state.write_pending(self, u64::MAX)?;
        state.put_away(drained, &self.folder)
    }

    /// Removes the last file while the spool is idle, if all of it is stored (`drained` bytes). Returns whether it was removed.
    pub fn rest(&self, drained: u64) -> Result<bool, LedgerError> {
        self.state.lock().put_away(drained, &self.folder)
    }

    /// Ends the liveness lock: calls of this process without a result have an unknown outcome from now on.
    pub fn end_life(&self) {
        if let Some(life) = self.life.lock().take() {
            life.end(&self.folder);
        }
    }

    fn new_file(&self, next: &mut u64) -> Result<SpoolFile, LedgerError> {
        let made = match self.begin_file(next) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.folder.remake()?;
                self.begin_file(next)
            }
            made => made,
        };
        made.map_err(|error| LedgerError::write(&error))
    }

    fn begin_file(&self, next: &mut u64) -> io::Result<SpoolFile> {
        let mut life = self.life.lock();
        if life.as_ref().is_none_or(|life| !life.is_in_place(&self.folder)) {
            *life = Some(ProcessLock::begin(&self.folder, &self.process)?);
        }
        drop(life);
        new_file(&self.folder, &self.process, next)
    }
}

impl SpoolState {
    fn put_away(&mut self, drained: u64, folder: &Folder) -> Result<bool, LedgerError> {
        let is_written = self.retired.is_empty() && self.pending.is_empty();
        let is_drained = is_written && self.current.as_ref().is_some_and(|file| file.len() == drained);
        if let Some(file) = self.current.as_ref().filter(|_| is_drained) {
            file.remove_held(folder).map_err(|error| LedgerError::write(&error))?;
            self.current = None;
        }
        Ok(is_drained)
    }

    /// Bytes of all events that are not stored yet.
    fn all_waiting(&self) -> u64 {
        self.waiting.saturating_add(u64::try_from(self.pending.len()).unwrap_or(u64::MAX))
    }

    /// Whether a large event would use space reserved for intents, which would block calls that change something.
    fn crowds_out_intents(&self, line: &[u8], spool: &Spool) -> bool {
        let (waiting, bytes) = (self.all_waiting(), u64::try_from(line.len()).unwrap_or(u64::MAX));
        let reserved = spool.intent_room() + spool.intent_room() / 2;
        line.len() > LARGE_LINE && waiting > 0 && waiting.saturating_add(bytes).saturating_add(reserved) > spool.limit
    }

    fn take(&mut self, line: &[u8], event: &NewEvent<'_>, spool: &Spool) -> Result<(), LedgerError> {
        if self.stage == Stage::Ended {
            return Err(LedgerError::Closed);
        }
        let most = KEPT_BYTES.min(usize::try_from(spool.limit).unwrap_or(KEPT_BYTES));
        let is_of_call = matches!(event.kind, EventType::Call | EventType::Result);
        if is_of_call && event.importance != Importance::Intent && self.crowds_out_intents(line, spool) {
            return self.take_short(event, most + RESERVED_BYTES, spool).map_err(|()| LedgerError::SpoolFull);
        }
        let before = self.pending.len();
        let written = self.add(line, event.importance, spool);
        match (written, event.importance) {
            // Kept in memory, and written before the next event.
            (Err(_), Importance::Other | Importance::Later) if line.len() <= MAX_LINE && self.pending.len() <= most => {
                Ok(())
            }
            (Err(error), Importance::Intent) => {
                self.pending.truncate(before);
                Err(error)
            }
            (Err(error), Importance::Other | Importance::Later) => {
                self.pending.truncate(before);
                let kept = if matches!(error, LedgerError::TooLarge(_)) {
                    self.take_short(event, most + RESERVED_BYTES, spool)
                } else {
                    self.add_short(event, most + RESERVED_BYTES)
                };
                kept.map_err(|()| error)
            }
            (Ok(()), Importance::Intent | Importance::Other | Importance::Later) => Ok(()),
        }
    }

    fn add(&mut self, line: &[u8], importance: Importance, spool: &Spool) -> Result<(), LedgerError> {
        if line.len() > MAX_LINE {
            return Err(LedgerError::TooLarge(MAX_LINE));
        }
        self.pending.extend_from_slice(line);
        match importance {
            Importance::Later if self.pending.len() < GATHERED_BYTES => Ok(()),
            Importance::Intent | Importance::Other | Importance::Later => self.write_pending(spool, spool.limit),
        }
    }

    /// Writes an event without its large values; keeps it in memory if the disk cannot be written.
    fn take_short(&mut self, event: &NewEvent<'_>, most: usize, spool: &Spool) -> Result<(), ()> {
        let kept = self.add_short(event, most);
        let _later = self.write_pending(spool, spool.limit);
        kept
    }

    /// Keeps an event without its large values in memory, or counts it if there is no space.
    fn add_short(&mut self, event: &NewEvent<'_>, most: usize) -> Result<(), ()> {
        let line = short_line(event);
        if self.pending.len() + line.len() > most {
            self.lost += 1;
            return Err(());
        }
        self.pending.extend_from_slice(&line);
        Ok(())
    }

    /// Writes pending lines in one write, unless more than `limit` bytes would wait on the disk.
    fn write_pending(&mut self, spool: &Spool, limit: u64) -> Result<(), LedgerError> {
        if self.pending.is_empty() && self.lost == 0 {
            return Ok(());
        }
        let bytes = u64::try_from(self.pending.len()).unwrap_or_default();
        // Pending lines may exceed the limit: they are written when nothing else waits.
        if self.waiting > 0 && self.waiting.saturating_add(bytes) > limit {
            return Err(LedgerError::SpoolFull);
        }
        let is_looked_at = std::mem::replace(&mut self.is_looked_at, true);
        if !is_looked_at && self.current.as_ref().is_some_and(|file| !file.is_in_place()) {
            // The removed file is drained through its open handle.
            let nameless = self.current.take();
            self.retired.extend(nameless);
        }
        let file = match &mut self.current {
            Some(file) => file,
            none @ None => none.insert(spool.new_file(&mut self.next)?),
        };
        let kept = self.pending.len();
        if self.lost > 0 {
            self.pending.extend_from_slice(&lost_line(self.lost, &spool.process));
        }
        if let Err(error) = file.append(&self.pending) {
            self.pending.truncate(kept);
            return Err(LedgerError::write(&error));
        }
        self.lost = 0;
        self.waiting += u64::try_from(self.pending.len()).unwrap_or(bytes);
        self.pending.clear();
        // Frees the memory of one large event.
        self.pending.shrink_to(GATHERED_BYTES);
        Ok(())
    }
}

fn new_file(folder: &Folder, process: &str, next: &mut u64) -> io::Result<SpoolFile> {
    for _ in 0..TRIES {
        let name = format!("{process}.{next}");
        *next += 1;
        if let Some(file) = SpoolFile::create(folder, name)? {
            return Ok(file);
        }
    }
    Err(io::ErrorKind::AddrInUse.into())
}

#[cfg(test)]
mod tests {
    use super::Spool;
    use crate::Durability;
    use crate::folder::Folder;
    use crate::samples::call;

    #[test]
    fn pending_events_are_written_on_close() {
        let place = tempfile::tempdir().unwrap();
        let spool = Spool::new(Folder::make(place.path()).unwrap(), "p".to_owned(), 10_000, Durability::Process);
        for _ in 0..80 {
            spool.record(&call("p-1", &[])).unwrap();
        }
        let on_disk = || spool.views().iter().map(|view| view.len).sum::<u64>();
        assert!(on_disk() <= 10_000);
        assert!(!spool.has_room());
        assert!(spool.retry().is_err());
        let before = on_disk();
        spool.write_all().unwrap();
        assert!(on_disk() > before);
        spool.drained(on_disk());
        assert!(spool.has_room());
    }
}
