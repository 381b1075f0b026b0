//! Objects, trees and packs: read to limits, because they may be anybody's.

pub(super) mod commit_object;
pub(super) mod left_out;
pub(super) mod object_reader;
pub(super) mod pack;
pub(super) mod raw_tree;
pub(super) mod tree_changes;
pub(super) mod tree_entry;
pub(super) mod tree_names;
pub(super) mod tree_update;
pub(super) mod trees;
