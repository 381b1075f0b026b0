//! Native functions that a realm's scripts call. Guests never get them.

mod booking;
mod brotli_decoder;
mod brotli_encoder;
mod brotli_prefix_code;
mod callback;
mod codec_progress;
mod ed25519_points;
mod function_text;
mod host_call;
mod module_loader;
mod module_source;
mod native_aes;
mod native_agreement;
mod native_bytes;
mod native_codec;
mod native_crypto;
mod native_inspect;
mod native_lazy;
mod native_table;
mod native_text;
mod native_timer;
mod native_url;
mod native_value;
mod source_positions;
mod syntax_check;
mod unawaited_calls;

pub use callback::guarded;
pub use host_call::settle_call;
pub use module_loader::{ModuleGlobals, compile_function};
pub use native_lazy::provide_value;
pub use native_table::{external_references, native_object};
pub use source_positions::{known_place, learn_places};
pub use unawaited_calls::warn_of_unawaited;
