//! From spools to the store.

use super::event::{Head, PreparedEvent};
use super::folder::Folder;
use super::ledger_error::LedgerError;
use super::life::Life;
use super::prepare::Preparation;
use super::spool_file::{SpoolFile, read_piece};
use super::spool_line::{MAX_LINE, read_line};
use super::spool_view::{Stage, View};
use super::store::{Appended, Batch, Store};
use std::fs::File;
use std::sync::Arc;

/// Events that are appended together, at most.
const BATCH_EVENTS: usize = 256;

/// Bytes of lines that are read at once.
const PIECE_BYTES: usize = 1 << 20;

/// Takes events out of spools and puts them into the store.
pub struct Drain {
    pub folder: Folder,
    pub store: Arc<dyn Store>,
    pub preparation: Preparation,
}

/// Whole lines of a piece, and how many bytes of it they are.
struct Lines<'a> {
    lines: Vec<&'a [u8]>,
    bytes: usize,
}

impl Drain {
    /// Drains one spool from `position` on, and moves the position; `progress` is called after each batch. The new head, if anything
    /// was appended. It is read through what is held of it: its name may be gone.
    pub fn drain(&self, view: &View, position: &mut u64, progress: impl Fn(u64)) -> Result<Option<Head>, LedgerError> {
        let View { name, len, stage, file } = view;
        let mut head = None;
        while *position < *len {
            let piece = piece_of(file, *position, *len)?;
            let found = split(&piece, *stage);
            if found.bytes == 0 {
                break;
            }
            let to = *position + u64::try_from(found.bytes).unwrap_or_default();
            let batch = Batch { events: &self.prepared(&found.lines), spool: name, from: *position, to };
            let before = *position;
            match self.store.append(&batch)? {
                Appended::Done(new) => {
                    head = Some(new);
                    *position = batch.to;
                }
                Appended::Elsewhere { drained } => *position = drained,
            }
            progress(position.saturating_sub(before));
        }
        Ok(head)
    }

    fn prepared(&self, lines: &[&[u8]]) -> Vec<PreparedEvent> {
        // A line that is torn holds an event whose `record` has failed.
        lines.iter().filter_map(|line| read_line(line)).map(|line| self.preparation.prepare(&line)).collect()
    }

    /// Drains the spools of processes that have ended, and removes them. The new head, if anything was appended.
    pub fn drain_orphans(&self, own_process: &str) -> Result<Option<Head>, LedgerError> {
        let mut head = None;
        let names = self.folder.spool_names().map_err(|error| LedgerError::read(&error))?;
        for name in names {
            if name.split_once('.').is_some_and(|(process, _)| process == own_process) {
                continue;
            }
            // One that this user may not open is left to those who may.
            if let Ok(Some(file)) = SpoolFile::adopt(&self.folder, &name) {
                let mut position = self.store.drained(&name)?;
                head = self.drain(&file.view(Stage::Ended), &mut position, |_| {})?.or(head);
                file.remove(&self.folder).map_err(|error| LedgerError::write(&error))?;
                self.store.forget_spool(&name)?;
            }
        }
        // What stays is found the next time.
        let _later = Life::clear(&self.folder);
        Ok(head)
    }
}

/// Bytes from `from` on that hold at least one whole line, if there is one.
fn piece_of(reader: &File, from: u64, to: u64) -> Result<Vec<u8>, LedgerError> {
    let piece = read_piece(reader, from, to, PIECE_BYTES).map_err(|error| LedgerError::read(&error))?;
    if piece.len() < PIECE_BYTES || piece.contains(&b'\n') {
        return Ok(piece);
    }
    read_piece(reader, from, to, MAX_LINE + 1).map_err(|error| LedgerError::read(&error))
}

/// The whole lines of a piece, a batch of them at most.
fn split(piece: &[u8], stage: Stage) -> Lines<'_> {
    let mut found = Lines { lines: Vec::new(), bytes: 0 };
    for line in piece.split_inclusive(|byte| *byte == b'\n').take(BATCH_EVENTS) {
        let Some(whole) = line.strip_suffix(b"\n") else { break };
        found.lines.push(whole);
        found.bytes += line.len();
    }
    // The end of a file that its process could not finish, or a line that nobody can have written.
    if found.lines.is_empty() && (stage == Stage::Ended || piece.len() > MAX_LINE) {
        found.bytes = piece.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::Drain;
    use crate::folder::Folder;
    use crate::samples::call;
    use crate::spool_file::SpoolFile;
    use crate::spool_line::write_line;
    use crate::{Access, Durability, SqliteStore, prepare::Preparation, spool_view::Stage};
    use std::cell::RefCell;
    use std::sync::Arc;

    #[test]
    fn room_is_given_back_batch_by_batch() {
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
}
