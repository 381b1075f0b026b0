//! Waits for an approval, or for room in the ledger, on behalf of a guest's call.

use crate::kernel::host_functions::{CallingRun, HostFunctions};
use serde_json::Value;
use std::time::{Duration, Instant};
use tgp_base::error::{Error, ErrorCode};

/// The host function that requests an approval. Guests cannot call it.
const QUESTION: &str = "#approve";
const GRANTED: &str = "\"granted\"";

/// How long a call waits for room in the ledger, and the host function that answers after a pause, so that no thread is
/// blocked.
pub const FULL_LIMIT: Duration = Duration::from_secs(5);
const PAUSE: &str = "#pause";
const PAUSE_MS: &str = "[50]";

/// Waits for what a refused call needs: room in the ledger, until a deadline, or an approval, which is requested once.
/// `then` receives the approval with which to retry the call, or the refusal.
pub fn after_refusal(
    functions: &dyn HostFunctions,
    on_behalf: CallingRun,
    refusal: Error,
    approval: Option<String>,
    until: Instant,
    then: impl FnOnce(Result<Option<String>, Error>) + Send + 'static,
) {
    let is_full = refusal.code == ErrorCode::Ledger && refusal.details.get("reason").is_some_and(|why| why == "full");
    if is_full && Instant::now() < until {
        let again = Box::new(move |paused: Result<String, Error>| then(paused.map(|_| approval)));
        return functions.call(CallingRun::NO_RUN, PAUSE, PAUSE_MS.to_owned(), again);
    }
    if approval.is_some() {
        return then(Err(refusal));
    }
    ask_approval(functions, on_behalf, refusal, |answer| then(answer.map(Some)));
}

/// Requests an approval, if the refusal contains a request. `then` receives the id of the approval, or the refusal.
pub fn ask_approval(
    functions: &dyn HostFunctions,
    on_behalf: CallingRun,
    mut refusal: Error,
    then: impl FnOnce(Result<String, Error>) + Send + 'static,
) {
    let request = refusal.details.remove("request").filter(|_| refusal.code == ErrorCode::Approval);
    let id = request.as_ref().and_then(|request| request.get("id")).and_then(Value::as_str).map(str::to_owned);
    let (Some(request), Some(id)) = (request, id) else { return then(Err(refusal)) };
    let args = Value::Array(vec![request]).to_string();
    let answer = Box::new(move |answer: Result<String, Error>| {
        then(answer.and_then(|answer| if answer == GRANTED { Ok(id) } else { Err(refusal) }));
    });
    functions.call(on_behalf, QUESTION, args, answer);
}
