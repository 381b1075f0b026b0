//! The way to the server: in the open, or encrypted.

use super::address::{Encryption, PostgresAddress};
use super::failure::Failure;
use crate::ledger_error::Reason;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use socket2::{SockRef, TcpKeepalive};
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

/// A server that has not answered after this long is not there.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Addresses of one name that are tried.
const MAX_TRIED: usize = 4;
/// More than statements may take, so that it is the server who ends them.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(40);
const KEEPALIVE: TcpKeepalive = TcpKeepalive::new().with_time(Duration::from_secs(30));
/// Asks whether the server speaks TLS.
const TLS_REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];

/// Makes the settings of TLS, when a connection needs them; `None` when the machine trusts nobody. Whom to trust is decided
/// elsewhere, once for all that leaves the machine.
pub type TlsSettings = Arc<dyn Fn() -> Option<Arc<ClientConfig>> + Send + Sync>;

pub(super) enum Stream {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ClientConnection, TcpStream>>),
}

impl Stream {
    pub(super) fn open(address: &PostgresAddress, tls: &TlsSettings) -> Result<Self, Failure> {
        let socket = connect(&address.host, address.port)?;
        // What cannot be set is not needed for the answer to be right.
        let _ = socket.set_nodelay(true);
        let _ = SockRef::from(&socket).set_tcp_keepalive(&KEEPALIVE);
        socket.set_read_timeout(Some(ANSWER_TIMEOUT))?;
        socket.set_write_timeout(Some(ANSWER_TIMEOUT))?;
        match address.encryption {
            Encryption::None => Ok(Self::Plain(socket)),
            Encryption::Verified => encrypt(socket, address, tls),
        }
    }

    /// Whether a password may go this way as it is.
    pub(super) fn is_secret(&self) -> bool {
        match self {
            Self::Plain(socket) => socket.peer_addr().is_ok_and(|peer| peer.ip().is_loopback()),
            Self::Tls(_) => true,
        }
    }
}

fn connect(host: &str, port: u16) -> Result<TcpStream, Failure> {
    let found = (host, port).to_socket_addrs().map_err(|_| Failure::Unfit(Reason::NoHost))?;
    let mut failure = Failure::Unfit(Reason::NoHost);
    for place in found.take(MAX_TRIED) {
        match TcpStream::connect_timeout(&place, CONNECT_TIMEOUT) {
            Ok(socket) => return Ok(socket),
            Err(error) => failure = error.into(),
        }
    }
    Err(failure)
}

fn encrypt(mut socket: TcpStream, address: &PostgresAddress, tls: &TlsSettings) -> Result<Stream, Failure> {
    socket.write_all(&TLS_REQUEST)?;
    // One byte, not one more: what follows must be encrypted.
    let mut answer = [0];
    socket.read_exact(&mut answer)?;
    if answer != *b"S" {
        return Err(Failure::Unfit(Reason::NoTls));
    }
    let name = ServerName::try_from(address.host.clone()).map_err(|_| Failure::Unfit(Reason::NoHost))?;
    let settings = tls().ok_or(Failure::Unfit(Reason::Untrusted))?;
    let mut client = ClientConnection::new(settings, name).map_err(|_| Failure::Lost)?;
    while client.is_handshaking() {
        client.complete_io(&mut socket).map_err(|error| failure_of_handshake(&error))?;
    }
    Ok(Stream::Tls(Box::new(StreamOwned::new(client, socket))))
}

fn failure_of_handshake(error: &io::Error) -> Failure {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    if matches!(inner, Some(rustls::Error::InvalidCertificate(_))) {
        Failure::Unfit(Reason::Untrusted)
    } else {
        Failure::from(io::Error::from(error.kind()))
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.read(buffer),
            Self::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(socket) => socket.write(bytes),
            Self::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(socket) => socket.flush(),
            Self::Tls(stream) => stream.flush(),
        }
    }
}
