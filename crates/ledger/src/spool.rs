//! Where events wait for the store: files of this process that survive its end.
//!
//! `record` costs one write to a file that the system keeps in memory; everything slow happens on the writer's thread.

use super::durability::Durability;
use super::event::{Importance, NewEvent};
use super::folder::Folder;
use super::ledger_error::LedgerError;
use super::life::Life;
use super::spool_file::SpoolFile;
use super::spool_line::{MAX_LINE, write_line};
use super::spool_view::{Stage, View};
use parking_lot::Mutex;
use std::io;

/// Bytes of events that are kept in memory while the disk takes none.
const KEPT_BYTES: usize = 4 << 20;

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
        let written = state.take(&line, event.importance, self);
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

    /// Writes what could not be written before, or was let wait.
    pub fn retry(&self) -> Result<(), LedgerError> {
        let mut state = self.state.lock();
        state.is_looked_at = false;
        state.write_pending(self)
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
        state.write_pending(self)?;
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

    fn take(&mut self, line: &[u8], importance: Importance, spool: &Spool) -> Result<(), LedgerError> {
        if self.stage == Stage::Ended {
            return Err(LedgerError::Closed);
        }
        if line.len() > MAX_LINE {
            return Err(LedgerError::TooLarge(MAX_LINE));
        }
        let before = self.pending.len();
        self.pending.extend_from_slice(line);
        let written = match importance {
            Importance::Later if self.pending.len() < GATHERED_BYTES => Ok(()),
            Importance::Intent | Importance::Other | Importance::Later => self.write_pending(spool),
        };
        let most = KEPT_BYTES.min(usize::try_from(spool.limit).unwrap_or(KEPT_BYTES));
        match (written, importance) {
            // Kept, and written before what comes next.
            (Err(_), Importance::Other | Importance::Later) if self.pending.len() <= most => Ok(()),
            (Err(error), Importance::Intent | Importance::Other | Importance::Later) => {
                self.pending.truncate(before);
                Err(error)
            }
            (Ok(()), Importance::Intent | Importance::Other | Importance::Later) => Ok(()),
        }
    }

    /// Writes what waits in memory, in one write.
    fn write_pending(&mut self, spool: &Spool) -> Result<(), LedgerError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let bytes = u64::try_from(self.pending.len()).unwrap_or_default();
        if self.waiting + bytes > spool.limit {
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
        file.append(&self.pending).map_err(|error| LedgerError::write(&error))?;
        self.waiting += bytes;
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
