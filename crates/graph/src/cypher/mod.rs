//! Parses the part of openCypher that reads: text to a checked syntax tree.

pub mod ast;
mod calls;
mod clauses;
mod expressions;
mod fault;
pub mod functions;
mod lexer;
pub mod names;
mod operators;
mod parser;
mod patterns;
mod scope;

pub use fault::Fault;
pub use parser::parse;
