//! Misbehaving servers, timeouts and cancellation.

use crate::{ExchangeFailure, ExchangeRequest, Exchanges, NamedProxy, ProxyChoice, Route};
use std::io::{Read, Write, repeat};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};
use tgp_base::threads::spawn_failure;

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(300);
const SOON: Duration = Duration::from_secs(20);

/// Starts a server that handles one connection; returns its address.
fn server(serve: impl FnOnce(TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    thread::spawn(move || serve(listener.accept().unwrap().0));
    url
}

fn request(url: String, body: Option<u64>) -> ExchangeRequest {
    ExchangeRequest {
        method: if body.is_some() { "POST" } else { "GET" },
        url,
        headers: vec![("x-one", "1".to_owned())],
        body: body.map(|length| (Box::new(repeat(7).take(length)) as Box<dyn Read + Send>, length)),
        total_timeout: LONG,
        read_idle_timeout: LONG,
        write_idle_timeout: LONG,
    }
}

fn exchanges() -> Exchanges {
    Exchanges::new(Route::default(), "test")
}

/// The head of a request.
fn read_head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() > 0 {
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap().to_ascii_lowercase()
}

#[test]
fn a_long_body_is_sent_completely_and_the_answer_is_not_decoded() {
    const LENGTH: u64 = 3 << 20;
    let (sender, received) = channel();
    let url = server(move |mut stream| {
        let head = read_head(&mut stream);
        let mut body = vec![0; usize::try_from(LENGTH).unwrap()];
        stream.read_exact(&mut body).unwrap();
        sender.send((head, body.iter().all(|byte| *byte == 7))).unwrap();
        stream
            .write_all(b"HTTP/1.1 302 Found\r\nlocation: /x\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nraw!")
            .unwrap();
    });
    let exchanges = exchanges();
    let mut answer = exchanges.start(request(url, Some(LENGTH))).unwrap().answer().unwrap();
    let (head, is_whole) = received.recv().unwrap();
    assert!(is_whole && head.contains("content-length: 3145728") && head.contains("x-one: 1"), "{head}");
    assert!(!head.contains("transfer-encoding") && !head.contains("accept-encoding"), "{head}");
    let mut text = String::new();
    answer.body.read_to_string(&mut text).unwrap();
    assert_eq!((answer.status, text.as_str()), (302, "raw!"));
}

#[test]
fn a_server_that_neither_reads_nor_answers_times_out() {
    let exchanges = exchanges();
    let start = Instant::now();
    let silent = || {
        server(|stream| {
            thread::sleep(LONG);
            drop(stream);
        })
    };
    let slow_read = ExchangeRequest { write_idle_timeout: SHORT, ..request(silent(), Some(1 << 30)) };
    let slow_answer = ExchangeRequest { total_timeout: SHORT, ..request(silent(), None) };
    let half = server(|mut stream| {
        read_head(&mut stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf").unwrap();
        thread::sleep(LONG);
    });
    for request in [slow_read, slow_answer] {
        let end = exchanges.start(request).unwrap().answer().err();
        assert_eq!(end, Some(ExchangeFailure::TimedOut));
    }
    let half = ExchangeRequest { read_idle_timeout: SHORT, ..request(half, None) };
    let mut answer = exchanges.start(half).unwrap().answer().unwrap();
    let end = answer.body.read_to_end(&mut Vec::new()).unwrap_err();
    assert_eq!(end.to_string(), ExchangeFailure::TimedOut.to_string());
    assert!(start.elapsed() < SOON);
}

#[test]
fn an_answer_before_the_end_of_the_body_is_received() {
    let url = server(|mut stream| {
        read_head(&mut stream);
        stream.write_all(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno").unwrap();
        thread::sleep(LONG);
    });
    let exchanges = exchanges();
    let mut answer = exchanges.start(request(url, Some(1 << 30))).unwrap().answer().unwrap();
    let mut text = String::new();
    answer.body.read_to_string(&mut text).unwrap();
    assert_eq!((answer.status, text.as_str()), (403, "no"));
}

#[test]
fn cancelling_closes_the_connection() {
    let (head_sender, head_received) = channel();
    let (sender, received) = channel();
    let url = server(move |mut stream| {
        read_head(&mut stream);
        head_sender.send(()).unwrap();
        sender.send(stream.read(&mut [0]).unwrap_or_default()).unwrap();
    });
    let exchanges = exchanges();
    let exchange = exchanges.start(request(url, None)).unwrap();
    let cancel = exchange.canceller();
    let waiting = thread::spawn(move || exchange.answer().err());
    head_received.recv_timeout(SOON).unwrap();
    cancel();
    assert_eq!(waiting.join().unwrap(), Some(ExchangeFailure::Broken));
    assert_eq!(received.recv_timeout(SOON), Ok(0), "the connection is closed");
}

#[test]
fn failures_are_reported_without_the_address() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let exchanges = exchanges();
    let end = |url: String| exchanges.start(request(url, None)).and_then(|exchange| exchange.answer().map(drop));
    let refused = ExchangeFailure::Connection(std::io::ErrorKind::ConnectionRefused);
    assert_eq!(end(format!("http://{closed}/")), Err(refused));
    let unknown = end("http://nowhere.invalid/".to_owned());
    // An unreachable resolver fails late, or not at all.
    assert!(matches!(unknown, Err(ExchangeFailure::UnknownHost | ExchangeFailure::TimedOut)), "{unknown:?}");
    assert_eq!(end("no address".to_owned()), Err(ExchangeFailure::Other));
    let endless = server(|mut stream| {
        read_head(&mut stream);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while stream.write_all(format!("x: {}\r\n", "y".repeat(60_000)).as_bytes()).is_ok() {}
    });
    assert!(end(endless).is_err(), "headers are bounded");
}

#[test]
fn a_failed_thread_start_is_retried() {
    let url = server(|mut stream| {
        read_head(&mut stream);
        stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").unwrap();
    });
    let exchanges = exchanges();
    let refused = spawn_failure::during("tgp-git-net", || exchanges.start(request(url.clone(), None)).err());
    assert_eq!(refused, Some(ExchangeFailure::NoRuntime));
    assert_eq!(exchanges.start(request(url, None)).unwrap().answer().unwrap().status, 204);
}

#[test]
fn a_no_proxy_wildcard_bypasses_the_proxy() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (sender, requests) = channel();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            sender.send(read_head(&mut stream)).unwrap();
            stream.write_all(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n").unwrap();
        }
    });
    let proxy = NamedProxy::parse(&url, &["*.corp.invalid".to_owned()]).unwrap();
    let route = Route { proxy: ProxyChoice::Through(proxy), ..Route::default() };
    let exchanges = Exchanges::new(route, "test");
    let end = |url: &str| exchanges.start(request(url.to_owned(), None)).unwrap().answer();
    assert!(end("http://git.corp.invalid/").is_err());
    assert_eq!(end("http://git.other.invalid/").unwrap().status, 204);
    assert!(requests.recv_timeout(SOON).unwrap().contains("git.other.invalid"), "the first request to the proxy");
}
