//! Errors of HTTP requests.

use tgp_base::bound_secrets::SecretError;
use tgp_base::error::{Details, Error, ErrorCode, PartError};

#[derive(Debug, Clone, thiserror::Error)]
pub enum NetError {
    #[error("allowedFetchUrls: '{entry}' {why}")]
    BadEntry { entry: String, why: &'static str },
    #[error("network.proxy {why}")]
    BadProxy { why: &'static str },
    #[error("network.ca {why}")]
    BadCa { why: &'static str },
    #[error("fetch needs an absolute http or https URL, not '{url}'")]
    BadUrl { url: String },
    #[error(
        "Security Violation: Network access is disabled. No URLs are whitelisted in tgp.config.ts. Take the data as an argument instead"
    )]
    NoNetwork,
    #[error(
        "Security Violation: URL \"{url}\" is not in the allowed list. Tools reach only {allowed}.{near} Use one of these, or take the data as an argument"
    )]
    NotAllowed { url: String, allowed: String, near: String },
    #[error("Security Violation: '{url}' contains a user name or password; send an Authorization header instead")]
    UserInfo { url: String },
    #[error(
        "Security Violation: '{host}' resolves to a private address, which is not allowed. Use another allowed address, or take the data as an argument"
    )]
    PrivateAddress { host: String },
    #[error("fetch does not send {method} requests; use GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS")]
    Method { method: String },
    #[error("Security Violation: the header '{name}' {why}")]
    Header { name: String, why: &'static str },
    #[error("A {method} request cannot have a body; remove it or use POST")]
    UnwantedBody { method: String },
    #[error("'{mode}' is not a redirect mode of fetch; use 'follow', 'manual' or 'error'")]
    RedirectMode { mode: String },
    #[error("'{url}' answered with a redirect, which this request forbids")]
    RedirectForbidden { url: String },
    #[error("'{url}' was redirected more than {limit} times")]
    TooManyRedirects { url: String, limit: usize },
    #[error("'{url}' did not answer completely within {millis} ms (sandbox.fetchTimeoutMs); request less data at once")]
    TimedOut { url: String, millis: u128 },
    #[error("The {what} of '{url}' is larger than {limit} bytes (sandbox.fetchBytes); request a smaller part")]
    TooLarge { url: String, what: &'static str, limit: usize },
    #[error("'{url}' could not be fetched: {why}")]
    Failed { url: String, why: &'static str },
    #[error(transparent)]
    Withheld(#[from] SecretError),
    #[error("'{url}' could not be fetched: {proxy} {why}")]
    Proxy { url: String, proxy: String, why: &'static str },
    /// The redirect check of the caller refused the target.
    #[error(transparent)]
    RedirectRefused(Box<Error>),
    #[error("The network is unavailable: the system could not create a thread or a socket")]
    NoRuntime,
    #[error("No trusted certificates: {variables} does not point to readable certificates. Fix or unset it")]
    NoTrust { variables: &'static str },
}

impl PartError for NetError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::RedirectRefused(refusal) => refusal.code,
            Self::BadEntry { .. } | Self::BadProxy { .. } | Self::BadCa { .. } => ErrorCode::Config,
            Self::Withheld(SecretError::Unknown { .. } | SecretError::TooManyPlaceholders | SecretError::InPath) => {
                ErrorCode::Validation
            }
            Self::NoNetwork
            | Self::Withheld(SecretError::WrongDestination { .. } | SecretError::Insecure { .. })
            | Self::NotAllowed { .. }
            | Self::UserInfo { .. }
            | Self::PrivateAddress { .. }
            | Self::Header { .. } => ErrorCode::SecurityViolation,
            Self::BadUrl { .. }
            | Self::Method { .. }
            | Self::UnwantedBody { .. }
            | Self::RedirectMode { .. }
            | Self::RedirectForbidden { .. }
            | Self::TooManyRedirects { .. }
            | Self::TimedOut { .. }
            | Self::TooLarge { .. }
            | Self::Failed { .. }
            | Self::Proxy { .. }
            | Self::NoRuntime
            | Self::NoTrust { .. } => ErrorCode::Fetch,
        }
    }

    fn details(&self) -> Details {
        if let Self::RedirectRefused(refusal) = self {
            return refusal.details.clone();
        }
        let key = if matches!(self, Self::BadEntry { .. }) {
            "allowedFetchUrls"
        } else if matches!(self, Self::BadProxy { .. }) {
            "network.proxy"
        } else if matches!(self, Self::BadCa { .. }) {
            "network.ca"
        } else {
            return Details::new();
        };
        Details::from_iter([("key".to_owned(), key.into())])
    }
}

/// Longest part of a URL in a message.
const MAX_SHOWN_CHARS: usize = 200;

/// Formats a URL for a message, without user, query and fragment, which may be secret.
pub fn shown(url: &url::Url) -> String {
    let mut plain = url.clone();
    plain.set_query(None);
    plain.set_fragment(None);
    // Fails only for URLs without a host, which have no user.
    let _ = plain.set_username("");
    let _ = plain.set_password(None);
    shown_text(plain.as_str())
}

/// Makes the text of a guest safe to print: no control characters, bounded length.
pub fn shown_text(text: &str) -> String {
    text.chars().take(MAX_SHOWN_CHARS).map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}
