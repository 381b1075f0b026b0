//! Packs from others: read with limits on everything, resolved, checked and only then kept.
//!
//! libgit2 has its own way in for packs. It believes the sizes that a pack names, resolves every delta from the bottom of
//! its chain, knows no limit in bytes, objects or time, and does not ask whether anything is missing.

mod cache;
mod delta;
mod entry_header;
mod finish;
#[cfg(test)]
mod fuzz_tests;
mod incoming_pack;
mod inflate;
mod input;
mod pack_index;
mod receive;
mod references;
mod resolve;
mod scan;

pub(in crate::git) use cache::Cache;
pub(in crate::git) use delta::{DeltaSizes, apply};
pub(in crate::git) use entry_header::{EntryHeader, Form};
pub(in crate::git) use finish::{StoredPack, Temporary};
pub(in crate::git) use inflate::Inflater;
pub(in crate::git) use input::FileInput;
#[cfg(test)]
pub(in crate::git) use input::Input;
pub(in crate::git) use pack_index::{IndexNames, PackIndex};
pub(in crate::git) use receive::receive;
pub(in crate::git) use references::CommitLinks;
pub(in crate::git) use scan::DELTA_OVERHEAD;
