//! The result of every asynchronous call: a value or an error, never a rejection.

use napi_derive::napi;
use serde::Serialize;
use tgp_base::error::{Error, ErrorCode};

/// Longest text that crosses to JavaScript, whose strings end below 512 MiB: a longer one would abort the process.
pub(super) const MAX_BYTES: usize = 256 << 20;
/// Longest error message; the rest is cut off.
const MAX_MESSAGE_BYTES: usize = 1 << 20;

/// A value as JSON text, or an error. Exactly one is present.
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
        // A String and not a counting writer, which would compile every type a second time.
        Self::from_json(result.and_then(|value| {
            serde_json::to_string(&value)
                .map_err(|_| Error::new(ErrorCode::Result, "The result cannot be serialised as JSON."))
        }))
    }

    /// As `from_result`, for text that is JSON already.
    pub fn from_json(json: Result<String, Error>) -> Self {
        match json {
            Ok(value) if value.len() > MAX_BYTES => Self::from_json(Err(too_long())),
            Ok(value) => Self { value: Some(value), error: None },
            Err(error) => Self { value: None, error: Some(error.into()) },
        }
    }
}

impl From<Error> for BindingError {
    fn from(mut error: Error) -> Self {
        if error.message.len() > MAX_MESSAGE_BYTES {
            error.message.truncate(error.message.floor_char_boundary(MAX_MESSAGE_BYTES));
            error.message.push('…');
        }
        // Details that are too long are dropped as a whole.
        let mut details = serde_json::Value::Object(error.details).to_string();
        if details.len() > MAX_BYTES {
            "{}".clone_into(&mut details);
        }
        Self { code: error.code.as_str().to_owned(), message: error.message, details }
    }
}

/// The error for a text that is too long to cross.
pub(super) fn too_long() -> Error {
    let text = "The text is longer than 256 MiB, the most that JavaScript can receive at once. Request a smaller part.";
    Error::new(ErrorCode::Limit, text)
}

#[cfg(test)]
mod tests {
    use super::{BindingError, BindingOutcome, MAX_BYTES, MAX_MESSAGE_BYTES};
    use tgp_base::error::{Error, ErrorCode};

    #[test]
    fn a_value_too_long_for_javascript_is_an_error() {
        let outcome = BindingOutcome::from_json(Ok("x".repeat(MAX_BYTES + 1)));
        assert!(outcome.value.is_none());
        assert_eq!(outcome.error.unwrap().code, "ERR_LIMIT");
        assert_eq!(BindingOutcome::from_result(Ok([1.5])).value.unwrap(), "[1.5]");
    }

    #[test]
    fn a_long_message_is_cut() {
        let error = Error::new(ErrorCode::Io, "é".repeat(MAX_MESSAGE_BYTES)).with("a", 1);
        let BindingError { message, details, .. } = error.into();
        assert!(message.len() < MAX_MESSAGE_BYTES + 8 && message.ends_with('…'));
        assert_eq!(details, r#"{"a":1}"#);
    }
}
