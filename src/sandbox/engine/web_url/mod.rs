//! URLs by the WHATWG standard, for the guest's `URL`. The host judges addresses by itself, with a parser of its own.
//!
//! No V8 here: text in, text out.

mod encode_set;
mod host_text;
mod parse_url;
mod set_part;
mod web_url;

pub use parse_url::parse;
pub use set_part::set_part;
pub use web_url::WebUrl;
