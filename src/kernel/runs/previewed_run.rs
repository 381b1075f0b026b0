//! Conclusion of a dry run.

use super::exec_value::{ExecValue, as_json};
use super::run_scope::RunScope;
use tgp_base::error::{Error, ErrorCode};

/// Adds the preview to the end of a dry run. To an error only if it may be caused by a refused effect, after which a
/// real run would have gone on.
pub fn previewed(result: Result<ExecValue, Error>, scope: &RunScope) -> Result<ExecValue, Error> {
    let Some(preview) = scope.preview.as_ref().filter(|_| scope.is_outermost()) else { return result };
    match result {
        Ok(value) => Ok(value.previewed(preview.report()?)),
        Err(error) if preview.has_refused() && !is_unrelated(error.code) => {
            Err(error.with("preview", as_json(&preview.report()?)))
        }
        Err(error) => Err(error),
    }
}

/// Whether an error cannot be caused by a refused effect.
const fn is_unrelated(code: ErrorCode) -> bool {
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

/// The error of a dry run nested in a real one, whose open transaction and files it would see and change.
pub fn cannot_turn_dry(path: &str) -> Error {
    let message = format!(
        "{path} cannot be previewed here: the request comes from a function that a real run waits for. Preview it outside of that run, or make the outer run a dry run."
    );
    Error::new(ErrorCode::Validation, message).with("field", "dryRun")
}
