//! A server that accepts connections and says nothing, or nothing of use.

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
/// A remark of the server, without fields.
const NOTICE: [u8; 6] = [b'N', 0, 0, 0, 5, 0];
/// The login is done, text is UTF-8, and the server waits for a query.
const READY: &[u8] = b"R\0\0\0\x08\0\0\0\0S\0\0\0\x19server_encoding\0UTF8\0Z\0\0\0\x05I";

/// What a server does with a connection after it was asked for a login.
type Behaviour = fn(TcpStream);

fn silent(mut socket: TcpStream) {
    // Until the client goes.
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

/// A server on this machine, and how many connections it has accepted.
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
fn an_operation_ends_at_its_deadline_whatever_the_server_says() {
    for behaviour in [silent, remarks, remarks_after_login] as [Behaviour; 3] {
        let (address, accepted) = start(behaviour);
        let connections = Connections::new(address, Arc::new(|| None));
        let ask = || connections.with(Deadline::within(LIMIT), |connection| connection.run("select 1", &[]));
        assert_eq!(ask(), Err(Failure::Late));
        for _ in 0..100 {
            assert_eq!(ask(), Err(Failure::Late));
        }
        assert_eq!(accepted.load(Ordering::Relaxed), 1, "a silent server is not waited for by each caller");
    }
}

#[test]
fn remarks_do_not_prolong_a_statement_of_a_long_operation() {
    let (address, _) = start(remarks_after_login);
    let mut connection = Connection::open(&address, &(Arc::new(|| None) as _), Deadline::each(LIMIT)).unwrap();
    assert_eq!(connection.run("select 1", &[]), Err(Failure::Late));
}
