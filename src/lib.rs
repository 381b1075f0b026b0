//! Native core of `@tgp/core`: a model's TypeScript is compiled, run in V8, stored and persisted here.
//!
//! ```text
//! index.js, js/       what users import; the only place that throws
//!      |
//! binding             the only #[napi]
//!      |
//! kernel              the only place that knows more than one part
//!      |
//! vfs  registry  embed  compile  sandbox  net  git  sql  ledger  policy      parts: none imports another
//!      |
//! error, ids, threads, turns, bounded_read, loopback, bound_secrets, near_name     bottom: import nothing of ours
//! ```

#![deny(unused_crate_dependencies, reason = "what nobody uses is compiled, audited and shipped for nothing")]

// Not named by the library: the launcher loads with the first, the others are linked or pinned for what they do to crates
// that are.
use libloading as _;
use libz_sys as _;
use multiversion_macros as _;
use swc_ecma_parser as _;

pub mod binding;
pub mod bound_secrets;
pub mod bounded_read;
pub mod compile;
pub mod embed;
pub mod error;
#[cfg(test)]
mod fuzzing;
pub mod git;
pub mod ids;
pub mod kernel;
pub mod ledger;
pub mod loopback;
pub mod near_name;
pub mod net;
pub mod policy;
pub mod registry;
pub mod sandbox;
pub mod sql;
pub mod state;
pub mod threads;
pub mod turns;
pub mod vfs;
