//! Why a request of the application itself got no whole answer.

use super::plain_dns::UnknownHost;
use crate::net_error::NetError;
use crate::proxy_refusal::wants_password;
use std::error::Error as StdError;
use std::io;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ExchangeFailure {
    #[error("it did not answer in time")]
    TimedOut,
    #[error("its host is not known")]
    UnknownHost,
    #[error("its certificate is not trusted; name the authority behind it in network.ca")]
    Untrusted,
    #[error("the connection failed: {0}")]
    Connection(io::ErrorKind),
    #[error("no connection came about; check its address")]
    NoConnection,
    #[error("the proxy wants a user name and a password; put them into its address, as http://user:password@host:port")]
    ProxyPassword,
    #[error("the connection broke")]
    Broken,
    #[error("the system refuses a thread or a socket")]
    NoRuntime,
    #[error("nobody can be trusted: {0} names no certificates that can be read; mend it, or unset it")]
    NoTrust(&'static str),
    #[error("the request failed")]
    Other,
}

impl ExchangeFailure {
    /// Whether whoever is between this machine and the server may be the cause.
    #[must_use]
    pub const fn may_be_carriers(self) -> bool {
        match self {
            Self::TimedOut | Self::UnknownHost | Self::Connection(_) | Self::NoConnection | Self::Untrusted => true,
            Self::ProxyPassword | Self::Broken | Self::NoRuntime | Self::NoTrust(_) | Self::Other => false,
        }
    }

    /// Why there is no client.
    pub(super) const fn of_client(error: &NetError) -> Self {
        if let NetError::NoTrust { variables } = error { Self::NoTrust(variables) } else { Self::NoRuntime }
    }

    /// What the client said, without the address.
    pub(super) fn of(error: &reqwest::Error) -> Self {
        if wants_password(error) {
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
                // What an error of this kind holds is not its source, but itself.
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
