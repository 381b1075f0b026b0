//! Asking JavaScript for something and waiting for the answer, on behalf of no run.

use super::host_functions::{CallFor, HostFunctions};
use std::time::Duration;
use tgp_base::error::Error;

/// The answer to `question`, which must have a name that no guest can ask; `None` when it takes longer than `wait`.
/// The caller holds nothing meanwhile that others wait for without end.
pub fn ask_and_wait(
    functions: &dyn HostFunctions,
    question: &str,
    args_json: String,
    wait: Duration,
) -> Option<Result<String, Error>> {
    let (sender, receiver) = crossbeam_channel::bounded(1);
    let answer = Box::new(move |result| {
        // Whoever asked may have stopped waiting.
        let _unheard = sender.send(result);
    });
    functions.call(CallFor::NOBODY, question, args_json, answer);
    receiver.recv_timeout(wait).ok()
}

#[cfg(test)]
mod tests {
    use super::ask_and_wait;
    use crate::kernel::host_functions::{Answer, CallFor, HostFunctions, RunEnding};
    use std::sync::Arc;
    use std::time::Duration;

    /// Answers one question and forgets all others.
    struct Forgetful;

    impl HostFunctions for Forgetful {
        fn names(&self) -> Arc<Vec<String>> {
            Arc::default()
        }
        fn call(&self, _: CallFor, name: &str, args_json: String, answer: Answer) {
            if name == "#echo" {
                answer(Ok(args_json));
            }
        }
        fn finish(&self, _: CallFor, _: RunEnding, _: Answer) {}
    }

    #[test]
    fn an_answer_comes_back_and_silence_ends() {
        let ask = |name| ask_and_wait(&Forgetful, name, "[1]".to_owned(), Duration::from_secs(60));
        assert_eq!(ask("#echo").unwrap().unwrap(), "[1]");
        assert!(ask("#other").is_none(), "a dropped answer is noticed at once");
    }
}
