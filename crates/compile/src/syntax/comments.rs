//! The comments of a source, which swc keeps apart by the code they stand at.

use swc_core::common::comments::{Comment, SingleThreadedComments};

/// All comments in the order of the source.
pub(crate) fn sorted(comments: SingleThreadedComments) -> Vec<Comment> {
    let (leading, trailing) = comments.take_all();
    let mut all: Vec<Comment> = leading.take().into_values().chain(trailing.take().into_values()).flatten().collect();
    all.sort_by_key(|comment| comment.span.lo);
    all.dedup_by_key(|comment| comment.span.lo);
    all
}
