//! The input of a lint rule: the parsed source and its context.

use swc_core::common::Span;
use swc_core::common::comments::{Comment, CommentKind};
use swc_core::ecma::ast::Module;

use super::entry::Entry;
use crate::positions::source_index::FIRST_POS;
use crate::syntax::names::Names;

pub(crate) struct RuleContext<'a> {
    /// Path relative to the root, with `/`.
    pub(crate) path: &'a str,
    pub(crate) source: &'a str,
    pub(crate) module: &'a Module,
    pub(crate) names: &'a Names,
    pub(crate) entry: Entry,
    /// In source order.
    pub(crate) comments: Vec<Comment>,
    /// Packages that may be imported.
    pub(crate) allowed_imports: &'a [String],
}

impl RuleContext<'_> {
    /// The text of the JSDoc block directly before this span, without tags and asterisks.
    pub(crate) fn doc_before(&self, span: Span) -> Option<String> {
        let index = self.comments.partition_point(|comment| comment.span.hi <= span.lo);
        let comment = self.comments.get(index.checked_sub(1)?)?;
        let between = self.text(Span::new(comment.span.hi, span.lo))?;
        // `export default`, `async` and similar keywords may be between the block and the name it documents.
        let is_near = between.chars().all(|letter| letter.is_whitespace() || letter.is_ascii_alphabetic());
        (is_near && is_doc(comment)).then(|| doc_text(comment))
    }

    /// The text of the first JSDoc block before the first item of the file.
    pub(crate) fn doc_of_file(&self, first: Span) -> Option<String> {
        self.comments.iter().find(|comment| is_doc(comment) && comment.span.hi <= first.lo).map(doc_text)
    }

    pub(crate) fn text(&self, span: Span) -> Option<&str> {
        let offset = |at: u32| at.checked_sub(FIRST_POS.0).map(|at| at as usize);
        self.source.get(offset(span.lo.0)?..offset(span.hi.0)?)
    }
}

fn is_doc(comment: &Comment) -> bool {
    comment.kind == CommentKind::Block && comment.text.starts_with('*')
}

fn doc_text(comment: &Comment) -> String {
    let lines = comment.text.lines().map(|line| line.trim().trim_start_matches('*').trim());
    lines.take_while(|line| !line.starts_with('@')).collect::<Vec<_>>().join(" ").trim().to_owned()
}
