//! Parsing of PostgreSQL connection URLs.

use crate::ledger_error::{AddressFault, LedgerError};
use std::fmt;
use url::{Host, ParseError, Url};

const DEFAULT_PORT: u16 = 5432;
const DEFAULT_SCHEMA: &str = "tgp_ledger";
/// PostgreSQL truncates longer names silently.
const MAX_NAME: usize = 63;

/// Whether a connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encryption {
    /// Never.
    None,
    /// Always, with verification of the server's certificate and host name.
    Verified,
}

/// The address of a ledger. Its text form omits the password.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresAddress {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) user: String,
    pub(super) password: String,
    pub(super) database: String,
    pub(super) encryption: Encryption,
    /// Lower-case letters, digits and `_`, so that it needs no quotes in statements.
    pub(super) schema: String,
}

impl fmt::Debug for PostgresAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "postgres://…@{}:{}/{}", self.host, self.port, self.database)
    }
}

impl PostgresAddress {
    /// Parses `postgres://user:password@host:port/database?sslmode=…&schema=…`. Without `sslmode` the connection is
    /// encrypted, unless the server is on this machine.
    ///
    /// # Errors
    /// `Address`, which never contains any of the text.
    pub fn parse(text: &str) -> Result<Self, LedgerError> {
        parse(text).map_err(LedgerError::Address)
    }
}

fn parse(text: &str) -> Result<PostgresAddress, AddressFault> {
    let no_url = |error| if error == ParseError::EmptyHost { AddressFault::Host } else { AddressFault::NoUrl };
    let url = Url::parse(text).map_err(no_url)?;
    if !matches!(url.scheme(), "postgres" | "postgresql") {
        return Err(AddressFault::Scheme);
    }
    let (host, is_here) = host_of(&url)?;
    let user = decoded(url.username(), AddressFault::User)?;
    let database = decoded(url.path().trim_start_matches('/'), AddressFault::Database)?;
    let password = match url.password() {
        Some(password) => decoded(password, AddressFault::Password)?,
        None => String::new(),
    };
    let mut address = PostgresAddress {
        host,
        port: url.port().unwrap_or(DEFAULT_PORT),
        user,
        password,
        database,
        encryption: if is_here { Encryption::None } else { Encryption::Verified },
        schema: DEFAULT_SCHEMA.to_owned(),
    };
    for (name, value) in url.query_pairs() {
        match name.as_ref() {
            "sslmode" => address.encryption = encryption(&value)?,
            "schema" => address.schema = schema(&value)?,
            // Ignored: the ledger sets its own, and the certificate identifies the server.
            "application_name" => {}
            "channel_binding" if matches!(value.as_ref(), "prefer" | "disable") => {}
            "channel_binding" => return Err(AddressFault::ChannelBinding),
            "sslrootcert" => return Err(AddressFault::RootCertificate),
            _ => return Err(AddressFault::Setting),
        }
    }
    Ok(address)
}

/// The host, and whether it is a loopback address.
fn host_of(url: &Url) -> Result<(String, bool), AddressFault> {
    // The URL parser does not normalise IP addresses for this scheme.
    let text = decoded(url.host_str().unwrap_or_default(), AddressFault::Host)?;
    let text = text.trim_start_matches('[').trim_end_matches(']').to_owned();
    if text.contains([',', '/']) {
        return Err(AddressFault::Host);
    }
    let bracketed = if text.contains(':') { format!("[{text}]") } else { text.clone() };
    let is_here = match Host::parse(&bracketed).map_err(|_| AddressFault::Host)? {
        Host::Domain(name) => name == "localhost",
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    };
    Ok((text, is_here))
}

/// Decodes percent-encoding. The result must not be empty or contain NUL, which ends names in the protocol.
fn decoded(text: &str, fault: AddressFault) -> Result<String, AddressFault> {
    let text = percent_encoding::percent_decode_str(text).decode_utf8().map_err(|_| fault)?;
    if text.is_empty() || text.contains('\0') { Err(fault) } else { Ok(text.into_owned()) }
}

