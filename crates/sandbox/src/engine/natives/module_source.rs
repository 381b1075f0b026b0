//! A module's text for V8, with the best bytecode that there is for it.

use crate::engine::run::RunState;
use crate::module::Code;

/// Where a module's bytecode was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// In what this worker made: it knows what earlier runs needed.
    Own,
    /// In its package, or nowhere.
    Elsewhere,
    /// Nowhere, though it is a package: it is compiled for the first time.
    NotYet,
}

/// The module's source for V8, with the best bytecode that there is.
pub fn source_of<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    path: &str,
    text: v8::Local<'s, v8::String>,
    origin: &v8::ScriptOrigin<'s>,
) -> (v8::script_compiler::Source, v8::script_compiler::CompileOptions, Found) {
    match scope.get_slot::<RunState>().and_then(|state| find(state, path)) {
        Some((data, found)) => {
            let data = v8::script_compiler::CachedData::new(data);
            let source = v8::script_compiler::Source::new_with_cached_data(text, Some(origin), data);
            (source, v8::script_compiler::CompileOptions::ConsumeCodeCache, found)
        }
        None => {
            let state = scope.get_slot::<RunState>();
            let module = state.and_then(|state| state.module(path));
            let is_package = module.is_some_and(|module| matches!(module.code, Code::Package(_)));
            let found = if is_package { Found::NotYet } else { Found::Elsewhere };
            let source = v8::script_compiler::Source::new(text, Some(origin));
            (source, v8::script_compiler::CompileOptions::NoCompileOptions, found)
        }
    }
}

fn find<'a>(state: &'a RunState, path: &str) -> Option<(&'a [u8], Found)> {
    let module = state.module(path)?;
    if let Some(data) = state.cache.get(path, state.code(module)?) {
        return Some((data, Found::Own));
    }
    let Code::Package(id) = &module.code else { return None };
    let bytecode = state.cache.parcel(*id)?.bytecode.as_ref()?;
    Some((bytecode.data(), Found::Elsewhere))
}
