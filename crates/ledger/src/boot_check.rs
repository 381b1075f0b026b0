//! Checks the end of a ledger when it is opened.

use super::checkpoint::checkpoint_file;
use super::checkpoint::checkpoints::Checkpoints;
use super::event::event::Head;
use super::folder::Folder;
use super::ledger_error::LedgerError;
use super::store::Store;
use super::verification::Problem;
use super::verify::{Evidence, verify_end};

/// The contents of a store that is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contents {
    /// It is new, or was removed.
    Nothing,
    Events,
}

/// Checks the key and the end of a ledger; also returns its head. An unreachable store is not checked; events wait for it. A
/// new ledger is not read, which would create its tables.
pub fn boot_check(
    folder: &Folder,
    store: &dyn Store,
    checkpoints: &Checkpoints,
    contents: Contents,
) -> Result<(Option<Problem>, Head), LedgerError> {
    let last = checkpoint_file::last(folder)?;
    if contents == Contents::Nothing && last.is_none() {
        return Ok((None, Head::NONE));
    }
    let check = || {
        let key = checkpoints.remembered_key()?.map(|key| key.public());
        let notes: Vec<String> = last.into_iter().collect();
        Ok(verify_end(store, &Evidence { key, notes: &notes, witnesses: &[] })?.problem)
    };
    let problem = match check() {
        Err(LedgerError::Unreachable(_)) => None,
        checked => checked?,
    };
    Ok((problem, store.head().unwrap_or(Head::NONE)))
}