fn encryption(mode: &str) -> Result<Encryption, AddressFault> {
    match mode {
        "disable" => Ok(Encryption::None),
        "prefer" | "require" | "verify-ca" | "verify-full" => Ok(Encryption::Verified),
        _ => Err(AddressFault::SslMode),
    }
}

fn schema(name: &str) -> Result<String, AddressFault> {
    let first = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    let fits = name.bytes().next().is_some_and(first)
        && name.bytes().all(|byte| first(byte) || byte.is_ascii_digit())
        && name.len() <= MAX_NAME
        // Names with this prefix are reserved by PostgreSQL.
        && !name.starts_with("pg_");
    if fits { Ok(name.to_owned()) } else { Err(AddressFault::Schema) }
}

#[cfg(test)]
mod tests {
    use super::{Encryption, PostgresAddress, parse};
    use crate::ledger_error::AddressFault;

    #[test]
    fn every_part_is_parsed() {
        let address =
            PostgresAddress::parse("postgres://us%40er:p%2Fa%3Ass@db.example:6000/led%20ger?schema=a_1").unwrap();
        assert_eq!(address.user, "us@er");
        assert_eq!(address.password, "p/a:ss");
        assert_eq!((address.host.as_str(), address.port), ("db.example", 6000));
        assert_eq!((address.database.as_str(), address.schema.as_str()), ("led ger", "a_1"));
        let address = PostgresAddress::parse("postgresql://user@[::1]/d").unwrap();
        assert_eq!((address.host.as_str(), address.port, address.password.as_str()), ("::1", 5432, ""));
        assert_eq!(address.schema, "tgp_ledger");
    }

    #[test]
    fn remote_connections_are_encrypted_by_default() {
        let of = |text: &str| parse(text).unwrap().encryption;
        for here in ["localhost", "127.0.0.1", "[::1]"] {
            assert_eq!(of(&format!("postgres://u@{here}/d")), Encryption::None);
            assert_eq!(of(&format!("postgres://u@{here}/d?sslmode=require")), Encryption::Verified);
        }
        for there in ["db.example", "10.0.0.1", "localhost.example"] {
            assert_eq!(of(&format!("postgres://u@{there}/d")), Encryption::Verified);
            assert_eq!(of(&format!("postgres://u@{there}/d?sslmode=disable")), Encryption::None);
        }
    }

    #[test]
    fn errors_name_the_fault_and_never_the_password() {
        for (text, fault) in [
            ("sesame", AddressFault::NoUrl),
            ("mysql://u:sesame@h/d", AddressFault::Scheme),
            ("postgres://u:sesame@/d", AddressFault::Host),
            ("postgres://u:sesame@a,b/d", AddressFault::Host),
            ("postgres://u:sesame@%2Frun/d", AddressFault::Host),
            ("postgres://:sesame@h/d", AddressFault::User),
            ("postgres://u:sesame@h/", AddressFault::Database),
            ("postgres://u:sesame%00@h/d", AddressFault::Password),
            ("postgres://u:sesame@h/d?sslmode=allow", AddressFault::SslMode),
            ("postgres://u:sesame@h/d?sslrootcert=x", AddressFault::RootCertificate),
            ("postgres://u:sesame@h/d?channel_binding=require", AddressFault::ChannelBinding),
            ("postgres://u:sesame@h/d?schema=A", AddressFault::Schema),
            ("postgres://u:sesame@h/d?schema=a;b", AddressFault::Schema),
            ("postgres://u:sesame@h/d?schema=pg_x", AddressFault::Schema),
            ("postgres://u:sesame@h/d?schema=", AddressFault::Schema),
            ("postgres://u:sesame@h/d?options=x", AddressFault::Setting),
        ] {
            assert_eq!(parse(text), Err(fault), "{text}");
            let message = PostgresAddress::parse(text).unwrap_err().to_string();
            assert!(!message.contains("sesame"), "{message}");
        }
        let shown = format!("{:?}", PostgresAddress::parse("postgres://me:sesame@h/d").unwrap());
        assert!(!shown.contains("sesame") && !shown.contains("me:"), "{shown}");
    }
}
