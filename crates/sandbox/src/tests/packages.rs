//! Tests of packages and their bytecode, with engines on threads.

use super::{request, sandbox_of};
use crate::packages::{Bytecode, EngineTag, file_name};
use crate::{BytecodeStore, Host, HostAnswer, PLACES_QUESTION, Package, Question, Reply, RunEnd, Sandbox, when_done};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Debug, Default)]
struct Memory(Mutex<HashMap<String, Vec<u8>>>);

impl BytecodeStore for Memory {
    fn read(&self, name: &str) -> Option<Vec<u8>> {
        self.0.lock().get(name).cloned()
    }
    fn write(&self, name: &str, content: &[u8]) {
        self.0.lock().insert(name.to_owned(), content.to_owned());
    }
}

impl Memory {
    /// The engine and the content of the file for `package`, once there is one that `accepts` takes.
    fn wait(&self, package: &Package, accepts: impl Fn(&[u8]) -> bool) -> (EngineTag, Vec<u8>) {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            let found = self.0.lock().iter().find_map(|(name, content)| {
                let tag = name.strip_prefix(&format!("{}-", package.id()))?.strip_suffix(".bin")?;
                Some((EngineTag(u64::from_str_radix(tag, 16).unwrap()), content.clone()))
            });
            if let Some(found) = found.filter(|(_, content)| accepts(content)) {
                return found;
            }
            assert!(Instant::now() < deadline, "no bytecode was stored");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

struct PlacesHost;

impl Host for PlacesHost {
    /// Answers calls for source positions only, with the same positions.
    fn call(self: Arc<Self>, question: Question, reply: Reply) {
        if question.name == PLACES_QUESTION {
            let positions: Vec<(String, u32, u32)> = serde_json::from_str(&question.args_json).unwrap();
            let same: Vec<_> = positions.into_iter().map(|(_, line, column)| (line, column)).collect();
            reply.send(HostAnswer::Value(serde_json::to_string(&same).unwrap()));
        }
    }
}

fn sandbox(store: &Arc<Memory>) -> Sandbox {
    sandbox_of(1, Arc::<Memory>::clone(store))
}

/// Runs a tool that returns the result of the package's function.
fn run(sandbox: &Sandbox, package: &Arc<Package>) -> RunEnd {
    let request = request("return require('big')()", Some(package), Arc::new(PlacesHost));
    let (sender, receiver) = crossbeam_channel::bounded(1);
    sandbox.run(request, when_done(move |outcome| sender.send(outcome).unwrap()));
    receiver.recv_timeout(Duration::from_secs(120)).unwrap().unwrap().end
}

/// A package whose function returns `value`, large enough for bytecode. Values of equal length give texts of equal length.
fn package(value: &str) -> Arc<Package> {
    let filler = "module.f = (a) => a + 1;\n".repeat(2000);
    Arc::new(Package::new(format!("{filler}const value = '{value}';\nmodule.exports = () => value;").into()))
}

fn assert_gives(end: &RunEnd, value: &str) {
    assert!(matches!(end, RunEnd::Value(json) if *json == format!("\"{value}\"")), "{end:?}");
}

#[test]
fn a_later_pool_uses_stored_bytecode() {
    let store = Arc::<Memory>::default();
    let first = sandbox(&store);
    assert_gives(&run(&first, &package("one")), "one");
    assert_gives(&run(&first, &package("two")), "two");
    let (engine, _) = store.wait(&package("one"), |_| true);
    let (_, two) = store.wait(&package("two"), |_| true);
    first.shutdown();
    // V8 does not distinguish texts of the same length, so the other package's bytecode shows that bytecode was used.
    let two = Bytecode::unsealed(&two, package("two").id(), engine).unwrap();
    let one = package("one").id();
    store.write(&file_name(one, engine), &two.sealed(one, engine));
    let second = sandbox(&store);
    assert_gives(&run(&second, &package("one")), "two");
    assert_gives(&run(&second, &package("one")), "two");
}

#[test]
fn a_damaged_file_and_one_of_another_package_are_ignored_and_replaced() {
    let store = Arc::<Memory>::default();
    let first = sandbox(&store);
    run(&first, &package("one"));
    run(&first, &package("two"));
    let (engine, one) = store.wait(&package("one"), |_| true);
    let (_, two) = store.wait(&package("two"), |_| true);
    first.shutdown();
    let name = file_name(package("one").id(), engine);
    let mut flipped = one.clone();
    flipped[100] ^= 1;
    for damaged in [two, flipped, one[..one.len() / 2].to_vec(), Vec::new()] {
        store.write(&name, &damaged);
        let next = sandbox(&store);
        assert_gives(&run(&next, &package("one")), "one");
        let (_, replaced) = store.wait(&package("one"), |content| *content != damaged);
        assert!(Bytecode::unsealed(&replaced, package("one").id(), engine).is_some());
        next.shutdown();
    }
}

#[test]
fn text_is_compiled_if_v8_rejects_the_bytecode() {
    let store = Arc::<Memory>::default();
    let first = sandbox(&store);
    run(&first, &package("one"));
    let (engine, _) = store.wait(&package("one"), |_| true);
    first.shutdown();
    let one = package("one").id();
    store.write(&file_name(one, engine), &Bytecode::new(&[7; 4096]).sealed(one, engine));
    assert_gives(&run(&sandbox(&store), &package("one")), "one");
}

#[test]
fn no_bytecode_is_stored_for_small_or_invalid_packages() {
    let store = Arc::<Memory>::default();
    let sandbox = sandbox(&store);
    assert_gives(&run(&sandbox, &Arc::new(Package::new("module.exports = () => 'small'".into()))), "small");
    let broken = Arc::new(Package::new(format!("{}\nthis is no JavaScript", " ".repeat(20 << 10)).into()));
    assert!(matches!(run(&sandbox, &broken), RunEnd::Thrown(_)));
    sandbox.shutdown();
    assert!(store.0.lock().is_empty());
}

#[test]
fn an_error_in_a_package_has_its_position_with_and_without_bytecode() {
    let store = Arc::<Memory>::default();
    let filler = "module.f = (a) => a + 1;\n".repeat(2000);
    let package = || Arc::new(Package::new(format!("{filler}module.exports = () => {{ throw Error('no') }}").into()));
    let place = |end: RunEnd| {
        let RunEnd::Thrown(error) = end else { panic!("{end:?}") };
        error.stack
    };
    let first = sandbox(&store);
    let without = place(run(&first, &package()));
    assert!(without.contains("npm:big:2001:"), "{without}");
    store.wait(&package(), |_| true);
    first.shutdown();
    assert_eq!(place(run(&sandbox(&store), &package())), without);
}
