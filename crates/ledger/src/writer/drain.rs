//! Drains spools into the store.

use crate::event::event::{Head, PreparedEvent};
use crate::folder::Folder;
use crate::ledger_error::LedgerError;
use crate::spool::prepare::Preparation;
use crate::spool::process_lock::ProcessLock;
use crate::spool::spool_file::{SpoolFile, SpoolView, Stage, read_piece};
use crate::spool::spool_line::{MAX_LINE, read_line};
use crate::store::{Appended, Batch, Store};
use std::fs::File;
use std::sync::Arc;

/// The most events per batch.
const BATCH_EVENTS: usize = 256;

/// Bytes that are read at once.
const PIECE_BYTES: usize = 1 << 20;

/// Moves events from spools to the store.
pub struct Drain {
    pub folder: Folder,
    pub store: Arc<dyn Store>,
    pub preparation: Preparation,
}

/// The complete lines of a piece, and their length in bytes.
struct Lines<'a> {
    lines: Vec<&'a [u8]>,
    bytes: usize,
}

impl Drain {
    /// Drains one spool from `position` on, and advances the position; `progress` is called after each batch. Returns the
    /// new head, if anything was appended. The spool is read through its open handle, since its name may be gone.
    pub fn drain(
        &self,
        view: &SpoolView,
        position: &mut u64,
        progress: impl Fn(u64),
    ) -> Result<Option<Head>, LedgerError> {
        let mut head = None;
        while *position < view.len {
            let piece = piece_of(&view.file, *position, view.len)?;
            let before = *position;
            head = self.drain_piece(&piece, view, position, &progress)?.or(head);
            if *position == before {
                break;
            }
        }
        Ok(head)
    }

    /// Appends the lines of a piece, batch by batch. The caller reads from the new position what is left of it.
    fn drain_piece(
        &self,
        piece: &[u8],
        view: &SpoolView,
        position: &mut u64,
        progress: impl Fn(u64),
    ) -> Result<Option<Head>, LedgerError> {
        let (mut head, mut rest) = (None, piece);
        loop {
            let found = split(rest, view.stage);
            if found.bytes == 0 {
                return Ok(head);
            }
            let to = *position + u64::try_from(found.bytes).unwrap_or_default();
            let batch = Batch { events: &self.prepared(&found.lines), spool: &view.name, from: *position, to };
            let before = *position;
            let appended = self.store.append(&batch)?;
            *position = match appended {
                Appended::Done(new) => {
                    head = Some(new);
                    to
                }
                Appended::Elsewhere { drained } => drained,
            };
            progress(position.saturating_sub(before));
            rest = rest.get(found.bytes..).unwrap_or_default();
            // A line that the piece holds in part is read again.
            if *position != to || !rest.contains(&b'\n') {
                return Ok(head);
            }
        }
    }

    fn prepared(&self, lines: &[&[u8]]) -> Vec<PreparedEvent> {
        // An incomplete line belongs to an event whose `record` failed.
        lines.iter().filter_map(|line| read_line(line)).map(|line| self.preparation.prepare(&line)).collect()
    }

    /// Drains and removes the spools of ended processes. Returns the new head, if anything was appended.
    pub fn drain_orphans(&self, own_process: &str) -> Result<Option<Head>, LedgerError> {
        let mut head = None;
        let names = self.folder.spool_names().map_err(|error| LedgerError::read(&error))?;
        for name in names {
            if name.split_once('.').is_some_and(|(process, _)| process == own_process) {
                continue;
            }
            // A spool that this user cannot open is left to others.
            if let Ok(Some(file)) = SpoolFile::adopt(&self.folder, &name) {
                let mut position = self.store.drained(&name)?;
                head = self.drain(&file.view(Stage::Ended), &mut position, |_| {})?.or(head);
                file.remove(&self.folder).map_err(|error| LedgerError::write(&error))?;
                self.store.forget_spool(&name)?;
            }
        }
        // Remaining files are found the next time.
        let _later = ProcessLock::clear(&self.folder);
        Ok(head)
    }
}

