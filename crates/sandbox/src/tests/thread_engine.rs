//! Tests of the engine on a thread. Worker processes are tested through the public API, where the worker executable exists.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test fails on whatever it did not expect")]

use super::{request, sandbox_of};
use crate::{
    Done, Host, HostAnswer, Question, Reply, RunEnd, RunLimits, RunOutcome, RunRequest, Sandbox, SandboxError,
    when_done,
};
use std::sync::Arc;
use std::time::Duration;
use tgp_base::ids::RunId;

struct Echo;

impl Host for Echo {
    fn call(self: Arc<Self>, question: Question, reply: Reply) {
        reply.send(HostAnswer::Value(format!("[\"{}\",{}]", question.name, question.args_json)));
    }
}

/// A short CPU limit, so that loops end soon.
const LIMITS: RunLimits = RunLimits { cpu: Duration::from_millis(200), ..super::LIMITS };

fn sandbox() -> Sandbox {
    sandbox_of(2, Arc::new(()))
}

fn submit(sandbox: &Sandbox, code: &str, args: &str, limits: RunLimits, done: Done) -> RunId {
    let request = request(code, None, Arc::new(Echo));
    let (run, api) = (request.run, Arc::new(vec!["ask".to_owned()]));
    sandbox.run(RunRequest { args_json: args.into(), api, limits, seed: Some(7), ..request }, done);
    run
}

fn run_with(sandbox: &Sandbox, code: &str, args: &str, limits: RunLimits) -> RunOutcome {
    let (sender, receiver) = crossbeam_channel::bounded::<Result<RunOutcome, SandboxError>>(1);
    submit(sandbox, code, args, limits, when_done(move |outcome| sender.send(outcome).unwrap()));
    receiver.recv_timeout(Duration::from_secs(120)).unwrap().unwrap()
}

fn run(sandbox: &Sandbox, code: &str) -> RunEnd {
    run_with(sandbox, code, "{\"n\":2}", LIMITS).end
}

fn value(sandbox: &Sandbox, code: &str) -> String {
    match run(sandbox, code) {
        RunEnd::Value(json) => json,
        other => panic!("no value but {other:?}"),
    }
}

#[test]
fn every_form_of_a_script_returns_its_value() {
    let sandbox = sandbox();
    assert_eq!(value(&sandbox, "return args.n + 1"), "3");
    assert_eq!(value(&sandbox, "module.exports = (args) => args.n * 2"), "4");
    assert_eq!(value(&sandbox, "module.exports = async (args) => { await null; return [args.n] }"), "[2]");
    assert_eq!(value(&sandbox, "module.exports = { a: 1 }"), "{\"a\":1}");
    assert_eq!(value(&sandbox, "let x = 1"), "null");
    assert_eq!(value(&sandbox, "return new Promise((done) => setTimeout(() => done('late'), 5))"), "\"late\"");
    assert_eq!(value(&sandbox, "return tgp.read_file('a')"), "[\"read_file\",[\"a\"]]");
    assert_eq!(value(&sandbox, "return tgp.ask(1n, { a: 2 })"), "[\"ask\",[\"1\",{\"a\":2}]]");
}

#[test]
fn results_are_serialised_as_documented() {
    let sandbox = sandbox();
    assert_eq!(value(&sandbox, "return 12345678901234567890n"), "\"12345678901234567890\"");
    assert_eq!(
        value(&sandbox, "return { m: new Map([['a', 1]]), s: new Set([1, 2]), d: new Date(0) }"),
        "{\"m\":{\"a\":1},\"s\":[1,2],\"d\":\"1970-01-01T00:00:00.000Z\"}"
    );
    for (code, path) in [
        ("return { a: [0, () => 1] }", "result.a.1 is a function"),
        ("return { a: { b: Symbol('x') } }", "result.a.b is a symbol"),
        ("const o = {}; o.self = { o }; return o", "contains itself"),
        ("return 'x'.repeat(2 ** 21)", "more than 1048576 bytes of JSON"),
        ("let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; return o", "nested too deeply"),
    ] {
        match run(&sandbox, code) {
            RunEnd::BadResult(message) => assert!(message.contains(path), "{message}"),
            other => panic!("{code}: {other:?}"),
        }
    }
}

