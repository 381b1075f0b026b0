//! Access policies and capability tokens that can only be narrowed.
//!
//! A policy is a list of rules and a default. A call is judged as follows:
//!
//! - A rule applies to the effects it names, and to all effects of a tool it names. All its conditions must hold.
//! - A rule that allows must cover the call: every path, table and verb is known and meets the conditions. A rule that asks or
//!   denies need only touch it: one value meets them, or the values are unknown.
//! - A condition on a value that the call does not have (the host of a file read) does not hold. Requests always have a host and a
//!   method, statements tables and verbs, writes a path: a missing value counts as unknown.
//! - The strictest rule wins. The default takes part where an effect of the call is covered by no rule.
//! - A rule about the tool that returns the text of files applies to every tool whose answer quotes them.

mod assertion;
mod call_facts;
mod canonical;
mod canonical_json;
mod file;
mod host_name;
mod judge;
mod matching;
mod nearest;
mod outcome;
mod policy;
mod policy_error;
mod replay;
mod rule;
mod rule_index;
#[cfg(test)]
mod tests;
mod token;
mod tools;
mod verdict;

pub use assertion::{Assertion, Expectation, ReviewRule};
pub use call_facts::{CallFacts, Fact};
pub use canonical_json::value_hash;
pub use host_name::HostPort;
pub use policy::Policy;
pub use policy_error::PolicyError;
pub use replay::{Change, Replay, replay};
pub use token::{
    capability::{Capability, TokenLimit},
    keys::{Key, Keys},
    token_id::TokenId,
    token_text::{attenuate, check_caveats, issue, verify},
};
pub use tools::{ArgKind, Arguments, ReadPath, ReadSql, SqlFacts, Tool, Tools, UnnamedFiles};
pub use verdict::{Decision, Verdict};
