//! A file of checkpoints beside the store, which detects a store that was restored from an older copy.

use super::checkpoint::DASH;
use super::signing_key::SIGNER;
use crate::folder::Folder;
use crate::ledger_error::LedgerError;
use std::io::{Seek, SeekFrom};
use tgp_base::bounded_read::read_at_most;

const FILE: &str = "checkpoints";

/// The most bytes that are read: more than 300 000 checkpoints. Of a longer file, the end is read.
const MAX_BYTES: u64 = 64 << 20;

/// Bytes at the end of the file that contain its last checkpoint.
const LAST_BYTES: u64 = 1024;

/// The separator of notes: the end of a signature, and an empty line.
const END: &str = "=\n\n";

/// Appends a note, after removing a partial one that a crash left.
pub fn add(folder: &Folder, note: &str) -> Result<(), LedgerError> {
    // Other writers wait, so that their partial notes are not removed.
    let _held = folder.hold(FILE).map_err(|error| LedgerError::write(&error))?;
    let torn = torn_bytes(&read_bytes(folder, LAST_BYTES)?.0);
    if torn > 0 {
        folder.cut(FILE, torn).map_err(|error| LedgerError::write(&error))?;
    }
    folder.append(FILE, &format!("{note}\n")).map_err(|error| LedgerError::write(&error))
}

/// All notes, oldest first. Other texts are included, so that nothing is overlooked.
pub fn all(folder: &Folder) -> Result<Vec<String>, LedgerError> {
    read_end(folder, MAX_BYTES).map(|text| notes(&text))
}

/// The last note.
pub fn last(folder: &Folder) -> Result<Option<String>, LedgerError> {
    read_end(folder, LAST_BYTES).map(|text| notes(&text).pop())
}

/// The number of bytes after the last complete note; 0 if there is no complete note, since then no crash has cut it.
fn torn_bytes(bytes: &[u8]) -> u64 {
    let (mut at, mut good, mut signed) = (0, None, false);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        at += line.len();
        if signed && line == b"\n" {
            good = Some(at);
        }
        signed = line.starts_with(DASH.as_bytes());
    }
    let short = u64::try_from(bytes.len()).is_ok_and(|len| len < LAST_BYTES);
    let good = good.or(short.then_some(0)).unwrap_or(bytes.len());
    u64::try_from(bytes.len() - good).unwrap_or_default()
}

/// The end of the file, and whether the file has more before it.
fn read_bytes(folder: &Folder, bytes: u64) -> Result<(Vec<u8>, Before), LedgerError> {
    let failure = |error: std::io::Error| LedgerError::read(&error);
    let Some(mut file) = folder.open(FILE).map_err(failure)? else { return Ok((Vec::new(), Before::Nothing)) };
    let len = file.metadata().map_err(failure)?.len();
    let from = len.saturating_sub(bytes);
    file.seek(SeekFrom::Start(from)).map_err(failure)?;
    // The file may grow meanwhile.
    let limit = usize::try_from(bytes.saturating_mul(2)).unwrap_or(usize::MAX);
    let read = read_at_most(file, limit, 0).map_err(failure)?.unwrap_or_default();
    Ok((read, if from == 0 { Before::Nothing } else { Before::Something }))
}

#[derive(PartialEq)]
enum Before {
    Nothing,
    Something,
}

fn read_end(folder: &Folder, bytes: u64) -> Result<String, LedgerError> {
    let (mut read, before) = read_bytes(folder, bytes)?;
    // A partial note is ignored; the next added note replaces it.
    let torn = usize::try_from(torn_bytes(&read)).unwrap_or_default();
    read.truncate(read.len().saturating_sub(torn));
    let text = String::from_utf8_lossy(&read).into_owned();
    if before == Before::Nothing {
        return Ok(text);
    }
    // The first note is incomplete.
    let next = text.find(&format!("{END}{SIGNER}\n")).and_then(|place| text.get(place + END.len()..));
    Ok(next.unwrap_or_default().to_owned())
}

/// The notes, without the empty lines after them.
fn notes(text: &str) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for line in text.split_inclusive('\n') {
        match notes.last_mut() {
            Some(note) if line.strip_suffix('\n') != Some(SIGNER) => note.push_str(line),
            Some(_) | None => notes.push(line.to_owned()),
        }
    }
    for note in &mut notes {
        if note.ends_with(END) {
            note.pop();
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::{FILE, add, all, last};
    use crate::checkpoint::checkpoint::Checkpoint;
    use crate::checkpoint::signing_key::SigningKey;
    use crate::event::event::Head;
    use crate::folder::Folder;
    use crate::hash::Hash;

    #[test]
    fn notes_round_trip_and_a_partial_one_is_removed() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::make(place.path()).unwrap();
        let key = SigningKey::make(&folder).unwrap();
        let notes: Vec<String> =
            (1..=40).map(|size| Checkpoint::note(&Head { size, hash: Hash::of(&[1]) }, &key)).collect();
        assert_eq!(last(&folder).unwrap(), None);
        for note in &notes {
            add(&folder, note).unwrap();
            assert_eq!(last(&folder).unwrap().as_ref(), Some(note));
        }
        assert_eq!(all(&folder).unwrap(), notes);
        assert!(notes.iter().all(|note| Checkpoint::parse(note).unwrap().is_signed_by(&key.public())));
        let whole = notes[0].len();
        for cut in 1..whole {
            let mut file = std::fs::OpenOptions::new().append(true).open(place.path().join(FILE)).unwrap();
            std::io::Write::write_all(&mut file, &notes[0].as_bytes()[..cut]).unwrap();
            assert_eq!(last(&folder).unwrap().as_ref(), Some(&notes[39]), "{cut}");
            add(&folder, &notes[39]).unwrap();
            let found = all(&folder).unwrap();
            assert_eq!(found.last(), Some(&notes[39]));
            assert!(found.iter().all(|note| Checkpoint::parse(note).is_some()), "{cut}");
        }
    }
}
