//! Fills secrets into calls of application functions, and masks them in answers.

use super::guest_files::is_scratch;
use crate::kernel::host_functions::Answer;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::borrow::Cow;
use tgp_base::bound_secrets::{BoundSecrets, Destination, SecretEncoding, SecretError};
use tgp_base::error::{Error, ErrorCode};

/// The prefix of encoded bytes in answers.
const BYTES: &str = r#"{"$base64":""#;

/// Fills placeholders with the secrets that the function may receive, and wraps `answer` so that it masks them.
///
/// # Errors
/// For a secret that is not bound to this function; gives `answer` back.
pub fn fill_secrets(
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
    let masked: Answer = Box::new(move |result| answer(masked_answer(&secrets, result)));
    Ok((args, masked))
}

/// Masks secrets in an answer for a guest: one function may return what another received.
pub fn masked_answer(secrets: &BoundSecrets, result: Result<String, Error>) -> Result<String, Error> {
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

/// Masks secrets in the encoded bytes of JSON.
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

/// Masks secrets in the JSON text of a file, where a function may have written them. Scratch files are exempt: masking
/// what the guest wrote itself would confirm guesses.
pub fn shown_file(secrets: &BoundSecrets, path: &str, text: String) -> Result<String, Error> {
    if is_scratch(path) { Ok(text) } else { masked_answer(secrets, Ok(text)) }
}

/// Refuses to write a placeholder: a masked file that is written back would lose the value.
///
/// # Errors
/// `Validation`.
pub fn check_written(secrets: &BoundSecrets, path: &str, content: &str) -> Result<(), Error> {
    // Scratch files are not masked.
    let Some(name) = secrets.first_named_in(content.as_bytes()).filter(|_| !is_scratch(path)) else { return Ok(()) };
    let message = format!(
        "tgp.write_file does not write the placeholder of the secret '{name}', which would overwrite its value in the file. Leave it out, or let a function of the application write the file."
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
    use super::masked_answer;
    use tgp_base::bound_secrets::{BoundSecret, BoundSecrets};

    #[test]
    fn encoded_bytes_are_masked_like_text() {
        let secret = BoundSecret::new("K".to_owned(), "open-sesame".to_owned(), Vec::new(), Vec::new());
        let secrets = BoundSecrets::new(vec![secret.unwrap()]);
        let clean = |json: &str| masked_answer(&secrets, Ok(json.to_owned())).unwrap();
        // "<open-sesame>" and "other".
        let json = r#"[{"$base64":"PG9wZW4tc2VzYW1lPg=="},"open-sesame",{"$base64":"b3RoZXI="},{"$base64":""}]"#;
        let masked = r#"[{"$base64":"PHt7c2VjcmV0Okt9fT4="},"{{secret:K}}",{"$base64":"b3RoZXI="},{"$base64":""}]"#;
        assert_eq!(clean(json), masked);
        for odd in [r#"{"$base64":"#, r#"{"$base64":"%%"}"#, r#"{"$base64":1}"#, "7"] {
            assert_eq!(clean(odd), odd);
        }
    }
}
