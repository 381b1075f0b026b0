//! Where events wait for the store: files of this process that survive its end.
//!
//! `record` costs one write to a file that the system keeps in memory; everything slow happens on the writer's thread.

use super::durability::Durability;
use super::event::{Importance, NewEvent};
use super::event_type::EventType;
use super::folder::Folder;
use super::ledger_error::LedgerError;
use super::life::Life;
use super::spool_file::SpoolFile;
use super::spool_line::{MAX_LINE, lost_line, short_line, write_line};
use super::spool_view::{Stage, View};
use parking_lot::Mutex;
use std::io;

/// Bytes of events that are kept in memory while the disk takes none.
const KEPT_BYTES: usize = 4 << 20;

/// The same of events without their large values, when the others do not fit: some 20 000.
const RESERVED_BYTES: usize = 16 << 20;

/// Room that a call finds before it is let in: for its intent, and those of all that are let in at the same moment.
const INTENT_BYTES: u64 = 16 << 20;

/// A longer call or result, unless it is an intent, leaves its large values out before it takes room that intents need.
const LARGE_LINE: usize = 4 << 10;

/// More than this is not stored within the time that a commit waits for it.
const SOON_STORED: u64 = 4 << 20;

/// Bytes of lines that may wait for others; more are written.
const GATHERED_BYTES: usize = 64 << 10;

/// A file that has grown longer than this is followed by another.
const ROTATE_BYTES: u64 = 4 << 20;

/// Tries to find a name for a file that nobody takes away.
const TRIES: u64 = 16;

pub struct Spool {
    folder: Folder,
    /// 12 hex digits that no other process has.
    process: String,
    /// Bytes that may wait for the store.
    limit: u64,
    durability: Durability,
    state: Mutex<State>,
    /// From the first file on: this process is alive.
    life: Mutex<Option<Life>>,
}

struct State {
    stage: Stage,
    /// None until there is something to write.
    current: Option<SpoolFile>,
    /// Files before `current` that are not drained yet.
    retired: Vec<SpoolFile>,
    next: u64,
    /// Bytes of all files that the store does not have.
    waiting: u64,
    /// Events that did not fit even without their large values. The next that is written is the event that counts them.
    lost: u64,
    line: Vec<u8>,
    /// Lines that are not written yet, because they may wait or because that failed.
    pending: Vec<u8>,
    /// Whether the file had its name when it was last looked at, since the writer's last turn.
    is_looked_at: bool,
}

