//! When a conversation with the server must be over: one deadline for each operation, however many messages come meanwhile.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// For a connection, a login included.
pub(super) const OPEN_LIMIT: Duration = Duration::from_secs(5);
/// For an answer of a connection that was idle for a while, before it is used.
pub(super) const PING_LIMIT: Duration = Duration::from_secs(3);
/// For what the writer does.
pub(super) const QUICK_LIMIT: Duration = Duration::from_secs(10);
/// For each statement of what may take long. More than the server's own limit, so that it is the server who ends it.
pub(super) const LONG_LIMIT: Duration = Duration::from_secs(40);
/// Bytes of values that take a second on a slow line: so much more time they have.
const BYTES_PER_SECOND: u32 = 256 << 10;

/// The deadline of one operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline {
    until: Instant,
    /// What each further statement has, where an operation may have many.
    each: Option<Duration>,
}

impl Deadline {
    /// For an operation as a whole.
    pub(super) fn within(limit: Duration) -> Self {
        Self { until: Instant::now() + limit, each: None }
    }

    /// For each statement of an operation.
    pub(super) fn each(limit: Duration) -> Self {
        Self { each: Some(limit), ..Self::within(limit) }
    }

    /// The same, or what ends earlier.
    pub(super) fn at_most(self, limit: Duration) -> Self {
        Self { until: self.until.min(Instant::now() + limit), each: None }
    }

    /// The same for another try: a deadline of each statement begins anew.
    pub(super) fn renewed(mut self) -> Self {
        self.advance();
        self
    }

    /// A statement is done.
    pub(super) fn advance(&mut self) {
        if let Some(each) = self.each {
            self.until = Instant::now() + each;
        }
    }

    /// Gives the time that so many bytes take.
    pub(super) fn allow(&mut self, bytes: usize) {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        self.until += Duration::from_secs(1) * bytes / BYTES_PER_SECOND;
    }

    /// # Errors
    /// `TimedOut` when nothing is left.
    pub(super) fn left(&self) -> io::Result<Duration> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
    }
}

/// A socket whose reads and writes end at the deadline.
pub(super) struct Socket {
    pub(super) tcp: TcpStream,
    pub(super) deadline: Deadline,
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.tcp.set_read_timeout(Some(self.deadline.left()?))?;
        self.tcp.read(buffer)
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.tcp.set_write_timeout(Some(self.deadline.left()?))?;
        self.tcp.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.tcp.flush()
    }
}
