//! Tests with a server that accepts connections and does not answer, or sends only notices.

use super::address::PostgresAddress;
use super::connection::Connection;
use super::connections::Connections;
use super::deadline::Deadline;
use super::failure::Failure;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{sleep, spawn};
use std::time::Duration;

const LIMIT: Duration = Duration::from_millis(300);
/// A notice without fields.
const NOTICE: [u8; 6] = [b'N', 0, 0, 0, 5, 0];
/// The messages of a completed login with UTF-8.
const READY: &[u8] = b"R\0\0\0\x08\0\0\0\0S\0\0\0\x19server_encoding\0UTF8\0Z\0\0\0\x05I";

/// The server's behaviour after the startup message.
type Behaviour = fn(TcpStream);

fn silent(mut socket: TcpStream) {
    // Until the client disconnects.
    let _gone = socket.read_to_end(&mut Vec::new());
}

fn remarks(mut socket: TcpStream) {
    while socket.write_all(&NOTICE).is_ok() {
        sleep(Duration::from_millis(20));
    }
}

fn remarks_after_login(mut socket: TcpStream) {
    socket.write_all(READY).unwrap();
    remarks(socket);
}

/// A local server, and the number of accepted connections.
fn start(behaviour: Behaviour) -> (PostgresAddress, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let accepted = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&accepted);
    spawn(move || {
        for socket in listener.incoming().flatten() {
            count.fetch_add(1, Ordering::Relaxed);
            spawn(move || behaviour(socket));
        }
    });
    (PostgresAddress::parse(&format!("postgres://me@127.0.0.1:{port}/db")).unwrap(), accepted)
}

#[test]
fn an_operation_ends_at_its_deadline_for_any_server() {
    for behaviour in [silent, remarks, remarks_after_login] as [Behaviour; 3] {
        let (address, accepted) = start(behaviour);
        let connections = Connections::new(address, Arc::new(|| None));
        let ask = || connections.with(Deadline::within(LIMIT), |connection| connection.run("select 1", &[]));
        assert_eq!(ask(), Err(Failure::Late));
        for _ in 0..100 {
            assert_eq!(ask(), Err(Failure::Late));
        }
        assert_eq!(accepted.load(Ordering::Relaxed), 1, "not every caller waits for a silent server");
    }
}

#[test]
fn notices_do_not_extend_the_deadline_of_a_statement() {
    let (address, _) = start(remarks_after_login);
    let mut connection = Connection::open(&address, &(Arc::new(|| None) as _), Deadline::each(LIMIT)).unwrap();
    assert_eq!(connection.run("select 1", &[]), Err(Failure::Late));
}
