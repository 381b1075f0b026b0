//! Startup and authentication of a connection.

use super::address::PostgresAddress;
use super::bytes::Bytes;
use super::failure::{Failure, SqlState};
use super::scram::{Expected, MECHANISM, Scram};
use super::wire::Wire;
use crate::ledger_error::Reason;
use std::str::from_utf8;

/// Protocol version 3.0.
const PROTOCOL: i32 = 196_608;
const APPLICATION: &str = "tgp-ledger";

/// The state of the password proof.
enum Proof {
    None,
    Begun(Scram),
    Given(Expected),
    /// The server has proved that it knows the password.
    Mutual,
}

/// Logs in. Afterwards the server is ready for queries.
pub(super) fn log_in(wire: &mut Wire, address: &PostgresAddress) -> Result<(), Failure> {
    wire.put(None, &|out| {
        out.extend_from_slice(&PROTOCOL.to_be_bytes());
        for (name, value) in [
            ("user", address.user.as_str()),
            ("database", &address.database),
            ("client_encoding", "UTF8"),
            ("application_name", APPLICATION),
        ] {
            put_name(out, name);
            put_name(out, value);
        }
        out.push(0);
    })?;
    wire.send()?;
    authenticate(wire, &address.password)?;
    wait_until_ready(wire)
}

fn authenticate(wire: &mut Wire, password: &str) -> Result<(), Failure> {
    let mut proof = Proof::None;
    loop {
        let (letter, body) = wire.receive()?;
        let mut body = Bytes(body);
        match letter {
            b'R' => {}
            b'E' => return Err(refusal(body)),
            // A notice, or a protocol version negotiation.
            b'N' | b'v' => continue,
            _ => return Err(Failure::Garbled),
        }
        proof = match (body.int()?, proof) {
            (0, Proof::None | Proof::Mutual) => return Ok(()),
            (3, Proof::None) => {
                if !wire.is_secret() {
                    return Err(Failure::Unfit(Reason::LoginMethod));
                }
                answer(wire, &|out| put_name(out, password))?;
                Proof::None
            }
            (10, Proof::None) => {
                if !offers(body, MECHANISM)? {
                    return Err(Failure::Unfit(Reason::LoginMethod));
                }
                let scram = Scram::begin()?;
                let first = scram.first();
                let length = i32::try_from(first.len()).map_err(|_| Failure::Garbled)?;
                answer(wire, &|out| {
                    put_name(out, MECHANISM);
                    out.extend_from_slice(&length.to_be_bytes());
                    out.extend_from_slice(first.as_bytes());
                })?;
                Proof::Begun(scram)
            }
            (11, Proof::Begun(scram)) => {
                let (second, expected) = scram.second(password, text(body)?)?;
                answer(wire, &|out| out.extend_from_slice(second.as_bytes()))?;
                Proof::Given(expected)
            }
            (12, Proof::Given(expected)) if expected.is(text(body)?) => Proof::Mutual,
            // A login without a proof of the password, or with an invalid one, is rejected.
            (0 | 11 | 12, _) => return Err(Failure::Unfit(Reason::Login)),
            _ => return Err(Failure::Unfit(Reason::LoginMethod)),
        };
    }
}

/// Reads the server's parameters until it is ready.
fn wait_until_ready(wire: &mut Wire) -> Result<(), Failure> {
    let mut is_utf8 = false;
    loop {
        let (letter, body) = wire.receive()?;
        let mut body = Bytes(body);
        match letter {
            b'S' => {
                if body.name()? == "server_encoding" {
                    is_utf8 = body.name()? == "UTF8";
                }
            }
            b'K' | b'N' | b'v' => {}
            b'E' => return Err(refusal(body)),
            b'Z' if is_utf8 => return Ok(()),
            b'Z' => return Err(Failure::Unfit(Reason::Encoding)),
            _ => return Err(Failure::Garbled),
        }
    }
}

/// Whether the list of SASL mechanisms contains this one.
fn offers(mut list: Bytes<'_>, mechanism: &str) -> Result<bool, Failure> {
    loop {
        match list.name()? {
            "" => return Ok(false),
            name if name == mechanism => return Ok(true),
            _ => {}
        }
    }
}

fn answer(wire: &mut Wire, write: &dyn Fn(&mut Vec<u8>)) -> Result<(), Failure> {
    wire.put(Some(b'p'), write)?;
    wire.send()
}

fn put_name(out: &mut Vec<u8>, name: &str) {
    out.extend_from_slice(name.as_bytes());
    out.push(0);
}

fn text(body: Bytes<'_>) -> Result<&str, Failure> {
    from_utf8(body.0).map_err(|_| Failure::Garbled)
}

/// Parses an error message.
pub(super) fn refusal(mut body: Bytes<'_>) -> Failure {
    while let Ok(field) = body.byte() {
        // Fields may be in any encoding.
        let Some(end) = body.0.iter().position(|byte| *byte == 0) else { break };
        let Ok(value) = body.take(end) else { break };
        if field == b'C' {
            return value.try_into().map_or(Failure::Garbled, |state| Failure::Refused(SqlState(state)));
        }
        if body.byte().is_err() {
            break;
        }
    }
    Failure::Garbled
}
