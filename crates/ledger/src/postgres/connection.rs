//! A connection to the server: sends statements, receives rows.

use super::address::PostgresAddress;
use super::bytes::{Row, refusal};
use super::deadline::Deadline;
use super::failure::Failure;
use super::login::log_in;
use super::stream::{Stream, TlsSettings};
use super::wire::{Wire, put_name};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// The most pipelined statements: their answers must fit into the socket buffers.
const MAX_UNDER_WAY: usize = 512;
/// The deadline for closing a connection.
const CLOSE_LIMIT: Duration = Duration::from_millis(100);

/// A value in a statement.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value<'a> {
    Integer(i64),
    Text(&'a str),
    MaybeText(Option<&'a str>),
    Bytes(&'a [u8]),
}

impl Value<'_> {
    /// The server's type OID.
    const fn kind(self) -> i32 {
        match self {
            Self::Integer(_) => 20,
            Self::Text(_) | Self::MaybeText(_) => 25,
            Self::Bytes(_) => 17,
        }
    }

    fn write(self, out: &mut Vec<u8>) {
        match self {
            Self::Integer(value) => put_field(out, &value.to_be_bytes()),
            Self::Text(text) | Self::MaybeText(Some(text)) => put_field(out, text.as_bytes()),
            Self::MaybeText(None) => out.extend_from_slice(&(-1_i32).to_be_bytes()),
            Self::Bytes(bytes) => put_field(out, bytes),
        }
    }
}

/// Visits each row.
type Visit<'a> = &'a mut dyn FnMut(Row<'_>) -> Result<(), Failure>;

pub(super) struct Connection {
    wire: Wire,
    /// Whether it can be reused: nothing is queued, and no transaction is open.
    pub(super) is_idle: bool,
    /// The number of queued statements without an answer.
    under_way: usize,
    used: Instant,
}

impl Connection {
    pub(super) fn open(address: &PostgresAddress, tls: &TlsSettings, deadline: Deadline) -> Result<Self, Failure> {
        let mut wire = Wire::new(Stream::open(address, tls, deadline)?);
        log_in(&mut wire, address)?;
        Ok(Self { wire, is_idle: true, under_way: 0, used: Instant::now() })
    }

    /// Sets the deadline of the next operation.
    pub(super) fn set_deadline(&mut self, deadline: Deadline) {
        *self.deadline() = deadline;
    }

    fn deadline(&mut self) -> &mut Deadline {
        self.wire.stream().deadline()
    }

    /// The time since the server's last answer.
    pub(super) fn idle_for(&self) -> Duration {
        self.used.elapsed()
    }

    /// Runs one statement; `visit` receives its rows.
    pub(super) fn query(&mut self, sql: &str, values: &[Value<'_>], visit: Visit<'_>) -> Result<(), Failure> {
        self.put(sql, values)?;
        self.finish_with(visit)
    }

    /// Runs one statement and ignores its rows.
    pub(super) fn run(&mut self, sql: &str, values: &[Value<'_>]) -> Result<(), Failure> {
        self.query(sql, values, &mut |_| Ok(()))
    }

    /// Queues a statement for `finish`.
    pub(super) fn put(&mut self, sql: &str, values: &[Value<'_>]) -> Result<(), Failure> {
        self.put_statement(sql, values)?;
        self.put_run(values, 0)
    }

    /// Queues a statement once for each list of values, which must have the same types.
    pub(super) fn put_each<'a, const N: usize>(
        &mut self,
        sql: &str,
        lists: impl Iterator<Item = [Value<'a>; N]>,
    ) -> Result<(), Failure> {
        for (index, values) in lists.enumerate() {
            if index == 0 {
                self.put_statement(sql, &values)?;
            }
            self.put_run(&values, 0)?;
            if self.under_way >= MAX_UNDER_WAY {
                self.finish()?;
            }
        }
        Ok(())
    }

    /// Runs one statement and fetches its rows in chunks, from one snapshot. Ends early if `visit` requests it.
    pub(super) fn stream(
        &mut self,
        sql: &str,
        values: &[Value<'_>],
        chunk: i32,
        visit: &mut dyn FnMut(Row<'_>) -> Result<ControlFlow<()>, Failure>,
    ) -> Result<(), Failure> {
        self.put_statement(sql, values)?;
        self.put_run(values, chunk)?;
        let mut flow = ControlFlow::Continue(());
        loop {
            self.wire.put(Some(b'H'), &|_| ())?;
            self.wire.send()?;
            let is_over = self.read_chunk(&mut |row| {
                if flow.is_continue() {
                    flow = visit(row)?;
                }
                Ok(())
            })?;
            if is_over || flow.is_break() {
                return self.finish();
            }
            self.put_execute(chunk)?;
            self.deadline().advance();
        }
    }

    /// Reads the rows of a chunk; returns whether it was the last.
    fn read_chunk(&mut self, visit: Visit<'_>) -> Result<bool, Failure> {
        let mut has_rows = false;
        loop {
            let (letter, body) = self.wire.receive()?;
            match letter {
                b'D' => {
                    has_rows = true;
                    visit(Row::new(body)?)?;
                }
                // A chunk without rows would be the last.
                b's' if has_rows => return Ok(false),
                b'C' => return Ok(true),
                b'E' => {
                    let failure = refusal(body);
                    self.finish()?;
                    return Err(failure);
                }
                letter if is_remark(letter) => {}
                _ => return Err(Failure::Garbled),
            }
        }
    }

    /// Sends the queued statements and reads all answers. After a failed statement the server skips the rest. The connection
    /// must not be used again after `Lost`, `Late` or `Garbled`.
    pub(super) fn finish(&mut self) -> Result<(), Failure> {
        self.finish_with(&mut |_| Ok(()))
    }

    /// [`Self::finish`]; `visit` receives the rows.
    pub(super) fn finish_with(&mut self, visit: Visit<'_>) -> Result<(), Failure> {
        self.wire.put(Some(b'S'), &|_| ())?;
        self.wire.send()?;
        let mut outcome = Ok(());
        loop {
            let (letter, body) = self.wire.receive()?;
            match letter {
                b'D' => {
                    let row = Row::new(body)?;
                    if outcome.is_ok() {
                        outcome = visit(row);
                    }
                }
                b'E' => outcome = outcome.and(Err(refusal(body))),
                b'Z' => {
                    self.is_idle = body == b"I";
                    self.under_way = 0;
                    self.used = Instant::now();
                    self.deadline().advance();
                    return outcome;
                }
                letter if is_remark(letter) || matches!(letter, b'C' | b's') => {}
                _ => return Err(Failure::Garbled),
            }
        }
    }

    /// Queues the parsing of a statement.
    fn put_statement(&mut self, sql: &str, values: &[Value<'_>]) -> Result<(), Failure> {
        let count = i16::try_from(values.len()).map_err(|_| Failure::Garbled)?;
        self.wire.put(Some(b'P'), &|out| {
            out.push(0);
            put_name(out, sql);
            out.extend_from_slice(&count.to_be_bytes());
            for value in values {
                out.extend_from_slice(&value.kind().to_be_bytes());
            }
        })
    }

    /// Queues the execution with these values, and requests this many rows (0: all).
    fn put_run(&mut self, values: &[Value<'_>], rows: i32) -> Result<(), Failure> {
        const BINARY: [u8; 4] = [0, 1, 0, 1];
        let count = i16::try_from(values.len()).map_err(|_| Failure::Garbled)?;
        self.wire.put(Some(b'B'), &|out| {
            out.extend_from_slice(&[0, 0]);
            out.extend_from_slice(&BINARY);
            out.extend_from_slice(&count.to_be_bytes());
            for value in values {
                value.write(out);
            }
            out.extend_from_slice(&BINARY);
        })?;
        self.put_execute(rows)
    }

    fn put_execute(&mut self, rows: i32) -> Result<(), Failure> {
        self.under_way += 1;
        self.is_idle = false;
        self.wire.put(Some(b'E'), &|out| {
            out.push(0);
            out.extend_from_slice(&rows.to_be_bytes());
        })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Without it, the server detects the end of the connection too, but logs a warning.
        self.set_deadline(Deadline::within(CLOSE_LIMIT));
        let _ = self.wire.put(Some(b'X'), &|_| ()).and_then(|()| self.wire.send());
    }
}

/// Messages without effect: confirmations and notices.
const fn is_remark(letter: u8) -> bool {
    matches!(letter, b'1' | b'2' | b'n' | b'I' | b'N' | b'S' | b'A')
}

fn put_field(out: &mut Vec<u8>, bytes: &[u8]) {
    // A value beyond 2 GiB makes the message too long, which is checked later.
    out.extend_from_slice(&i32::try_from(bytes.len()).unwrap_or(i32::MAX).to_be_bytes());
    out.extend_from_slice(bytes);
}
