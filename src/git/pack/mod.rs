//! Packs from others: read with limits on everything, resolved, checked and only then kept.
//!
//! libgit2 has its own way in for packs. It believes the sizes that a pack names, resolves every delta from the bottom of
//! its chain, knows no limit in bytes, objects or time, and does not ask whether anything is missing.

mod cache;
mod delta;
mod entry_header;
mod finish;
mod inflate;
mod input;
mod pack_index;
mod receive;
mod references;
mod resolve;
mod scan;
mod tape;

pub(super) use cache::Cache;
pub(super) use delta::{DeltaSizes, apply};
pub(super) use entry_header::{EntryHeader, Form};
pub(super) use finish::{Kept, Temporary};
pub(super) use inflate::Inflater;
pub(super) use input::FileInput;
#[cfg(test)]
pub(super) use input::Input;
pub(super) use pack_index::{IndexNames, PackIndex};
pub(super) use receive::receive;
pub(super) use references::CommitLinks;
pub(super) use scan::DELTA_OVERHEAD;
