//! How a proxy says that it does not know who asks.

use std::error::Error as StdError;

/// Whether a proxy wants a user name and a password before it opens a way.
pub(super) fn wants_password(error: &(dyn StdError + 'static)) -> bool {
    let mut source = Some(error);
    while let Some(cause) = source {
        // A type that the client keeps to itself.
        if cause.to_string().ends_with("proxy authorization required") {
            return true;
        }
        source = cause.source();
    }
    false
}
