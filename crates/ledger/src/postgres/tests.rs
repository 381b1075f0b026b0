//! Tests of the store with a real server.

use super::server_for_tests::{Server, client_config};
use super::{PostgresAddress, PostgresStore};
use crate::durability::Access;
use crate::event::event::{Blob, Head};
use crate::hash::Hash;
use crate::ledger_error::{LedgerError, Reason};
use crate::store::{CheckpointRow, Store};
use crate::store_contract::{CHECKS, add, count_whole, some};
use crate::verification::ProblemKind;
use crate::verify::{Evidence, verify};
use rustls::RootCertStore;
use std::sync::Arc;

pub(super) fn open(server: &Server, address: &str, access: Access) -> PostgresStore {
    PostgresStore::new(PostgresAddress::parse(address).unwrap(), server.tls(), access)
}

#[test]
fn postgres_passes_the_store_contract() {
    let Some(server) = Server::shared() else { return };
    for (_, check) in CHECKS {
        let address = server.address();
        check(&|access| Box::new(open(&server, &address, access)));
    }
}

#[test]
fn manipulation_by_statements_is_found_with_its_position() {
    let Some(server) = Server::shared() else { return };
    for (tamper, kind, seq) in [
        ("update @.events set content = replace(content, 'tester', 'nobody') where seq = 4", ProblemKind::Changed, 4),
        ("update @.events set hash = decode(repeat('ab', 32), 'hex') where seq = 5", ProblemKind::Changed, 5),
        ("update @.events set hash = 'x' where seq = 5", ProblemKind::Changed, 5),
        ("update @.events set tool = 'other' where seq = 6", ProblemKind::Changed, 6),
        ("update @.events set session = null where seq = 6", ProblemKind::Changed, 6),
        ("update @.events set at = at + 1 where seq = 7", ProblemKind::Changed, 7),
        ("update @.events set kind = 99 where seq = 7", ProblemKind::Changed, 7),
        ("delete from @.events where seq = 8", ProblemKind::Missing, 8),
        ("delete from @.events where seq = 1", ProblemKind::Missing, 1),
        (
            "update @.events set seq = seq + 1000 where seq in (2, 3); update @.events set seq = 1005 - seq \
                where seq > 1000",
            ProblemKind::Order,
            2,
        ),
        ("alter table @.events alter column hash type text using encode(hash, 'hex')", ProblemKind::Changed, 1),
        ("alter table @.events enable row level security", ProblemKind::Changed, 0),
        ("create rule r as on insert to @.events do instead nothing", ProblemKind::Changed, 0),
    ] {
        let address = server.address();
        let store = open(&server, &address, Access::ReadWrite);
        add(&store, "p.1", &some(20));
        let evidence = Evidence { key: None, notes: &[], witnesses: &[] };
        let whole = verify(&store, &evidence).unwrap();
        assert_eq!((whole.events, &whole.problem), (20, &None));
        let schema = format!("{}.", PostgresAddress::parse(&address).unwrap().schema);
        let statements = tamper.replace("@.", &schema);
        server.admin(&statements.split("; ").collect::<Vec<_>>());
        let problem = verify(&store, &evidence).unwrap().problem.unwrap_or_else(|| panic!("not found: {tamper}"));
        assert_eq!((problem.kind, problem.seq), (kind, seq), "{tamper}: {}", problem.message);
    }
}

