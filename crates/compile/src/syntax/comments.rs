//! All comments of a source. swc stores them by the code that they are attached to.

use swc_core::common::comments::{Comment, SingleThreadedComments};

/// All comments, in source order.
pub(crate) fn sorted_comments(comments: SingleThreadedComments) -> Vec<Comment> {
    let (leading, trailing) = comments.take_all();
    let mut all: Vec<Comment> = leading.take().into_values().chain(trailing.take().into_values()).flatten().collect();
    all.sort_by_key(|comment| comment.span.lo);
    all.dedup_by_key(|comment| comment.span.lo);
    all
}
