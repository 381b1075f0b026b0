//! Who we are to a remote.

use crate::git::secret::Secret;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// A user name and a token, sent only to the host they are for.
#[derive(Debug, Clone)]
pub(in crate::git) struct Credentials {
    pub(in crate::git) user: String,
    pub(in crate::git) token: Secret,
}

impl Credentials {
    /// The value of an `Authorization` header.
    pub(in crate::git) fn basic(&self) -> String {
        format!("Basic {}", self.encoded().expose())
    }

    /// `text` without the token, in whatever form we sent it.
    pub(in crate::git) fn scrub(&self, text: &str) -> String {
        self.encoded().scrub(&self.token.scrub(text))
    }

    fn encoded(&self) -> Secret {
        Secret::new(STANDARD.encode(format!("{}:{}", self.user, self.token.expose())))
    }
}
