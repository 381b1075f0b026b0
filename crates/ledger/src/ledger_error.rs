//! The error enum of this part.

use tgp_base::error::{ErrorCode, PartError};
use tgp_base::threads::WakeError;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    #[error("The ledger cannot be written ({0}). {advice}.", advice = .0.advice_for_writing())]
    Unwritable(Reason),
    #[error("The ledger cannot be read ({0}). {advice}.", advice = .0.advice_for_reading())]
    Unreadable(Reason),
    /// A file that the caller named.
    #[error("{file} cannot be read ({reason}). Check its path and its permissions.")]
    FileUnreadable { file: &'static str, reason: Reason },
    #[error(
        "The ledger's store cannot be reached ({0}). Until it can, events are kept on this machine. Check that the database runs and is reachable."
    )]
    Unreachable(Reason),
    #[error(
        "The ledger's spool is full because its store does not accept events. Make the store writable, or raise \"ledger.spoolBytes\"."
    )]
    SpoolFull,
    #[error("The address of the ledger's database is not valid: {0}.")]
    Address(AddressFault),
    #[error("The ledger was made by a newer version of this package. Use that version, or another folder.")]
    NewerSchema,
    #[error(
        "The key that signed the ledger's checkpoints is missing. Restore the file ledger.key from a backup. On another machine with the same store, copy it there or set ledger.key. To start a new ledger, move the ledger's folder away."
    )]
    KeyMissing,
    #[error(
        "The ledger's checkpoints were signed with another key than the one in the file ledger.key. Restore the right file from a backup, or move the ledger's folder away to start a new ledger."
    )]
    KeyWrong,
    #[error(
        "The file ledger.key is not an Ed25519 key in PKCS#8. Restore it from a backup; it is never replaced automatically."
    )]
    KeyDamaged,
    #[error(
        "The file with the public key is not a public key of a ledger. Use the file ledger.pub of the ledger's folder, or a copy of it."
    )]
    PublicKeyDamaged,
    #[error(
        "The option ledger.key is not an Ed25519 key as PKCS#8 in base64. Create one with: openssl genpkey -algorithm ed25519 -outform DER | base64"
    )]
    KeyUnfit,
    #[error(
        "The ledger is damaged at event {0}, so no checkpoint was signed. Run verify for details, and keep a copy of the folder."
    )]
    NotWhole(u64),
    #[error("The ledger is open for reading only. Open it for writing to do this.")]
    ReadOnly,
    #[error("The event is larger than {0} bytes. Record less, or a reference.")]
    TooLarge(usize),
    #[error("The ledger is closed. Open it again.")]
    Closed,
    #[error(
        "The events of another process in the file spool/{0}.ndjson are not in the ledger yet, so its progress is unknown. Retry in a moment. If this persists, end the processes that use this folder, or make the file readable."
    )]
    Behind(String),
    #[error(
        "The system did not start a thread for the ledger. Reduce the number of threads of this process, then retry."
    )]
    NoThread,
}

/// A short reason of the system or the database. Never a path, a statement or a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    #[error("the disk is full")]
    DiskFull,
    #[error("the disk or the file is read-only")]
    ReadOnlyDisk,
    #[error("access is not allowed")]
    NotAllowed,
    #[error("a required file or object does not exist")]
    NotFound,
    #[error("the file is damaged")]
    Damaged,
    #[error("another process holds a lock for too long")]
    Busy,
    #[error("the connection failed")]
    Connection,
    #[error("the server did not answer in time")]
    Late,
    #[error("the host name in its address does not exist")]
    NoHost,
    #[error("the server does not support TLS; if the network is safe, set sslmode=disable in its address")]
    NoTls,
    #[error("the server's certificate is not trusted; add its CA to network.ca")]
    Untrusted,
    #[error("the user or password is wrong")]
    Login,
    #[error("the server requires an unsupported login method; give the user a scram-sha-256 password")]
    LoginMethod,
    #[error("the database does not exist")]
    NoDatabase,
    #[error("the database's encoding is not UTF-8; use a database with UTF-8")]
    Encoding,
    #[error("the server is read-only, probably a replica")]
    ReadOnlyDatabase,
    #[error("the server has too many connections")]
    TooManyConnections,
    #[error("the system refused the operation")]
    Refused,
}

