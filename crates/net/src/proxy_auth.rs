//! Detects 407 Proxy Authentication Required.

use std::error::Error as StdError;

/// Whether a proxy refused a tunnel because it requires a user name and a password.
pub(super) fn requires_proxy_auth(error: &(dyn StdError + 'static)) -> bool {
    let mut source = Some(error);
    while let Some(cause) = source {
        // The error type is private to the HTTP client.
        if cause.to_string().ends_with("proxy authorization required") {
            return true;
        }
        source = cause.source();
    }
    false
}
