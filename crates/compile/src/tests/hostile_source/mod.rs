//! Source text cannot crash or hang the compiler, or exhaust its memory.
//!
//! These tests run in the test process: a stack overflow would end it.

mod large_sources;
mod nesting;
mod random_text;
mod shapes;
mod survival;