/// What is wrong with an address. Never contains a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AddressFault {
    #[error(
        "it is not a URL. Write it as postgres://user:password@host:port/database, with other characters percent-encoded"
    )]
    NoUrl,
    #[error("it begins with another scheme than postgres:// or postgresql://")]
    Scheme,
    #[error("its host is missing or not valid. Name one host or IP address; Unix sockets are not supported")]
    Host,
    #[error("its user is missing or not text")]
    User,
    #[error("its password is empty or not text. Remove the colon, or write the password percent-encoded")]
    Password,
    #[error("its database is missing or not text. Name it after the host and a slash")]
    Database,
    #[error("its sslmode is unknown. Use verify-full, or disable if the network is safe")]
    SslMode,
    #[error("its sslrootcert is not supported. Set the file in network.ca")]
    RootCertificate,
    #[error("its channel_binding is not supported. Remove it; the server's certificate is checked")]
    ChannelBinding,
    #[error("its schema must consist of lower-case letters, digits and underscores")]
    Schema,
    #[error("it has an unsupported setting. Supported settings are sslmode and schema")]
    Setting,
}

impl Reason {
    /// The reason of an I/O error.
    #[must_use]
    pub fn of(error: &std::io::Error) -> Self {
        use std::io::ErrorKind;
        let kind = error.kind();
        if matches!(kind, ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge) {
            Self::DiskFull
        } else if kind == ErrorKind::ReadOnlyFilesystem {
            Self::ReadOnlyDisk
        } else if kind == ErrorKind::PermissionDenied {
            Self::NotAllowed
        } else if kind == ErrorKind::NotFound {
            Self::NotFound
        } else if kind == ErrorKind::InvalidData {
            Self::Damaged
        } else {
            Self::Refused
        }
    }

    /// What to do when a write failed for this reason.
    const fn advice_for_writing(self) -> &'static str {
        match self {
            Self::DiskFull => "Free disk space",
            Self::ReadOnlyDisk | Self::NotAllowed => "Make its folder writable",
            Self::NotFound => "Restore its folder",
            Self::Damaged => "Restore it from a backup, or move its folder away to start a new ledger",
            Self::Busy => "Retry when the other process has finished",
            Self::Connection
            | Self::Late
            | Self::NoHost
            | Self::NoTls
            | Self::Untrusted
            | Self::Login
            | Self::LoginMethod
            | Self::NoDatabase
            | Self::Encoding
            | Self::ReadOnlyDatabase
            | Self::TooManyConnections
            | Self::Refused => "Check its folder and its disk, then retry",
        }
    }

    /// What to do when a read failed for this reason.
    const fn advice_for_reading(self) -> &'static str {
        if matches!(self, Self::NotAllowed) {
            "Make its folder readable"
        } else if matches!(self, Self::NotFound) {
            "Check that its folder exists"
        } else {
            self.advice_for_writing()
        }
    }
}

impl LedgerError {
    /// A write to a file failed.
    #[must_use]
    pub fn write(error: &std::io::Error) -> Self {
        Self::Unwritable(Reason::of(error))
    }

    /// A read of a file failed.
    #[must_use]
    pub fn read(error: &std::io::Error) -> Self {
        Self::Unreadable(Reason::of(error))
    }
}

impl From<WakeError> for LedgerError {
    fn from(error: WakeError) -> Self {
        match error {
            WakeError::Closed => Self::Closed,
            WakeError::NoThread => Self::NoThread,
        }
    }
}

impl PartError for LedgerError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Unwritable(_)
            | Self::Unreadable(_)
            | Self::FileUnreadable { .. }
            | Self::Unreachable(_)
            | Self::SpoolFull
            | Self::NewerSchema
            | Self::KeyMissing
            | Self::KeyWrong
            | Self::KeyDamaged
            | Self::PublicKeyDamaged
            | Self::NotWhole(_)
            | Self::ReadOnly
            | Self::Behind(_)
            | Self::NoThread => ErrorCode::Ledger,
            Self::Address(_) => ErrorCode::Config,
            Self::TooLarge(_) => ErrorCode::Validation,
            Self::KeyUnfit => ErrorCode::Config,
            Self::Closed => ErrorCode::Shutdown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LedgerError, Reason};

    #[test]
    fn the_advice_fits_the_reason() {
        for (error, advice) in [
            (LedgerError::Unwritable(Reason::DiskFull), "(the disk is full). Free disk space."),
            (LedgerError::Unwritable(Reason::NotAllowed), "(access is not allowed). Make its folder writable."),
            (LedgerError::Unreadable(Reason::NotAllowed), "(access is not allowed). Make its folder readable."),
            (LedgerError::Unreadable(Reason::Busy), "Retry when the other process has finished."),
        ] {
            assert!(error.to_string().ends_with(advice), "{error}");
        }
    }
}
