//! Tests with a server that does not answer, sends only notices, or attacks the client.

use super::address::PostgresAddress;
use super::connection::Connection;
use super::connections::Connections;
use super::deadline::Deadline;
use super::failure::Failure;
use crate::ledger_error::Reason;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{sleep, spawn};
use std::time::{Duration, Instant};

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

fn drips_after_login(mut socket: TcpStream) {
    socket.write_all(READY).unwrap();
    socket.write_all(b"N\0\x7f\xff\xff").unwrap();
    while socket.write_all(&[0]).is_ok() {
        sleep(Duration::from_millis(20));
    }
}

/// A row of 2 GiB is announced.
fn announces_too_much(mut socket: TcpStream) {
    socket.write_all(READY).unwrap();
    socket.write_all(b"D\x7f\xff\xff\xff").unwrap();
    silent(socket);
}

fn requests_md5(mut socket: TcpStream) {
    socket.write_all(b"R\0\0\0\x0c\0\0\0\x05salt").unwrap();
    silent(socket);
}

/// SCRAM with so many rounds that they would take hours.
fn requests_many_rounds(mut socket: TcpStream) {
    let mut message = [0; 1024];
    let startup = socket.read(&mut message).unwrap();
    assert!(startup > 8);
    socket.write_all(b"R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-256\0\0").unwrap();
    let length = socket.read(&mut message).unwrap();
    let (_, nonce) = std::str::from_utf8(&message[..length]).unwrap().split_once(",r=").unwrap();
    let challenge = format!("r={nonce}x,s=c2FsdA==,i=4000000000");
    socket.write_all(b"R").unwrap();
    socket.write_all(&u32::try_from(challenge.len() + 8).unwrap().to_be_bytes()).unwrap();
    socket.write_all(&[0, 0, 0, 11]).unwrap();
    socket.write_all(challenge.as_bytes()).unwrap();
    silent(socket);
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
    for behaviour in [silent, remarks, remarks_after_login, drips_after_login] as [Behaviour; 4] {
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

#[test]
fn an_attack_fails_at_once() {
    let no_method = Failure::Unfit(Reason::LoginMethod);
    for (behaviour, failure) in [
        (announces_too_much as Behaviour, Failure::Garbled),
        (requests_md5, no_method),
        (requests_many_rounds, Failure::Garbled),
    ] {
        let (address, _) = start(behaviour);
        let connections = Connections::new(address, Arc::new(|| None));
        let begin = Instant::now();
        let outcome = connections.with(Deadline::within(LIMIT * 100), |connection| connection.run("select 1", &[]));
        assert_eq!(outcome, Err(failure));
        assert!(begin.elapsed() < LIMIT * 50);
    }
}
