//! The compiler cannot be crashed, hung or bloated by source text.
//!
//! Everything here runs in the test's own process: a stack overflow would end it.

mod amount;
mod nesting;
mod odd_text;
mod shapes;
mod survival;
