//! Errors of requests of the application. Messages contain no address.

use super::system_dns::UnknownHost;
use crate::net_error::NetError;
use crate::proxy_auth::requires_proxy_auth;
use std::error::Error as StdError;
use std::io;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ExchangeFailure {
    #[error("it did not answer in time")]
    TimedOut,
    #[error("its host is not known")]
    UnknownHost,
    #[error("its certificate is not trusted; add its CA to network.ca")]
    Untrusted,
    #[error("the connection failed: {0}")]
    Connection(io::ErrorKind),
    #[error("no connection could be made; check its address")]
    NoConnection,
    #[error(
        "the proxy requires a user name and a password; put them into its address, as http://user:password@host:port"
    )]
    ProxyPassword,
    #[error("the connection was lost")]
    Broken,
    #[error("the system could not create a thread or a socket")]
    NoRuntime,
    #[error("no trusted certificates: {0} does not point to readable certificates. Fix or unset it")]
    NoTrust(&'static str),
    #[error("the request failed")]
    Other,
}

impl ExchangeFailure {
    /// Whether the proxy may be the cause.
    #[must_use]
    pub const fn may_be_caused_by_proxy(self) -> bool {
        match self {
            Self::TimedOut | Self::UnknownHost | Self::Connection(_) | Self::NoConnection | Self::Untrusted => true,
            Self::ProxyPassword | Self::Broken | Self::NoRuntime | Self::NoTrust(_) | Self::Other => false,
        }
    }

    /// The failure to create a client.
    pub(super) const fn from_client(error: &NetError) -> Self {
        if let NetError::NoTrust { variables } = error { Self::NoTrust(variables) } else { Self::NoRuntime }
    }

    /// Classifies an error of the HTTP client.
    pub(super) fn from_request(error: &reqwest::Error) -> Self {
        if requires_proxy_auth(error) {
            return Self::ProxyPassword;
        }
        let mut source: Option<&(dyn StdError + 'static)> = Some(error);
        let mut kind = None;
        while let Some(cause) = source {
            if cause.is::<UnknownHost>() {
                return Self::UnknownHost;
            }
            if let Some(rustls::Error::InvalidCertificate(_)) = cause.downcast_ref() {
                return Self::Untrusted;
            }
            source = cause.source();
            if let Some(error) = cause.downcast_ref::<io::Error>() {
                kind = Some(error.kind());
                // `source` of an `io::Error` skips the inner error.
                source = error.get_ref().map(|inner| inner as &(dyn StdError + 'static)).or(source);
            }
        }
        match kind {
            _ if error.is_timeout() => Self::TimedOut,
            Some(io::ErrorKind::TimedOut) => Self::TimedOut,
            Some(kind) => Self::Connection(kind),
            None if error.is_connect() => Self::NoConnection,
            None if error.is_body() || error.is_decode() => Self::Broken,
            None => Self::Other,
        }
    }
}
