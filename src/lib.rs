//! The native addon of `@tgp/core`: the kernel and its Node-API binding.
//!
//! ```text
//! index.js, js/       what users import; the only place that throws
//!      |
//! binding             the only #[napi]
//!      |
//! kernel              the only place that knows more than one part
//!      |
//! crates/ vfs  registry  embed  compile  sandbox  net  git  sql  ledger  policy  state     parts: none depends on another
//!      |
//! crates/base         errors, ids, threads: depends on nothing of ours
//! ```

pub mod binding;
pub mod kernel;
