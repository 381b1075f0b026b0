//! Blocking requests to JavaScript outside of runs.

use super::host_functions::{CallingRun, HostFunctions};
use std::time::Duration;
use tgp_base::error::Error;

/// Calls the host function `question`, whose name guests must not be able to call; `None` on timeout or without an
/// answer. The caller must not hold a lock that others wait for without a timeout.
pub fn ask_and_wait(
    functions: &dyn HostFunctions,
    question: &str,
    args_json: String,
    wait: Duration,
) -> Option<Result<String, Error>> {
    let (sender, receiver) = crossbeam_channel::bounded(1);
    let answer = Box::new(move |result| {
        // The caller may have timed out.
        let _unheard = sender.send(result);
    });
    functions.call(CallingRun::NO_RUN, question, args_json, answer);
    receiver.recv_timeout(wait).ok()
}

#[cfg(test)]
mod tests {
    use super::ask_and_wait;
    use crate::kernel::host_functions::{Answer, CallingRun, HostFunctions, RunEnding};
    use std::sync::Arc;
    use std::time::Duration;

    /// Answers one request and drops all others.
    struct EchoOnly;

    impl HostFunctions for EchoOnly {
        fn names(&self) -> Arc<Vec<String>> {
            Arc::default()
        }
        fn call(&self, _: CallingRun, name: &str, args_json: String, answer: Answer) {
            if name == "#echo" {
                answer(Ok(args_json));
            }
        }
        fn finish(&self, _: CallingRun, _: RunEnding, _: Answer) {}
    }

    #[test]
    fn an_answer_is_returned_and_a_dropped_one_is_noticed() {
        let ask = |name| ask_and_wait(&EchoOnly, name, "[1]".to_owned(), Duration::from_secs(60));
        assert_eq!(ask("#echo").unwrap().unwrap(), "[1]");
        assert!(ask("#other").is_none(), "a dropped answer is noticed at once");
    }
}
