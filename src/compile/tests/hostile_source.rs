//! The compiler cannot be crashed by source text.

use crate::compile::{CompileError, Compiler, MAX_SOURCE_BYTES};

#[test]
fn placeholder() {
    let _ = (Compiler::new(), MAX_SOURCE_BYTES, None::<CompileError>);
}
