//! Every file and package that a source names, types included.
//!
//! [`super::import`] lists what is left to load at run time; this lists what anyone who reads the source, a type checker
//! too, would go and open.

use std::ops::Range;

use swc_core::common::comments::{Comment, SingleThreadedComments};
use swc_core::common::{BytePos, SyntaxContext};
use swc_core::ecma::ast::Module;

use super::specifiers::{directives, specifiers};
use crate::parse::language::Language;
use crate::positions::source_index::{FIRST_POS, SourceIndex};
use crate::syntax::comments::sorted;
use crate::syntax::resolve::resolve;

/// One name of a file or package, or a directive that names one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    pub specifier: String,
    pub line: u32,
    pub column: u32,
    /// Where it stands in the source, quotes included; a directive is all of its comment.
    pub bytes: Range<usize>,
}

pub(crate) fn references(
    source: &str,
    module: Module,
    comments: SingleThreadedComments,
    language: Language,
) -> Vec<Reference> {
    let (module, names) = resolve(module, language);
    named(&module, names.unresolved, &sorted(comments), &SourceIndex::new(source))
}

/// What a resolved tree and its comments name.
pub(crate) fn named(
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
