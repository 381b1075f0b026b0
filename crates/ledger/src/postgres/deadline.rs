//! Deadlines of operations on a connection, independent of the number of messages.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// The limit for connecting and logging in.
pub(super) const OPEN_LIMIT: Duration = Duration::from_secs(5);
/// The limit for checking an idle connection.
pub(super) const PING_LIMIT: Duration = Duration::from_secs(3);
/// The limit for operations of the writer.
pub(super) const QUICK_LIMIT: Duration = Duration::from_secs(10);
/// The limit per statement of long operations. Longer than the server's own limit, so that the server ends the statement.
pub(super) const LONG_LIMIT: Duration = Duration::from_secs(40);
/// The assumed speed of a slow line: values extend the deadline accordingly.
const BYTES_PER_SECOND: u32 = 256 << 10;

/// The deadline of one operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline {
    until: Instant,
    /// The limit per statement, for operations with many statements.
    each: Option<Duration>,
}

impl Deadline {
    /// A deadline for a whole operation.
    pub(super) fn within(limit: Duration) -> Self {
        Self { until: Instant::now() + limit, each: None }
    }

    /// A deadline for each statement of an operation.
    pub(super) fn each(limit: Duration) -> Self {
        Self { each: Some(limit), ..Self::within(limit) }
    }

    /// The earlier of this deadline and the limit.
    pub(super) fn at_most(self, limit: Duration) -> Self {
        Self { until: self.until.min(Instant::now() + limit), each: None }
    }

    /// The deadline for a retry: a limit per statement starts again.
    pub(super) fn renewed(mut self) -> Self {
        self.advance();
        self
    }

    /// Starts the limit of the next statement.
    pub(super) fn advance(&mut self) {
        if let Some(each) = self.each {
            self.until = Instant::now() + each;
        }
    }

    /// Extends the deadline for the transfer of this many bytes.
    pub(super) fn allow(&mut self, bytes: usize) {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        self.until += Duration::from_secs(1) * bytes / BYTES_PER_SECOND;
    }

    /// # Errors
    /// `TimedOut` if no time is left.
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
