//! A request body that is streamed from a blocking reader.

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

/// The body, as polled by the HTTP client.
pub(super) struct UploadBody {
    pieces: Receiver<Piece>,
    left: u64,
}

/// The reader of the body.
pub(super) struct UploadSource {
    reader: Box<dyn Read + Send>,
    pieces: Sender<Piece>,
}

impl UploadBody {
    pub(super) fn new(reader: Box<dyn Read + Send>, length: u64) -> (Self, UploadSource) {
        let (sender, receiver) = mpsc::channel(1);
        (Self { pieces: receiver, left: length }, UploadSource { reader, pieces: sender })
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

/// Reads the source as fast as the server accepts it. Returns only on failure; the caller drops it once the answer is complete.
pub(super) async fn upload(source: Option<UploadSource>, silence: Duration) -> ExchangeFailure {
    let Some(UploadSource { mut reader, pieces }) = source else { return pending().await };
    loop {
        let read = tokio::task::spawn_blocking(move || {
            let piece = next(&mut *reader);
            (reader, piece)
        });
        let Ok((returned, piece)) = read.await else { return ExchangeFailure::Broken };
        reader = returned;
        let is_last = piece.as_ref().map_or(true, Bytes::is_empty);
        if is_last && piece.is_ok() {
            break;
        }
        match timeout(silence, pieces.send(piece)).await {
            Err(_) => return ExchangeFailure::TimedOut,
            Ok(Ok(())) if !is_last => {}
            // The client dropped the body, or got the last piece; its own result reports the outcome.
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
