//! Packs from others: read with limits, resolved, checked for completeness and then stored.
//!
//! The pack reader of libgit2 trusts the sizes in a pack, resolves every delta from the start of its chain, has no limits for
//! bytes, objects or time, and does not detect missing objects.

mod cache;
mod delta;
mod entry_header;
mod finish;
#[cfg(test)]
mod fuzz_tests;
mod incoming_pack;
mod inflate;
mod input;
mod keep_file;
mod own_pack;
mod pack_index;
mod receive;
mod references;
mod resolve;
mod scan;

pub(crate) use cache::Cache;
pub(crate) use delta::{DeltaSizes, apply};
pub(crate) use entry_header::{Encoding, EntryHeader};
pub(crate) use finish::StoredPack;
pub(crate) use inflate::Inflater;
#[cfg(test)]
pub(crate) use input::Input;
pub(crate) use input::{FileWindow, Recorder};
pub(crate) use keep_file::clear_abandoned;
pub(crate) use own_pack::{OwnPack, pack_file, store};
pub(crate) use pack_index::{IndexNames, PackIndex};
pub(crate) use receive::receive;
pub(crate) use references::{CommitLinks, RecentNames};
pub(crate) use scan::DELTA_OVERHEAD;
