//! Tests of panics in the host: the affected run ends with an error, and the pool continues.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test fails on whatever it did not expect")]

use super::{request, sandbox_of};
use crate::{
    BytecodeStore, CrashCause, Host, HostAnswer, Package, Question, Reply, RunEnd, RunOutcome, RunRequest, Sandbox,
    SandboxError, when_done,
};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::time::Duration;
use tgp_base::error::{ErrorCode, PartError};
use tgp_base::threads::spawn_failure;

/// Panics without printing a message.
fn panic() -> ! {
    resume_unwind(Box::new("no"))
}

/// A host that panics in the call `panic`.
struct Fragile;

impl Host for Fragile {
    fn call(self: Arc<Self>, question: Question, reply: Reply) {
        if question.name == "panic" {
            panic();
        }
        reply.send(HostAnswer::Value("1".to_owned()));
    }
}

#[derive(Debug)]
struct FragileStore;

impl BytecodeStore for FragileStore {
    fn read(&self, _: &str) -> Option<Vec<u8>> {
        None
    }
    fn write(&self, _: &str, _: &[u8]) {
        panic();
    }
}

#[derive(Debug)]
struct UnreadableStore;

impl BytecodeStore for UnreadableStore {
    fn read(&self, _: &str) -> Option<Vec<u8>> {
        panic();
    }
    fn write(&self, _: &str, _: &[u8]) {}
}

fn sandbox(bytecode: Arc<dyn BytecodeStore>) -> Sandbox {
    sandbox_of(1, bytecode)
}

type Outcome = Result<RunOutcome, SandboxError>;

fn submit(sandbox: &Sandbox, code: &str, package: Option<&Arc<Package>>, done: impl FnOnce(Outcome) + Send + 'static) {
    let api = Arc::new(vec!["panic".to_owned(), "ask".to_owned()]);
    let request = RunRequest { api, ..request(code, package, Arc::new(Fragile)) };
    sandbox.run(request, when_done(done));
}

fn run_with(sandbox: &Sandbox, code: &str, package: Option<&Arc<Package>>) -> Outcome {
    let (sender, receiver) = crossbeam_channel::bounded(1);
    submit(sandbox, code, package, move |outcome| sender.send(outcome).unwrap());
    receiver.recv_timeout(Duration::from_secs(120)).unwrap()
}

fn value(sandbox: &Sandbox, code: &str) -> String {
    match run_with(sandbox, code, None).unwrap().end {
        RunEnd::Value(json) => json,
        other => panic!("no value but {other:?}"),
    }
}

/// A package that is large enough for bytecode.
fn package(value: &str) -> Arc<Package> {
    let filler = "module.f = (a) => a + 1;\n".repeat(2000);
    Arc::new(Package::new(format!("{filler}module.exports = () => '{value}';").into()))
}

#[test]
fn a_panic_in_a_host_call_is_an_error_in_the_guest() {
    let sandbox = sandbox(Arc::new(()));
    let caught = "try { await tgp.panic() } catch (error) { return [error.code, await tgp.ask()] }";
    assert_eq!(value(&sandbox, &format!("return (async () => {{ {caught} }})()")), "[\"ERR_INTERNAL\",1]");
    let RunEnd::Thrown(error) = run_with(&sandbox, "return tgp.panic()", None).unwrap().end else {
        panic!("nothing was thrown");
    };
    assert_eq!(error.host_code.as_deref(), Some("ERR_INTERNAL"));
    assert_eq!(value(&sandbox, "return tgp.ask()"), "1");
}

#[test]
fn a_panic_in_the_completion_callback_does_not_affect_the_pool() {
    let sandbox = sandbox(Arc::new(()));
    for _ in 0..3 {
        submit(&sandbox, "return 1", None, |_| panic());
        assert_eq!(value(&sandbox, "return 2"), "2");
    }
}

#[test]
fn a_pool_without_a_supervisor_thread_works_and_tries_again() {
    let sandbox = spawn_failure::during("tgp-supervisor", || {
        let sandbox = sandbox(Arc::new(()));
        assert_eq!(value(&sandbox, "return 1"), "1");
        sandbox
    });
    assert_eq!(value(&sandbox, "return 2"), "2");
    sandbox.shutdown();
}

#[test]
fn a_pool_without_worker_threads_reports_an_error() {
    let error = spawn_failure::during("tgp-worker-start", || {
        let sandbox = sandbox(Arc::new(()));
        run_with(&sandbox, "return 1", None).unwrap_err()
    });
    assert_eq!(error.code(), ErrorCode::IsolateCrashed);
}

#[test]
fn a_panic_in_the_bytecode_store_does_not_fail_the_run() {
    let sandbox = sandbox(Arc::new(FragileStore));
    for name in ["one", "two"] {
        let end = run_with(&sandbox, "return require('big')()", Some(&package(name))).unwrap().end;
        assert!(matches!(&end, RunEnd::Value(json) if *json == format!("\"{name}\"")), "{end:?}");
    }
    sandbox.shutdown();
}

#[test]
fn a_panic_while_a_run_is_sent_ends_that_run() {
    let sandbox = sandbox(Arc::new(UnreadableStore));
    let end = run_with(&sandbox, "return require('big')()", Some(&package("one"))).unwrap().end;
    assert!(matches!(end, RunEnd::Crashed(CrashCause::Host)), "{end:?}");
    assert_eq!(value(&sandbox, "return 1"), "1");
}
