//! Byte sources of packs.

use crate::git_error::GitError;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

const BUFFER: usize = 32 << 10;

/// A byte source with lookahead.
pub(crate) trait Input {
    /// The next bytes; none at the end.
    fn peek(&mut self) -> Result<&[u8], GitError>;

    /// Consumes `count` bytes.
    fn take(&mut self, count: usize) -> Result<(), GitError>;

    fn byte(&mut self) -> Result<u8, GitError> {
        let byte = self.peek()?.first().copied().ok_or_else(cut_off)?;
        self.take(1)?;
        Ok(byte)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], GitError>
    where
        Self: Sized,
    {
        let mut array = [0; N];
        for place in &mut array {
            *place = self.byte()?;
        }
        Ok(array)
    }
}

pub(crate) fn cut_off() -> GitError {
    GitError::protocol("it sent a truncated pack")
}

pub(crate) fn unreadable() -> GitError {
    GitError::protocol("it sent an invalid pack")
}

/// A buffered file for random access. Consecutive objects are usually adjacent.
pub(crate) struct FileWindow<F> {
    file: F,
    start: u64,
    length: usize,
    buffer: Vec<u8>,
}

impl<F: Read + Seek> FileWindow<F> {
    pub(crate) const fn new(file: F) -> Self {
        Self { file, start: 0, length: 0, buffer: Vec::new() }
    }

    /// The input from an offset on.
    pub(crate) const fn from(&mut self, offset: u64) -> FileInput<'_, F> {
        FileInput { window: self, offset }
    }

    /// The bytes at `offset`; empty at the end of the file.
    fn at(&mut self, offset: u64) -> io::Result<&[u8]> {
        let within = offset.checked_sub(self.start).and_then(|within| usize::try_from(within).ok());
        let at = match within.filter(|within| *within < self.length) {
            Some(within) => within,
            None => {
                self.length = 0;
                self.buffer.resize(BUFFER, 0);
                self.file.seek(SeekFrom::Start(offset))?;
                self.length = loop {
                    match self.file.read(&mut self.buffer) {
                        Err(error) if error.kind() == ErrorKind::Interrupted => {}
                        result => break result?,
                    }
                };
                self.start = offset;
                0
            }
        };
        Ok(self.buffer.get(at..self.length).unwrap_or_default())
    }
}

pub(crate) struct FileInput<'f, F> {
    window: &'f mut FileWindow<F>,
    offset: u64,
}

impl<F: Read + Seek> Input for FileInput<'_, F> {
    fn peek(&mut self) -> Result<&[u8], GitError> {
        self.window.at(self.offset).map_err(GitError::io("read a pack"))
    }

    fn take(&mut self, count: usize) -> Result<(), GitError> {
        self.offset += count as u64;
        Ok(())
    }
}

/// Records the consumed bytes, and limits them to what an object of a given size can need: a stream may contain any number of
/// empty blocks.
pub(crate) struct Recorder<'r, I> {
    input: I,
    taken: &'r mut Vec<u8>,
    most: usize,
}

impl<'r, I> Recorder<'r, I> {
    /// The limit exceeds the output of any compressor for `size` bytes.
    pub(crate) fn new(input: I, taken: &'r mut Vec<u8>, size: u64) -> Self {
        const SLACK: usize = 64 << 10;
        let most = usize::try_from(size).unwrap_or(usize::MAX).saturating_mul(2).saturating_add(SLACK);
        let most = most.saturating_add(taken.len());
        Self { input, taken, most }
    }
}

impl<I: Input> Input for Recorder<'_, I> {
    fn peek(&mut self) -> Result<&[u8], GitError> {
        self.input.peek()
    }

    fn take(&mut self, count: usize) -> Result<(), GitError> {
        if count > self.most.saturating_sub(self.taken.len()) {
            return Err(unreadable());
        }
        self.taken.extend_from_slice(self.input.peek()?.get(..count).ok_or_else(cut_off)?);
        self.input.take(count)
    }
}

#[cfg(test)]
mod tests {
    use super::{BUFFER, FileWindow, Input, Recorder};
    use std::io::Cursor;

    #[test]
    fn a_window_reads_any_offset() {
        let content: Vec<u8> = (0..3 * BUFFER).map(|at| (at % 251).to_le_bytes()[0]).collect();
        let mut window = FileWindow::new(Cursor::new(&content));
        let last = content.len() - 1;
        for at in [0, 1, BUFFER - 1, BUFFER, 5, last, 2 * BUFFER + 7, 2 * BUFFER, 3] {
            let mut taken = Vec::new();
            let mut input = Recorder::new(window.from(at as u64), &mut taken, 4);
            let count = 4.min(content.len() - at);
            for byte in &content[at..at + count] {
                assert_eq!(input.byte().unwrap(), *byte, "{at}");
            }
            assert_eq!(taken, content[at..at + count]);
        }
        assert!(window.from(content.len() as u64).peek().unwrap().is_empty());
        assert!(window.from(u64::MAX).byte().is_err());
    }

    #[test]
    fn an_endless_stream_is_refused() {
        let endless = vec![0; 1 << 20];
        let mut taken = Vec::new();
        let mut window = FileWindow::new(Cursor::new(&endless));
        let mut input = Recorder::new(window.from(0), &mut taken, 200);
        assert!((0..endless.len()).any(|_| input.byte().is_err()));
        assert!(taken.len() < 100 << 10, "{}", taken.len());
    }
}
