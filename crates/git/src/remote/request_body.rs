//! The body of a request to a Git server.

use super::peer_stream::PeerSender;
use std::fs::File;
use std::io::{self, Cursor, Read};

/// Some bytes followed by a pack file.
#[derive(Debug, Default)]
pub(crate) struct RequestBody {
    pub(crate) start: Vec<u8>,
    pub(crate) pack: Option<(File, u64)>,
}

impl RequestBody {
    pub(super) fn length(&self) -> u64 {
        self.start.len() as u64 + self.pack.as_ref().map_or(0, |(_, length)| *length)
    }

    pub(crate) fn into_reader(self) -> impl Read + Send + 'static {
        let pack: Box<dyn Read + Send> = match self.pack {
            Some((file, length)) => Box::new(file.take(length)),
            None => Box::new(io::empty()),
        };
        Cursor::new(self.start).chain(pack)
    }
}

/// Reports progress to the receiving side while the body is read.
pub(crate) struct Progress<R> {
    pub(crate) stream: R,
    pub(crate) post: PeerSender,
}

impl<R: Read> Read for Progress<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.post.alive().map_err(|_| io::ErrorKind::BrokenPipe)?;
        self.stream.read(buffer)
    }
}
