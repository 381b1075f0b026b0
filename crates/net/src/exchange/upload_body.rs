//! The body of a request, read piece by piece from something that can only be waited for.

use super::exchange_failure::ExchangeFailure;
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use std::future::pending;
use std::io::{self, ErrorKind, Read};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::time::timeout;

const CHUNK: usize = 64 << 10;

type Piece = io::Result<Bytes>;

/// What is sent, as the client asks for it.
pub(super) struct UploadBody {
    pieces: Receiver<Piece>,
    left: u64,
}

/// Where it comes from.
pub(super) struct Source {
    reader: Box<dyn Read + Send>,
    pieces: Sender<Piece>,
}

impl UploadBody {
    pub(super) fn new(reader: Box<dyn Read + Send>, length: u64) -> (Self, Source) {
        let (sender, receiver) = mpsc::channel(1);
        (Self { pieces: receiver, left: length }, Source { reader, pieces: sender })
    }
}

impl Body for UploadBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let piece = self.pieces.poll_recv(context);
        piece.map(|piece| {
            let piece = piece?.map(|bytes| {
                self.left = self.left.saturating_sub(bytes.len() as u64);
                Frame::data(bytes)
            });
            Some(piece)
        })
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

/// Reads the source as fast as the server takes it. Ends only with a failure: whoever has the answer stops it.
pub(super) async fn upload(source: Option<Source>, silence: Duration) -> ExchangeFailure {
    let Some(Source { mut reader, pieces }) = source else { return pending().await };
    loop {
        let read = tokio::task::spawn_blocking(move || {
            let piece = next(&mut *reader);
            (reader, piece)
        });
        let Ok((back, piece)) = read.await else { return ExchangeFailure::Broken };
        reader = back;
        let is_last = piece.as_ref().map_or(true, Bytes::is_empty);
        if is_last && piece.is_ok() {
            break;
        }
        match timeout(silence, pieces.send(piece)).await {
            Err(_) => return ExchangeFailure::TimedOut,
            Ok(Ok(())) if !is_last => {}
            // The client has dropped the body, or has been told that there is no more: its own end says why.
            Ok(_) => break,
        }
    }
    drop(pieces);
    pending().await
}

fn next(reader: &mut dyn Read) -> Piece {
    let mut chunk = vec![0; CHUNK];
    loop {
        match reader.read(&mut chunk) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
            Ok(count) => {
                chunk.truncate(count);
                return Ok(chunk.into());
            }
        }
    }
}
