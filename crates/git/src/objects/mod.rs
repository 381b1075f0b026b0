//! Bounded reading of untrusted objects, trees and packs, and writing of new ones.

pub(super) mod commit_object;
pub(super) mod object_reader;
pub(super) mod pack;
pub(super) mod raw_tree;
pub(super) mod skipped_files;
pub(super) mod tree_changes;
pub(super) mod tree_entry;
pub(super) mod tree_names;
pub(super) mod tree_update;
pub(super) mod trees;
