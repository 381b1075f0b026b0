//! The application's own model, asked through JavaScript. It may be slow, fail, or lie about what it gives.

use crate::kernel::host_functions::{CallFor, HostFunctions};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use crossbeam_channel::RecvTimeoutError;
use serde::Deserialize;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::error::{Error, ErrorCode};
use tgp_embed::{MAX_DIMENSION, Vector};

/// The question that the JavaScript side answers with vectors. No guest can ask it.
const QUESTION: &str = "#embed";
/// JavaScript has a deadline of its own, which is shorter.
const PATIENCE: Duration = Duration::from_secs(60);
/// How soon a wait is given up when the kernel stops.
const LOOK_EVERY: Duration = Duration::from_millis(20);

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

    /// The vectors of texts, in their order; an empty one where a text has no direction.
    pub fn embed(&self, texts: &[&str], is_stopped: &dyn Fn() -> bool) -> Result<Vec<Vector>, Error> {
        let (sender, receiver) = crossbeam_channel::bounded(1);
        let answer = Box::new(move |result| {
            // Whoever asked may have lost patience.
            let _gone = sender.send(result);
        });
        self.0.call(CallFor::NOBODY, QUESTION, serde_json::json!([texts]).to_string(), answer);
        let asked = Instant::now();
        let json = loop {
            match receiver.recv_timeout(LOOK_EVERY) {
                Ok(answer) => break answer?,
                Err(RecvTimeoutError::Timeout) if asked.elapsed() < PATIENCE && !is_stopped() => {}
                Err(_) => return Err(refused("it gave no answer")),
            }
        };
        let EmbedReply { dimension, numbers } =
            serde_json::from_str(&json).map_err(|_| refused("it gave no vectors"))?;
        let bytes = BASE64_STANDARD.decode(numbers).map_err(|_| refused("it gave no vectors"))?;
        if !(1..=MAX_DIMENSION).contains(&dimension) || bytes.len() != texts.len() * dimension * 4 {
            return Err(refused("it gave vectors of another number or size"));
        }
        let numbers: Vec<f32> = bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        Ok(numbers.chunks_exact(dimension).map(|numbers| Vector::of(numbers).unwrap_or_default()).collect())
    }
}

fn refused(why: &str) -> Error {
    Error::new(ErrorCode::Config, format!("The application's embed cannot be used: {why}."))
}
