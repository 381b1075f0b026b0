//! Credentials for a remote.

use crate::secret::Secret;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// A user name and a token, sent only to their host.
#[derive(Debug, Clone)]
pub(crate) struct Credentials {
    pub(crate) user: String,
    pub(crate) token: Secret,
}

impl Credentials {
    /// The value of an `Authorization` header.
    pub(crate) fn basic(&self) -> String {
        format!("Basic {}", self.encoded().expose())
    }

    /// Masks the token in `text`, plain and encoded.
    pub(crate) fn scrub(&self, text: &str) -> String {
        self.encoded().scrub(&self.token.scrub(text))
    }

    fn encoded(&self) -> Secret {
        Secret::new(STANDARD.encode(format!("{}:{}", self.user, self.token.expose())))
    }
}
