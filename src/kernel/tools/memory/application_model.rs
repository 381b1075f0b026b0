//! The application's embedding model, called through JavaScript. It may be slow, fail, or return invalid vectors.

use crate::kernel::host_functions::{CallingRun, HostFunctions};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use crossbeam_channel::RecvTimeoutError;
use serde::Deserialize;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::error::{Error, ErrorCode};
use tgp_embed::{MAX_DIMENSION, Vector};

/// The host function that answers with vectors. Guests cannot call it.
const QUESTION: &str = "#embed";
/// Longer than JavaScript's own deadline.
const EMBED_TIMEOUT: Duration = Duration::from_secs(60);
/// How often a wait checks whether the kernel stops.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(20);

pub struct ApplicationModel(Arc<dyn HostFunctions>);

/// 32-bit numbers in the order of the texts, little-endian.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "EmbedReply"))]
pub struct EmbedReply {
    dimension: usize,
    numbers: String,
}

impl ApplicationModel {
    pub fn new(functions: Arc<dyn HostFunctions>) -> Self {
        Self(functions)
    }

    /// The vectors of texts, in order; empty for a zero vector.
    pub fn embed(&self, texts: &[&str], is_stopped: &dyn Fn() -> bool) -> Result<Vec<Vector>, Error> {
        let (sender, receiver) = crossbeam_channel::bounded(1);
        let answer = Box::new(move |result| {
            // The caller may have timed out.
            let _gone = sender.send(result);
        });
        self.0.call(CallingRun::NO_RUN, QUESTION, serde_json::json!([texts]).to_string(), answer);
        let began = Instant::now();
        let json = loop {
            match receiver.recv_timeout(STOP_CHECK_INTERVAL) {
                Ok(answer) => break answer?,
                Err(RecvTimeoutError::Timeout) if began.elapsed() < EMBED_TIMEOUT && !is_stopped() => {}
                Err(_) => return Err(refused("it did not answer")),
            }
        };
        let EmbedReply { dimension, numbers } =
            serde_json::from_str(&json).map_err(|_| refused("it did not return vectors"))?;
        let bytes = BASE64_STANDARD.decode(numbers).map_err(|_| refused("it did not return vectors"))?;
        if !(1..=MAX_DIMENSION).contains(&dimension) || bytes.len() != texts.len() * dimension * 4 {
            return Err(refused("it returned a wrong number or size of vectors"));
        }
        let numbers: Vec<f32> = bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        Ok(numbers.chunks_exact(dimension).map(|numbers| Vector::of(numbers).unwrap_or_default()).collect())
    }
}

fn refused(why: &str) -> Error {
    Error::new(ErrorCode::Config, format!("The application's embed cannot be used: {why}."))
}