#[test]
fn connection_errors_have_their_reason() {
    let Some(server) = Server::shared() else { return };
    server.admin(&[
        "create role scram login password 'right'",
        "create role open login password 'right'",
        "set password_encryption = 'md5'",
        "create role old login password 'right'",
        "create role nobody login",
        "create database latin encoding 'LATIN1' template template0",
        "grant create on database postgres to scram, open",
    ]);
    let local = format!("127.0.0.1:{}", server.port());
    let head = |address: &str| open(&server, address, Access::ReadWrite).head();
    let unreachable = |reason| Err(LedgerError::Unreachable(reason));
    let at = |user: &str, rest: &str| format!("postgres://{user}@{local}/{rest}");
    assert_eq!(head(&at("scram:right", "postgres?schema=s1")), Ok(Head::NONE));
    assert_eq!(head(&at("open:right", "postgres?schema=s2")), Ok(Head::NONE));
    for (address, reason) in [
        (at("scram:mistaken-secret", "postgres"), Reason::Login),
        (at("open:mistaken-secret", "postgres"), Reason::Login),
        (at("stranger", "postgres"), Reason::Login),
        (at("old:right", "postgres"), Reason::LoginMethod),
        (at("nobody", "postgres?schema=s3"), Reason::NotAllowed),
        (at("postgres", "nowhere"), Reason::NoDatabase),
        (at("postgres", "latin"), Reason::Encoding),
        ("postgres://postgres@127.0.0.1:1/postgres".to_owned(), Reason::Connection),
        ("postgres://postgres@nowhere.invalid/postgres".to_owned(), Reason::NoHost),
    ] {
        assert_eq!(head(&address), unreachable(reason), "{address}");
        assert!(!head(&address).unwrap_err().to_string().contains("mistaken-secret"));
    }
    let reader = open(&server, &at("scram:right", "postgres?schema=s4"), Access::ReadOnly);
    assert_eq!(reader.head(), unreachable(Reason::NotFound));
}

#[test]
fn an_encrypted_connection_requires_a_trusted_server() {
    let Some(server) = Server::shared() else { return };
    let port = server.port();
    server.admin(&["create schema tls"]);
    for host in ["localhost", "127.0.0.1"] {
        let address = format!("postgres://postgres@{host}:{port}/postgres?sslmode=verify-full&schema=tls");
        let store = open(&server, &address, Access::ReadWrite);
        add(&store, &format!("{host}.1"), &some(300));
    }
    let address = format!("postgres://postgres@127.0.0.1:{port}/postgres?sslmode=require&schema=tls");
    let address = PostgresAddress::parse(&address).unwrap();
    let roots = || RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let stranger = Arc::new(move || Some(client_config(roots())));
    let store = PostgresStore::new(address.clone(), stranger, Access::ReadWrite);
    assert_eq!(store.head(), Err(LedgerError::Unreachable(Reason::Untrusted)));
    let store = PostgresStore::new(address, Arc::new(|| None), Access::ReadWrite);
    assert_eq!(store.head(), Err(LedgerError::Unreachable(Reason::Untrusted)));
}

#[test]
fn a_role_that_only_adds_cannot_change_events() {
    let Some(server) = Server::shared() else { return };
    let address = server.address();
    let schema = PostgresAddress::parse(&address).unwrap().schema;
    open(&server, &address, Access::ReadWrite).head().unwrap();
    let grants = [
        "create role adder login".to_owned(),
        format!("grant usage on schema {schema} to adder"),
        format!("grant select on all tables in schema {schema} to adder"),
        format!("grant insert on {schema}.events, {schema}.blobs, {schema}.checkpoints to adder"),
        format!("grant update (last) on {schema}.blobs to adder"),
        format!("grant insert, update, delete on {schema}.spools to adder"),
    ];
    server.admin(&grants.iter().map(String::as_str).collect::<Vec<_>>());
    let store = open(&server, &address.replace("postgres@", "adder@"), Access::ReadWrite);
    let mut events = some(4);
    for event in &mut events {
        let bytes = b"value".to_vec();
        event.blobs = vec![Blob { hash: Hash::of(&bytes), bytes }];
    }
    add(&store, "p.1", &events);
    add(&store, "p.1", &events);
    store.forget_spool("p.1").unwrap();
    let row = CheckpointRow { size: 8, note: "n".to_owned() };
    store.keep_checkpoint(&row).unwrap();
    assert_eq!(count_whole(&store), 8);
    assert_eq!(store.drop_to(&store.head().unwrap()), Err(LedgerError::Unreachable(Reason::NotAllowed)));
    assert_eq!(count_whole(&store), 8);
}
