//! What every asynchronous call comes back as: a value or an error, never a rejection.

use napi_derive::napi;
use serde::Serialize;
use std::io::{self, Write};
use tgp_base::error::{Error, ErrorCode};

/// Longest text that crosses. JavaScript has no strings of 512 MiB, and a text that it cannot hold would end its process.
pub(super) const MOST_BYTES: usize = 256 << 20;
/// The same of a message: nobody reads more.
const MOST_MESSAGE_BYTES: usize = 1 << 20;

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
        Self::from_json(result.and_then(|value| json_text(&value, MOST_BYTES)))
    }

    /// The same, of text that is JSON already.
    pub fn from_json(json: Result<String, Error>) -> Self {
        match json {
            Ok(value) if value.len() > MOST_BYTES => Self::from_json(Err(too_long())),
            Ok(value) => Self { value: Some(value), error: None },
            Err(error) => Self { value: None, error: Some(error.into()) },
        }
    }
}

impl From<Error> for BindingError {
    fn from(mut error: Error) -> Self {
        if error.message.len() > MOST_MESSAGE_BYTES {
            error.message.truncate(error.message.floor_char_boundary(MOST_MESSAGE_BYTES));
            error.message.push('…');
        }
        // Facts beside the message: one that is too long to tell is left out with the others.
        let details = json_text(&error.details, MOST_BYTES).unwrap_or_else(|_| "{}".to_owned());
        Self { code: error.code.as_str().to_owned(), message: error.message, details }
    }
}

/// What a text that does not cross is answered with.
pub(super) fn too_long() -> Error {
    let text = "The text is longer than 256 MiB, which is more than JavaScript is handed at once. Ask for less of it.";
    Error::new(ErrorCode::Limit, text)
}

/// The value as JSON of at most so many bytes: no more than that is ever made of it.
fn json_text<T: Serialize>(value: &T, most: usize) -> Result<String, Error> {
    let mut text = BoundedText { bytes: Vec::with_capacity(128), most };
    match serde_json::to_writer(&mut text, value) {
        Ok(()) => String::from_utf8(text.bytes).map_err(|_| unwritable()),
        Err(error) if error.is_io() => Err(too_long()),
        Err(_) => Err(unwritable()),
    }
}

fn unwritable() -> Error {
    Error::new(ErrorCode::Result, "The answer cannot be written as JSON.")
}

/// Refuses what is more than it may hold.
struct BoundedText {
    bytes: Vec<u8>,
    most: usize,
}

impl Write for BoundedText {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        self.write_all(more).map(|()| more.len())
    }

    fn write_all(&mut self, more: &[u8]) -> io::Result<()> {
        if self.bytes.len() + more.len() > self.most {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(more);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{BindingError, BindingOutcome, MOST_BYTES, MOST_MESSAGE_BYTES, json_text};
    use tgp_base::error::{Error, ErrorCode};

    #[test]
    fn an_answer_is_its_json_up_to_a_limit() {
        let value = serde_json::json!({ "a": ["é", 1.5, null] });
        let text = value.to_string();
        assert_eq!(json_text(&value, text.len()).unwrap(), text);
        assert_eq!(json_text(&value, text.len() - 1).unwrap_err().code, ErrorCode::Limit);
    }

    #[test]
    fn what_javascript_cannot_hold_is_an_error_and_no_text() {
        let outcome = BindingOutcome::from_json(Ok("x".repeat(MOST_BYTES + 1)));
        assert!(outcome.value.is_none());
        assert_eq!(outcome.error.unwrap().code, "ERR_LIMIT");
    }

    #[test]
    fn a_long_message_is_cut() {
        let error = Error::new(ErrorCode::Io, "é".repeat(MOST_MESSAGE_BYTES)).with("a", 1);
        let BindingError { message, details, .. } = error.into();
        assert!(message.len() < MOST_MESSAGE_BYTES + 8 && message.ends_with('…'));
        assert_eq!(details, r#"{"a":1}"#);
    }
}
