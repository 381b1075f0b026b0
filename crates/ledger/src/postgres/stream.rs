//! The network stream to the server: plain or TLS.

use super::address::{Encryption, PostgresAddress};
use super::deadline::{Deadline, Socket};
use super::failure::Failure;
use crate::ledger_error::Reason;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use socket2::{SockRef, TcpKeepalive};
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

/// The most addresses of a host that are tried.
const MAX_TRIED: usize = 4;
const KEEPALIVE: TcpKeepalive = TcpKeepalive::new().with_time(Duration::from_secs(30));
/// The TLS request message.
const TLS_REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];

/// Creates the TLS configuration on demand; `None` if there are no trusted roots. The trust policy is decided by the caller
/// for all outgoing connections.
pub type TlsSettings = Arc<dyn Fn() -> Option<Arc<ClientConfig>> + Send + Sync>;

pub(super) enum Stream {
    Plain(Socket),
    Tls(Box<StreamOwned<ClientConnection, Socket>>),
}

trait Duplex: Read + Write {}
impl<T: Read + Write> Duplex for T {}

impl Stream {
    pub(super) fn open(address: &PostgresAddress, tls: &TlsSettings, deadline: Deadline) -> Result<Self, Failure> {
        let tcp = connect(&address.host, address.port, deadline)?;
        // On failure the connection is only slower.
        let _ = tcp.set_nodelay(true);
        let _ = SockRef::from(&tcp).set_tcp_keepalive(&KEEPALIVE);
        let socket = Socket { tcp, deadline };
        match address.encryption {
            Encryption::None => Ok(Self::Plain(socket)),
            Encryption::Verified => encrypt(socket, address, tls),
        }
    }

    fn duplex(&mut self) -> &mut dyn Duplex {
        match self {
            Self::Plain(socket) => socket,
            Self::Tls(stream) => stream.as_mut(),
        }
    }

    /// The deadline of the current operation.
    pub(super) fn deadline(&mut self) -> &mut Deadline {
        match self {
            Self::Plain(socket) => &mut socket.deadline,
            Self::Tls(stream) => &mut stream.sock.deadline,
        }
    }

    /// Whether a plain-text password may be sent.
    pub(super) fn is_secret(&self) -> bool {
        match self {
            Self::Plain(socket) => socket.tcp.peer_addr().is_ok_and(|peer| peer.ip().is_loopback()),
            Self::Tls(_) => true,
        }
    }
}

fn connect(host: &str, port: u16, deadline: Deadline) -> Result<TcpStream, Failure> {
    let found = (host, port).to_socket_addrs().map_err(|_| Failure::Unfit(Reason::NoHost))?;
    let places: Vec<_> = found.take(MAX_TRIED).collect();
    let mut failure = Failure::Unfit(Reason::NoHost);
    for (place, to_try) in places.iter().zip((1..=u32::try_from(places.len()).unwrap_or(1)).rev()) {
        // An unresponsive address leaves time for the others.
        match TcpStream::connect_timeout(place, deadline.left()? / to_try) {
            Ok(socket) => return Ok(socket),
            Err(error) => failure = error.into(),
        }
    }
    Err(failure)
}

fn encrypt(mut socket: Socket, address: &PostgresAddress, tls: &TlsSettings) -> Result<Stream, Failure> {
    socket.write_all(&TLS_REQUEST)?;
    // Exactly one byte is read, since everything after it must be encrypted.
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
        self.duplex().read(buffer)
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.duplex().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.duplex().flush()
    }
}
