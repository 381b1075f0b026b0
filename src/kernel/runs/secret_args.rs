//! Secrets on their way to a function of the application, and back.

use crate::kernel::host_functions::Answer;
use tgp_base::bound_secrets::{BoundSecrets, Destination, Spelling, Withheld};
use tgp_base::error::{Error, ErrorCode};

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
    let args = match secrets.fill(args_json.as_bytes(), place, Spelling::Json) {
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
    result.map(clean).map_err(|mut error| {
        error.message = clean(error.message);
        let details = serde_json::to_string(&error.details).map(clean);
        error.details = details.ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        error
    })
}

fn refusal(withheld: &Withheld) -> Error {
    let code = match withheld {
        Withheld::Unknown { .. } | Withheld::TooMuch | Withheld::InPath => ErrorCode::Validation,
        Withheld::NotThere { .. } | Withheld::InTheOpen { .. } => ErrorCode::SecurityViolation,
    };
    Error::new(code, format!("{withheld}."))
}
