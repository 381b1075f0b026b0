//! Asking somebody on behalf of a run that waits for it.

use crate::kernel::host_functions::{CallFor, HostFunctions};
use serde_json::Value;
use tgp_base::error::{Error, ErrorCode};

/// What JavaScript is asked; no guest can ask that.
const QUESTION: &str = "#approve";
const GRANTED: &str = "\"granted\"";

/// Asks whoever approves, if the refusal says that this is what the call needs. `then` hears the name of the approval, or why
/// there is none.
pub fn ask_approval(
    functions: &dyn HostFunctions,
    on_behalf: CallFor,
    mut refusal: Error,
    then: impl FnOnce(Result<String, Error>) + Send + 'static,
) {
    let request = refusal.details.remove("request").filter(|_| refusal.code == ErrorCode::Approval);
    let id = request.as_ref().and_then(|request| request.get("id")).and_then(Value::as_str).map(str::to_owned);
    let (Some(request), Some(id)) = (request, id) else { return then(Err(refusal)) };
    let args = Value::Array(vec![request]).to_string();
    let answer = Box::new(move |answer: Result<String, Error>| {
        then(answer.and_then(|word| if word == GRANTED { Ok(id) } else { Err(refusal) }));
    });
    functions.call(on_behalf, QUESTION, args, answer);
}
