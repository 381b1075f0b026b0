//! The end of a run that was only to be seen.

use super::exec_value::{ExecValue, as_json};
use super::run_scope::RunScope;
use tgp_base::error::{Error, ErrorCode};

/// The end of a run with what it would have done, where it was a dry one. A failure tells of it only if it may come of a
/// refusal: a real run would have gone on.
pub fn previewed(result: Result<ExecValue, Error>, scope: &RunScope) -> Result<ExecValue, Error> {
    let Some(preview) = scope.preview.as_ref().filter(|_| scope.is_outermost()) else { return result };
    match result {
        Ok(value) => Ok(value.previewed(preview.report()?)),
        Err(error) if preview.has_refused() && !is_of_its_own(error.code) => {
            Err(error.with("preview", as_json(&preview.report()?)))
        }
        Err(error) => Err(error),
    }
}

/// Whether a run ends so whatever it was told.
const fn is_of_its_own(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::IsolateTimeout
            | ErrorCode::IsolateMemory
            | ErrorCode::IsolateCrashed
            | ErrorCode::Aborted
            | ErrorCode::Shutdown
            | ErrorCode::Internal
    )
}

/// A real run holds a transaction and files that a dry one below it would see and could not leave alone.
pub fn cannot_turn_dry(path: &str) -> Error {
    let message = format!(
        "{path} cannot be previewed here: a function that a real run waits for asks for it. Ask outside of that run, or make all of it a dry run."
    );
    Error::new(ErrorCode::Validation, message).with("field", "dryRun")
}
