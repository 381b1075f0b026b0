//! What can go wrong with the ledger.

use tgp_base::error::{ErrorCode, PartError};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LedgerError {
    #[error(
        "The ledger cannot be written ({0}). Free disk space, or see that its folder may be written; until then calls that change something are refused."
    )]
    Unwritable(Reason),
    #[error("The ledger cannot be read ({0}). See that its folder may be read, then try again.")]
    Unreadable(Reason),
    #[error(
        "The ledger's store cannot be reached ({0}). Events are kept on this machine until it can; see that the database runs and may be reached."
    )]
    Unreachable(Reason),
    #[error(
        "The ledger's events wait for a store that does not take them, and there is room for no more. See that the store can be written, or raise \"ledger.spoolBytes\"."
    )]
    SpoolFull,
    #[error("The address of the ledger's database cannot be used: {0}.")]
    Address(AddressFault),
    #[error("The ledger was made by a newer version of this package. Use that version, or another folder.")]
    NewerSchema,
    #[error(
        "The ledger has checkpoints that were signed with a key that is not here. Put the file ledger.key back from a backup, or, on another machine with the same store, copy it there or set ledger.key; or move the whole folder of the ledger away to begin a new one."
    )]
    KeyMissing,
    #[error(
        "The ledger's checkpoints were signed with another key than the one in the file ledger.key. Put the right file back from a backup, or move the whole folder of the ledger away to begin a new one."
    )]
    KeyWrong,
    #[error(
        "The file ledger.key is not an Ed25519 key in PKCS#8. Put it back from a backup; it is never replaced by itself."
    )]
    KeyDamaged,
    #[error(
        "ledger.key of the configuration is not an Ed25519 key, as PKCS#8 in base64. Make one with: openssl genpkey -algorithm ed25519 -outform DER | base64"
    )]
    KeyUnfit,
    #[error(
        "The ledger is not whole at event {0}, so no checkpoint vouches for it. Run verify to see what is wrong, and keep a copy of the folder."
    )]
    NotWhole(u64),
    #[error("The ledger is open for reading only. Open it for writing to do this.")]
    ReadOnly,
    #[error("The event is larger than {0} bytes. Hand in less, or a reference to where it is.")]
    TooLarge(usize),
    #[error("The ledger is closed. Open it again.")]
    Closed,
    #[error(
        "Another process has recorded events that are not in the ledger yet, in the file spool/{0}.ndjson, so it is unknown how far it came. Try again in a moment; otherwise end the processes that use this folder, or see that this user may read the file."
    )]
    Behind(String),
    #[error("The system refused a thread for the ledger. Lower the number of threads of this process, then try again.")]
    NoThread,
}

/// A short word of the system or the database about a failure. Never a path, a statement or a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    #[error("the disk is full")]
    DiskFull,
    #[error("the disk or the file is read-only")]
    ReadOnlyDisk,
    #[error("access is not allowed")]
    NotAllowed,
    #[error("something that should be there is not")]
    NotFound,
    #[error("the file is damaged")]
    Damaged,
    #[error("another process holds it for too long")]
    Busy,
    #[error("the connection failed")]
    Connection,
    #[error("the server did not answer in time")]
    Late,
    #[error("no machine has the name in its address")]
    NoHost,
    #[error("the server does not speak TLS; where the way to it is safe, say sslmode=disable in its address")]
    NoTls,
    #[error("the server's certificate is not trusted; name your own authority in network.ca")]
    Untrusted,
    #[error("the server knows no such user, or not with this password")]
    Login,
    #[error(
        "the server wants a way to log in that is not supported; let the user have a password of the kind scram-sha-256"
    )]
    LoginMethod,
    #[error("the server has no such database")]
    NoDatabase,
    #[error("the database does not keep text as UTF-8; make one that does")]
    Encoding,
    #[error("the server is read-only: a copy of another, it seems")]
    ReadOnlyDatabase,
    #[error("the server has too many connections")]
    TooManyConnections,
    #[error("the system refused")]
    Refused,
}

/// What is wrong with an address. Never a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AddressFault {
    #[error(
        "it is not a URL. Write it as postgres://user:password@host:port/database, with other characters percent-encoded"
    )]
    NoUrl,
    #[error("it begins with another scheme than postgres:// or postgresql://")]
    Scheme,
    #[error(
        "its host is missing or cannot be used. Name one host, or its number; sockets of a folder are not supported"
    )]
    Host,
    #[error("its user is missing or no text")]
    User,
    #[error("its password is empty or no text. Leave out the colon, or write the password percent-encoded")]
    Password,
    #[error("its database is missing or no text. Name it behind the host and a slash")]
    Database,
    #[error("its sslmode is unknown. Say verify-full, or disable where the way to the server is safe")]
    SslMode,
    #[error("its sslrootcert is not read. Name the file in network.ca")]
    RootCertificate,
    #[error("its channel_binding is not supported. Leave it out: the server's certificate is checked")]
    ChannelBinding,
    #[error("its schema is not a name of lower-case letters, digits and underscores")]
    Schema,
    #[error("it has a setting that is not supported. The settings are sslmode and schema")]
    Setting,
}

impl Reason {
    /// The reason that the system gives for files.
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

impl PartError for LedgerError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Unwritable(_)
            | Self::Unreadable(_)
            | Self::Unreachable(_)
            | Self::SpoolFull
            | Self::NewerSchema
            | Self::KeyMissing
            | Self::KeyWrong
            | Self::KeyDamaged
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
