//! Secrets on their way to a function of the application, and back.

use super::guest_files::is_scratch;
use crate::kernel::host_functions::Answer;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::borrow::Cow;
use tgp_base::bound_secrets::{BoundSecrets, Destination, SecretEncoding, SecretError};
use tgp_base::error::{Error, ErrorCode};

/// How answers hold bytes, up to the bytes themselves.
const BYTES: &str = r#"{"$base64":""#;

/// The arguments with what the function may be told, and an answer that does not repeat it.
///
/// # Errors
/// With the answer that is still owed: a secret that is not for this function.
pub fn told_secrets(
    secrets: &BoundSecrets,
    function: &str,
    args_json: String,
    answer: Answer,
) -> Result<(String, Answer), (Error, Answer)> {
    if secrets.is_empty() {
        return Ok((args_json, answer));
    }
    let place = Destination::Function(function);
    let args = match secrets.fill(args_json.as_bytes(), place, SecretEncoding::Json) {
        Ok(filled) => String::from_utf8_lossy(&filled).into_owned(),
        Err(withheld) => return Err((refusal(&withheld), answer)),
    };
    let secrets = secrets.clone();
    let masked: Answer = Box::new(move |result| answer(untold(&secrets, result)));
    Ok((args, masked))
}

/// An answer as a guest may have it: one function may return what another was told.
pub fn untold(secrets: &BoundSecrets, result: Result<String, Error>) -> Result<String, Error> {
    if secrets.is_empty() {
        return result;
    }
    let clean = |text: String| secrets.mask_text(text);
    result.map(|json| masked_bytes(secrets, secrets.mask_byte_lists(clean(json)))).map_err(|mut error| {
        error.message = clean(error.message);
        let details = serde_json::to_string(&error.details).map(clean);
        error.details = details.ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        error
    })
}

/// JSON without the values that its bytes hold.
fn masked_bytes(secrets: &BoundSecrets, json: String) -> String {
    let mut parts = json.split(BYTES);
    let mut clean = String::from(parts.next().unwrap_or_default());
    if clean.len() == json.len() {
        return json;
    }
    for part in parts {
        clean.push_str(BYTES);
        let (encoded, rest) = part.split_at(part.find('"').unwrap_or(0));
        let bytes = BASE64_STANDARD.decode(encoded).unwrap_or_default();
        match secrets.mask_bytes(&bytes) {
            Cow::Borrowed(_) => clean.push_str(encoded),
            Cow::Owned(masked) => BASE64_STANDARD.encode_string(masked, &mut clean),
        }
        clean.push_str(rest);
    }
    clean
}

/// A file as a guest may have it, as JSON: a function may have written a secret there. What the guest wrote itself is not looked
/// at: it would only confirm guesses.
pub fn shown_file(secrets: &BoundSecrets, path: &str, text: String) -> Result<String, Error> {
    if is_scratch(path) { Ok(text) } else { untold(secrets, Ok(text)) }
}

/// Refuses to write a placeholder: what was read of a file has it where the file has the value, which would be lost.
///
/// # Errors
/// `Validation`.
pub fn check_written(secrets: &BoundSecrets, path: &str, content: &str) -> Result<(), Error> {
    // What a guest reads there is not masked.
    let Some(name) = secrets.first_named_in(content.as_bytes()).filter(|_| !is_scratch(path)) else { return Ok(()) };
    let message = format!(
        "tgp.write_file does not write the placeholder of the secret '{name}': where a file holds its value, that would be lost. Leave it out, or let a function of the application write the file."
    );
    Err(Error::new(ErrorCode::Validation, message).with("field", "content"))
}

fn refusal(withheld: &SecretError) -> Error {
    let code = match withheld {
        SecretError::Unknown { .. } | SecretError::TooManyPlaceholders | SecretError::InPath => ErrorCode::Validation,
        SecretError::WrongDestination { .. } | SecretError::Insecure { .. } => ErrorCode::SecurityViolation,
    };
    Error::new(code, format!("{withheld}."))
}

#[cfg(test)]
mod tests {
    use super::untold;
    use tgp_base::bound_secrets::{BoundSecret, BoundSecrets};

    #[test]
    fn bytes_are_looked_into_as_text_is() {
        let secret = BoundSecret::new("K".to_owned(), "open-sesame".to_owned(), Vec::new(), Vec::new());
        let secrets = BoundSecrets::new(vec![secret.unwrap()]);
        let clean = |json: &str| untold(&secrets, Ok(json.to_owned())).unwrap();
        // "<open-sesame>" and "other".
        let json = r#"[{"$base64":"PG9wZW4tc2VzYW1lPg=="},"open-sesame",{"$base64":"b3RoZXI="},{"$base64":""}]"#;
        let masked = r#"[{"$base64":"PHt7c2VjcmV0Okt9fT4="},"{{secret:K}}",{"$base64":"b3RoZXI="},{"$base64":""}]"#;
        assert_eq!(clean(json), masked);
        for odd in [r#"{"$base64":"#, r#"{"$base64":"%%"}"#, r#"{"$base64":1}"#, "7"] {
            assert_eq!(clean(odd), odd);
        }
    }
}