/// Bytes from `from` on with at least one complete line, if there is one.
fn piece_of(reader: &File, from: u64, to: u64) -> Result<Vec<u8>, LedgerError> {
    let piece = read_piece(reader, from, to, PIECE_BYTES).map_err(|error| LedgerError::read(&error))?;
    if piece.len() < PIECE_BYTES || piece.contains(&b'\n') {
        return Ok(piece);
    }
    read_piece(reader, from, to, MAX_LINE + 1).map_err(|error| LedgerError::read(&error))
}

/// The complete lines of a piece, at most one batch.
fn split(piece: &[u8], stage: Stage) -> Lines<'_> {
    let mut found = Lines { lines: Vec::new(), bytes: 0 };
    for line in piece.split_inclusive(|byte| *byte == b'\n').take(BATCH_EVENTS) {
        let Some(whole) = line.strip_suffix(b"\n") else { break };
        found.lines.push(whole);
        found.bytes += line.len();
    }
    // An incomplete end of a finished file, or a line longer than any valid one, is skipped.
    if found.lines.is_empty() && (stage == Stage::Ended || piece.len() > MAX_LINE) {
        found.bytes = piece.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{BATCH_EVENTS, Drain};
    use crate::folder::Folder;
    use crate::samples::call;
    use crate::spool::spool_file::SpoolFile;
    use crate::spool::spool_line::write_line;
    use crate::{Access, Durability, SqliteStore, spool::prepare::Preparation, spool::spool_file::Stage};
    use std::cell::RefCell;
    use std::sync::Arc;

    #[test]
    fn drained_bytes_are_reported_after_each_batch() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::make(place.path()).unwrap();
        folder.make_database().unwrap();
        let (mut line, path) = (Vec::new(), "p".repeat(10_000));
        write_line(&crate::NewEvent { path: Some(&path), ..call("x-1", &[]) }, &mut line);
        std::fs::write(folder.spool("dead.0"), line.repeat(250)).unwrap();
        let spool = SpoolFile::adopt(&folder, "dead.0").unwrap().unwrap();
        let store = SqliteStore::open(&folder.database(), Access::ReadWrite, Durability::Process).unwrap();
        let preparation = Preparation { redact: None, blob_bytes: 1 << 18 };
        let drain = Drain { folder, store: Arc::new(store), preparation };
        let batches = RefCell::new(Vec::new());
        drain.drain(&spool.view(Stage::Ended), &mut 0, |bytes| batches.borrow_mut().push(bytes)).unwrap();
        let batches = batches.into_inner();
        assert!(batches.len() > 2, "{batches:?}");
        assert_eq!(batches.iter().sum::<u64>(), spool.len());
    }

    #[test]
    fn a_piece_is_stored_in_several_batches() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::make(place.path()).unwrap();
        folder.make_database().unwrap();
        let mut line = Vec::new();
        write_line(&call("x-1", &[]), &mut line);
        let (events, torn) = (2 * BATCH_EVENTS + 88, 20);
        let mut lines = line.repeat(events);
        lines.extend_from_slice(&line[..torn]);
        std::fs::write(folder.spool("dead.0"), &lines).unwrap();
        let spool = SpoolFile::adopt(&folder, "dead.0").unwrap().unwrap();
        let store = SqliteStore::open(&folder.database(), Access::ReadWrite, Durability::Process).unwrap();
        let preparation = Preparation { redact: None, blob_bytes: 1 << 18 };
        let drain = Drain { folder, store: Arc::new(store), preparation };
        let (batches, mut position) = (RefCell::new(Vec::new()), 0);
        let drained = |stage, position: &mut u64| {
            let head = drain.drain(&spool.view(stage), position, |bytes| batches.borrow_mut().push(bytes)).unwrap();
            head.map(|head| head.size)
        };
        assert_eq!(drained(Stage::Growing, &mut position), Some(events as u64));
        assert_eq!(position as usize, events * line.len(), "the torn line may still be completed");
        assert_eq!(drained(Stage::Ended, &mut position), Some(events as u64), "an append without events");
        assert_eq!(position as usize, lines.len());
        let expected = [BATCH_EVENTS * line.len(), BATCH_EVENTS * line.len(), 88 * line.len(), torn];
        assert_eq!(batches.into_inner(), expected.map(|bytes| bytes as u64));
    }
}
