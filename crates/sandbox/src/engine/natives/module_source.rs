//! The source of a module for V8, with cached bytecode if there is any.

use crate::engine::run::RunState;
use crate::module::Code;

/// The origin of a module's bytecode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BytecodeOrigin {
    /// This worker's cache: it includes functions that earlier runs used.
    Worker,
    /// The package, or none.
    Other,
}

/// The module's source for V8, with the best available bytecode.
pub fn source_of<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    path: &str,
    text: v8::Local<'s, v8::String>,
    origin: &v8::ScriptOrigin<'s>,
) -> (v8::script_compiler::Source, v8::script_compiler::CompileOptions, BytecodeOrigin) {
    match scope.get_slot::<RunState>().and_then(|state| find(state, path)) {
        Some((data, found)) => {
            let data = v8::script_compiler::CachedData::new(data);
            let source = v8::script_compiler::Source::new_with_cached_data(text, Some(origin), data);
            (source, v8::script_compiler::CompileOptions::ConsumeCodeCache, found)
        }
        None => {
            let source = v8::script_compiler::Source::new(text, Some(origin));
            (source, v8::script_compiler::CompileOptions::NoCompileOptions, BytecodeOrigin::Other)
        }
    }
}

fn find<'a>(state: &'a RunState, path: &str) -> Option<(&'a [u8], BytecodeOrigin)> {
    let module = state.module(path)?;
    if let Some(data) = state.cache.get(path, state.code(module)?) {
        return Some((data, BytecodeOrigin::Worker));
    }
    let Code::Package(id) = &module.code else { return None };
    let bytecode = state.cache.parcel(*id)?.bytecode.as_ref()?;
    Some((bytecode.data(), BytecodeOrigin::Other))
}
