//! The functions in Rust that a realm's scripts call. The guest never sees them.

mod booking;
mod callback;
mod ed25519_points;
mod forgotten_call;
mod function_text;
mod host_call;
mod lazy_global;
mod module_function;
mod module_loader;
mod module_source;
mod native_bytes;
mod native_codec;
mod native_crypto;
mod native_lazy;
mod native_table;
mod native_text;
mod native_timer;
mod native_url;
mod native_value;
mod source_question;
mod syntax_judge;

pub use callback::guarded;
pub use forgotten_call::warn_of_unawaited;
pub use host_call::settle_call;
pub use lazy_global::provide_value;
pub use module_function::compile_function;
pub use native_table::{external_references, native_object};
pub use source_question::{known_place, learn_places};
