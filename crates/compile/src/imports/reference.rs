//! All references of a source to files and packages, types included.
//!
//! [`super::import`] lists what is loaded at run time; this lists what a type checker would open.

use std::ops::Range;

use swc_core::common::comments::{Comment, SingleThreadedComments};
use swc_core::common::{BytePos, SyntaxContext};
use swc_core::ecma::ast::Module;

use super::specifiers::{directives, specifiers};
use crate::parse::language::Language;
use crate::positions::source_index::{FIRST_POS, SourceIndex};
use crate::syntax::comments::sorted_comments;
use crate::syntax::resolve::resolve;

/// One specifier of a file or package, or a `/// <reference>` directive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    pub specifier: String,
    pub line: u32,
    pub column: u32,
    /// Byte range in the source, quotes included; for a directive the whole comment.
    pub bytes: Range<usize>,
}

pub(crate) fn references(
    source: &str,
    module: Module,
    comments: SingleThreadedComments,
    language: Language,
) -> Vec<Reference> {
    let (module, names) = resolve(module, source, language);
    find_references(&module, names.unresolved, &sorted_comments(comments), &SourceIndex::new(source))
}

/// The references of a resolved module and its comments.
pub(crate) fn find_references(
    module: &Module,
    unresolved: SyntaxContext,
    comments: &[Comment],
    index: &SourceIndex<'_>,
) -> Vec<Reference> {
    let mut found = specifiers(module, unresolved);
    found.extend(directives(comments));
    found
        .into_iter()
        .map(|(specifier, span)| {
            let at = index.position(span.lo);
            let offset = |at: BytePos| at.0.saturating_sub(FIRST_POS.0) as usize;
            let bytes = offset(span.lo)..offset(span.hi);
            Reference { specifier, line: at.line, column: at.column, bytes }
        })
        .collect()
}
