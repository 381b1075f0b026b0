//! Where the bytes of a pack come from.

use crate::git_error::GitError;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};

const BUFFER: usize = 16 << 10;

/// Bytes that are looked at before they are taken.
pub(crate) trait Input {
    /// The next bytes; none at the end.
    fn look(&mut self) -> Result<&[u8], GitError>;

    /// Takes the first `count` of them.
    fn take(&mut self, count: usize) -> Result<(), GitError>;

    fn byte(&mut self) -> Result<u8, GitError> {
        let byte = self.look()?.first().copied().ok_or_else(cut_off)?;
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
    GitError::protocol("it sent a pack that ends in the middle")
}

pub(crate) fn unreadable() -> GitError {
    GitError::protocol("it sent a pack that cannot be read")
}

/// A file from some place on.
pub(crate) struct FileInput<'f> {
    file: &'f mut File,
    buffer: Vec<u8>,
    at: usize,
}

impl<'f> FileInput<'f> {
    pub(crate) fn new(file: &'f mut File, offset: u64) -> Result<Self, GitError> {
        file.seek(SeekFrom::Start(offset)).map_err(GitError::io("read a pack"))?;
        Ok(Self { file, buffer: Vec::new(), at: 0 })
    }
}

impl Input for FileInput<'_> {
    fn look(&mut self) -> Result<&[u8], GitError> {
        if self.at == self.buffer.len() {
            self.buffer.resize(BUFFER, 0);
            let count = loop {
                match self.file.read(&mut self.buffer) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    result => break result.map_err(GitError::io("read a pack"))?,
                }
            };
            self.buffer.truncate(count);
            self.at = 0;
        }
        Ok(self.buffer.get(self.at..).unwrap_or_default())
    }

    fn take(&mut self, count: usize) -> Result<(), GitError> {
        self.at = self.buffer.len().min(self.at + count);
        Ok(())
    }
}