#[test]
fn limits_end_a_run_and_the_next_one_works() {
    let sandbox = sandbox();
    assert!(matches!(run(&sandbox, "while (true) {}"), RunEnd::CpuTimeout));
    assert_eq!(value(&sandbox, "return 1"), "1");
    assert!(matches!(run(&sandbox, "return new Uint8Array(100 << 20).length"), RunEnd::OutOfMemory));
    assert_eq!(value(&sandbox, "return 2"), "2");
    let slow = RunLimits { cpu: Duration::from_secs(60), wall: Duration::from_secs(60), ..LIMITS };
    let grow = "const a = []; while (true) a.push(new Array(1000).fill(1))";
    assert!(matches!(run_with(&sandbox, grow, "{}", slow).end, RunEnd::OutOfMemory));
    let one = "return 'ab'.repeat(2 ** 26).indexOf('x')";
    assert!(matches!(run_with(&sandbox, one, "{}", slow).end, RunEnd::OutOfMemory));
    let short = RunLimits { wall: Duration::from_millis(50), ..LIMITS };
    let waits = "return new Promise((done) => setTimeout(done, 10000))";
    assert!(matches!(run_with(&sandbox, waits, "{}", short).end, RunEnd::WallTimeout));
    assert_eq!(value(&sandbox, "return 3"), "3");
}

#[test]
fn a_run_starts_from_a_clean_state() {
    let sandbox = sandbox();
    let poison = "Object.prototype.then = 1; Array.prototype.map = null; globalThis.left = 1; JSON.parse = null;
        setInterval(() => {}, 1); Promise.resolve().then(() => { globalThis.late = 1 }); return 0";
    assert_eq!(value(&sandbox, poison), "0");
    assert_eq!(
        value(&sandbox, "return [typeof left, typeof late, typeof [].map, ({}).then === undefined, JSON.parse('1')]"),
        "[\"undefined\",\"undefined\",\"function\",true,1]"
    );
}

#[test]
fn guests_cannot_compile_code_from_text() {
    let sandbox = sandbox();
    for code in ["return eval('1')", "return new Function('return 1')()", "return (() => {}).constructor('return 1')()"]
    {
        match run(&sandbox, code) {
            RunEnd::Thrown(error) => assert!(["ReferenceError", "EvalError"].contains(&&*error.name), "{error:?}"),
            other => panic!("{code}: {other:?}"),
        }
    }
}

#[test]
fn logs_keep_their_order_and_are_truncated_with_a_mark() {
    let sandbox = sandbox();
    let code = "console.log('a', 1, { b: [1n] }); console.error(new Map([[1, 2]])); for (let i = 0; i < 100; i++) tgp.log('x'.repeat(100))";
    let outcome = run_with(&sandbox, code, "{}", LIMITS);
    let lines: Vec<_> = outcome.logs.iter().map(|line| line.message.as_str()).collect();
    assert_eq!(lines[..2], ["a 1 { b: [ 1n ] }", "Map(1) { 1 => 2 }"]);
    assert!(lines.last().unwrap().ends_with("[log truncated: the limit of sandbox.logBytes is reached]"));
    assert!(lines.len() < 15);
}

#[test]
fn a_cancelled_run_ends_and_a_late_cancel_has_no_effect() {
    let sandbox = sandbox();
    let (sender, receiver) = crossbeam_channel::bounded(1);
    let slow = RunLimits { cpu: Duration::from_secs(60), wall: Duration::from_secs(60), ..LIMITS };
    let run = submit(&sandbox, "while (true) {}", "{}", slow, when_done(move |outcome| sender.send(outcome).unwrap()));
    std::thread::sleep(Duration::from_millis(50));
    sandbox.cancel(run);
    let outcome = receiver.recv_timeout(Duration::from_secs(120)).unwrap().unwrap();
    assert!(matches!(outcome.end, RunEnd::Cancelled));
    sandbox.cancel(run);
    assert_eq!(value(&sandbox, "return 1"), "1");
}

#[test]
fn the_same_seed_gives_the_same_numbers() {
    let sandbox = sandbox();
    let code = "return [Math.random(), Math.random()]";
    let first = value(&sandbox, code);
    assert_eq!(first, value(&sandbox, code));
    let numbers: Vec<f64> = serde_json::from_str(&first).unwrap();
    assert!(numbers[0] != numbers[1] && numbers.iter().all(|number| (0.0..1.0).contains(number)));
}

#[test]
fn a_closed_sandbox_completes_all_runs_and_refuses_new_ones() {
    let sandbox = sandbox();
    let (sender, receiver) = crossbeam_channel::unbounded();
    for _ in 0..8 {
        let sender = sender.clone();
        submit(&sandbox, "return 1", "{}", LIMITS, when_done(move |outcome| sender.send(outcome.is_ok()).unwrap()));
    }
    sandbox.shutdown();
    submit(&sandbox, "return 1", "{}", LIMITS, when_done(move |outcome| sender.send(outcome.is_ok()).unwrap()));
    let answers: Vec<bool> = (0..9).map(|_| receiver.recv_timeout(Duration::from_secs(120)).unwrap()).collect();
    assert!(!answers[8], "a run after shutdown is refused");
}
