//! What every asynchronous call comes back as: a value or an error, never a rejection.

use napi_derive::napi;
use serde::Serialize;
use tgp_base::error::{Error, ErrorCode};

/// A value as JSON text, or an error. Exactly one of the two is there.
#[napi(object)]
pub struct BindingOutcome {
    pub value: Option<String>,
    pub error: Option<BindingError>,
}

#[napi(object)]
pub struct BindingError {
    pub code: String,
    pub message: String,
    /// A JSON object.
    pub details: String,
}

impl BindingOutcome {
    pub fn from_result<T: Serialize>(result: Result<T, Error>) -> Self {
        Self::from_json(result.and_then(|value| {
            serde_json::to_string(&value)
                .map_err(|_| Error::new(ErrorCode::Result, "The answer cannot be written as JSON."))
        }))
    }

    /// The same, of text that is JSON already.
    pub fn from_json(json: Result<String, Error>) -> Self {
        match json {
            Ok(value) => Self { value: Some(value), error: None },
            Err(error) => Self { value: None, error: Some(error.into()) },
        }
    }
}

impl From<Error> for BindingError {
    fn from(error: Error) -> Self {
        Self {
            code: error.code.as_str().to_owned(),
            message: error.message,
            details: serde_json::Value::Object(error.details).to_string(),
        }
    }
}
