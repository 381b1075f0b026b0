//! Startup and authentication of a connection.

use super::address::PostgresAddress;
use super::bytes::{chunk, name, refusal, text};
use super::failure::Failure;
use super::scram::{HEADER, MECHANISM, first, prove};
use super::wire::{Wire, put_name};
use crate::ledger_error::Reason;

/// Protocol version 3.0.
const PROTOCOL: i32 = 196_608;
const APPLICATION: &str = "tgp-ledger";

/// The state of the password proof.
enum Proof {
    None,
    /// With the first message.
    Begun(String),
    /// With the answer that proves that the server knows the password.
    Given(String),
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
    let is_secret = wire.stream().is_secret();
    let mut proof = Proof::None;
    loop {
        let (letter, mut body) = wire.receive()?;
        match letter {
            b'R' => {}
            b'E' => return Err(refusal(body)),
            // A notice, or a protocol version negotiation.
            b'N' | b'v' => continue,
            _ => return Err(Failure::Garbled),
        }
        proof = match (i32::from_be_bytes(chunk(&mut body)?), proof) {
            (0, Proof::None | Proof::Mutual) => return Ok(()),
            (3, Proof::None) if is_secret => {
                answer(wire, &|out| put_name(out, password))?;
                Proof::None
            }
            (10, Proof::None) if offers(body, MECHANISM)? => {
                let first = first()?;
                let opening = format!("{HEADER}{first}");
                let length = i32::try_from(opening.len()).map_err(|_| Failure::Garbled)?;
                answer(wire, &|out| {
                    put_name(out, MECHANISM);
                    out.extend_from_slice(&length.to_be_bytes());
                    out.extend_from_slice(opening.as_bytes());
                })?;
                Proof::Begun(first)
            }
            (11, Proof::Begun(first)) => {
                let (second, expected) = prove(password, &first, text(body)?).ok_or(Failure::Garbled)?;
                answer(wire, &|out| out.extend_from_slice(second.as_bytes()))?;
                Proof::Given(expected)
            }
            // The received proof is not secret, so the comparison need not be in constant time.
            (12, Proof::Given(expected)) if expected == text(body)? => Proof::Mutual,
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
        let (letter, mut body) = wire.receive()?;
        match letter {
            b'S' => {
                if name(&mut body)? == "server_encoding" {
                    is_utf8 = name(&mut body)? == "UTF8";
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
fn offers(mut list: &[u8], mechanism: &str) -> Result<bool, Failure> {
    loop {
        match name(&mut list)? {
            "" => return Ok(false),
            offered if offered == mechanism => return Ok(true),
            _ => {}
        }
    }
}

fn answer(wire: &mut Wire, write: &dyn Fn(&mut Vec<u8>)) -> Result<(), Failure> {
    wire.put(Some(b'p'), write)?;
    wire.send()
}
