//! Compiles bytecode for other engines, in an engine that runs no code.

use super::guest_isolate::GuestIsolate;
use super::snapshot::Snapshot;
use crate::engine::natives::{ModuleGlobals, compile_function};
use crate::packages::{Bytecode, EngineTag};

/// Part of every tag: another version of this crate may give modules other parameters.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Identifies the engines that can use bytecode of this one. V8's tag covers its version and flags; the snapshot is included
/// because bytecode refers to objects in it by position.
pub fn engine_tag(snapshot: &Snapshot) -> EngineTag {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&v8::script_compiler::cached_data_version_tag().to_le_bytes());
    hasher.update(&snapshot.seal.to_le_bytes());
    hasher.update(VERSION.as_bytes());
    let hash = hasher.finalize();
    EngineTag(hash.as_bytes().first_chunk::<8>().map_or(0, |chunk| u64::from_le_bytes(*chunk)))
}

/// The bytecode of a module's text; `None` if V8 cannot compile it.
///
/// Inner functions are compiled lazily, as is V8's default. Compiling all of them gives four times as much data, and reading
/// that takes longer than compiling the few that a run needs.
pub fn bytecode_of(isolate: &mut GuestIsolate, code: &str) -> Option<Bytecode> {
    let realm = isolate.take_realm()?;
    v8::scope!(let scope, &mut isolate.v8);
    let context = v8::Local::new(scope, &realm.context);
    let scope = &mut v8::ContextScope::new(scope, context);
    v8::tc_scope!(let scope, scope);
    let text = v8::String::new(scope, code)?;
    // The reader of the bytecode sets the module's name.
    let name = v8::String::empty(scope);
    let origin = v8::ScriptOrigin::new(scope, name.into(), 0, 0, false, -1, None, false, false, false, None);
    let mut source = v8::script_compiler::Source::new(text, Some(&origin));
    let options = v8::script_compiler::CompileOptions::NoCompileOptions;
    let function = compile_function(scope, &mut source, options, ModuleGlobals::None)?;
    function.create_code_cache().map(|data| Bytecode::new(&data))
}

#[cfg(test)]
mod tests {
    use super::{bytecode_of, engine_tag};
    use crate::engine::control::EngineControl;
    use crate::engine::control::StuckPolicy;
    use crate::engine::isolate::guest_isolate::GuestIsolate;
    use crate::engine::isolate::snapshot::{Snapshot, load};
    use std::sync::Arc;

    #[test]
    fn text_is_compiled_and_never_run() {
        let snapshot = load(Vec::new()).unwrap();
        let control = EngineControl::new(Arc::new(|_| {}), StuckPolicy::Abandon);
        let mut isolate = GuestIsolate::new(snapshot.blob.clone(), 64 << 20, &control);
        assert!(bytecode_of(&mut isolate, "for (;;) {}").is_some_and(|made| !made.data().is_empty()));
        assert_eq!(bytecode_of(&mut isolate, "this is no JavaScript"), None);
        assert!(bytecode_of(&mut isolate, "throw 1").is_some());
    }

    #[test]
    fn engines_of_one_snapshot_share_a_tag() {
        let one = load(Vec::new()).unwrap();
        assert_eq!(engine_tag(&one), engine_tag(&load(Vec::new()).unwrap()));
        let other = Snapshot { seal: one.seal ^ 1, ..one };
        assert_ne!(engine_tag(&other), engine_tag(&load(Vec::new()).unwrap()));
    }
}