impl Spool {
    pub fn new(folder: Folder, process: String, limit: u64, durability: Durability) -> Self {
        let state = State {
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

    /// Writes an event behind all before. See `Importance` for what happens when that fails.
    pub fn record(&self, event: &NewEvent<'_>) -> Result<(), LedgerError> {
        let mut state = self.state.lock();
        let mut line = std::mem::take(&mut state.line);
        write_line(event, &mut line);
        let written = state.take(&line, event, self);
        state.line = line;
        // One large event does not hold its memory for ever.
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

    /// Whether there is room for the intent of another call, unless it is a long one.
    #[must_use]
    pub fn has_room(&self) -> bool {
        let waiting = self.state.lock().all_waiting();
        waiting == 0 || waiting.saturating_add(self.intent_room()) <= self.limit
    }

    /// Whether the store is about to have everything, as long as it takes events.
    #[must_use]
    pub fn is_soon_stored(&self) -> bool {
        self.state.lock().all_waiting() <= SOON_STORED
    }

    fn intent_room(&self) -> u64 {
        INTENT_BYTES.min(self.limit / 2)
    }

    /// Writes what could not be written before, or was let wait.
    pub fn retry(&self) -> Result<(), LedgerError> {
        self.write_kept(self.limit)
    }

    /// The same, however much it is: what is in memory alone would be gone with this process.
    pub fn write_all(&self) -> Result<(), LedgerError> {
        self.write_kept(u64::MAX)
    }

    fn write_kept(&self, limit: u64) -> Result<(), LedgerError> {
        let mut state = self.state.lock();
        state.is_looked_at = false;
        state.write_pending(self, limit)
    }

    /// The files as they are now, oldest first.
    #[must_use]
    pub fn views(&self) -> Vec<View> {
        let state = self.state.lock();
        let view = SpoolFile::view;
        let mut views: Vec<View> = state.retired.iter().map(|file| view(file, Stage::Ended)).collect();
        views.extend(state.current.as_ref().map(|file| view(file, Stage::Growing)));
        views
    }

    /// The store has so many bytes more.
    pub fn drained(&self, bytes: u64) {
        let mut state = self.state.lock();
        state.waiting = state.waiting.saturating_sub(bytes);
    }

    /// Begins a new file when the current one is long.
    pub fn rotate(&self) -> Result<(), LedgerError> {
        let mut state = self.state.lock();
        if state.current.as_ref().is_some_and(|file| file.len() >= ROTATE_BYTES) {
            let file = self.new_file(&mut state.next)?;
            let old = state.current.replace(file);
            state.retired.extend(old);
        }
        Ok(())
    }

    /// Removes a file that has ended and is drained.
    pub fn remove(&self, name: &str) -> Result<(), LedgerError> {
        let mut state = self.state.lock();
        let Some(place) = state.retired.iter().position(|file| file.name == name) else { return Ok(()) };
        let file = state.retired.remove(place);
        drop(state);
        file.remove(&self.folder).map_err(|error| LedgerError::write(&error))
    }

    /// Takes no more events. The last file goes when all of it is in the store, which has `drained` bytes of it; otherwise
    /// it stays for whoever opens the ledger next. Answers whether it went.
    pub fn end(&self, drained: u64) -> Result<bool, LedgerError> {
        let mut state = self.state.lock();
        state.stage = Stage::Ended;
        state.write_pending(self, u64::MAX)?;
        state.put_away(drained, &self.folder)
    }

    /// Takes the last file away until there is something to write again, if all of it is in the store, which has `drained`
    /// bytes of it. Answers whether it went.
    pub fn rest(&self, drained: u64) -> Result<bool, LedgerError> {
        self.state.lock().put_away(drained, &self.folder)
    }

    /// Calls of this process have an unknown outcome from now on, where they have no result.
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
            *life = Some(Life::begin(&self.folder, &self.process)?);
        }
        drop(life);
        new_file(&self.folder, &self.process, next)
    }
}

impl State {
    fn put_away(&mut self, drained: u64, folder: &Folder) -> Result<bool, LedgerError> {
        let is_written = self.retired.is_empty() && self.pending.is_empty();
        let is_drained = is_written && self.current.as_ref().is_some_and(|file| file.len() == drained);
        if let Some(file) = self.current.as_ref().filter(|_| is_drained) {
            file.remove_held(folder).map_err(|error| LedgerError::write(&error))?;
            self.current = None;
        }
        Ok(is_drained)
    }

    /// Bytes of all events that the store does not have.
    fn all_waiting(&self) -> u64 {
        self.waiting.saturating_add(u64::try_from(self.pending.len()).unwrap_or(u64::MAX))
    }

    /// Whether a large event would take the room of intents: calls that change something would wait for results of others.
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
            // Kept, and written before what comes next.
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

    /// Writes an event without its large values. What the disk does not take is kept.
    fn take_short(&mut self, event: &NewEvent<'_>, most: usize, spool: &Spool) -> Result<(), ()> {
        let kept = self.add_short(event, most);
        let _later = self.write_pending(spool, spool.limit);
        kept
    }

    /// Keeps an event without its large values: that it happened is never forgotten. One for which there is no room either
    /// is counted.
    fn add_short(&mut self, event: &NewEvent<'_>, most: usize) -> Result<(), ()> {
        let line = short_line(event);
        if self.pending.len() + line.len() > most {
            self.lost += 1;
            return Err(());
        }
        self.pending.extend_from_slice(&line);
        Ok(())
    }

    /// Writes what waits in memory, in one write, unless more than `limit` bytes would wait on the disk.
    fn write_pending(&mut self, spool: &Spool, limit: u64) -> Result<(), LedgerError> {
        if self.pending.is_empty() && self.lost == 0 {
            return Ok(());
        }
        let bytes = u64::try_from(self.pending.len()).unwrap_or_default();
        // What was kept in memory may be more than the limit: it is written when nothing else waits.
        if self.waiting > 0 && self.waiting.saturating_add(bytes) > limit {
            return Err(LedgerError::SpoolFull);
        }
        let is_looked_at = std::mem::replace(&mut self.is_looked_at, true);
        if !is_looked_at && self.current.as_ref().is_some_and(|file| !file.is_in_place()) {
            // What is in it is drained from what we hold of it.
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
        // One large event does not hold its memory for ever.
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
    fn what_is_kept_in_memory_is_written_when_the_ledger_is_closed() {
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
