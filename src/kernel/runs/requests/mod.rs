//! Requests of guests: their arguments, and the calls that they are.

pub mod guest_call;
pub mod guest_reply;
pub mod parse_budget;
pub mod question_args;
