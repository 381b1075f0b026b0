//! What V8 has to say about a source that is no program.

use super::source_question::{known_place, learn_places};
use crate::engine::run::{CompiledPlace, RunState, SourcePlace};
use std::sync::Arc;

/// Whose places an error of V8 is told in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    Source,
    Compiled,
}

/// Has V8 read a module as it was written: what was made of it may have lost what is wrong with it. `None` when it is
/// wrong, and the error is pending.
pub fn judge(scope: &mut v8::PinScope<'_, '_>, path: &str) -> Option<()> {
    let Some(original) = unjudged(scope, path) else { return Some(()) };
    let text = v8::String::new(scope, &original)?;
    let name = v8::String::new(scope, path)?;
    let origin = v8::ScriptOrigin::new(scope, name.into(), 0, 0, false, -1, None, false, false, true, None);
    let mut source = v8::script_compiler::Source::new(text, Some(&origin));
    v8::script_compiler::compile_module(scope, &mut source)?;
    scope.get_slot_mut::<RunState>()?.cache.note_judged(path, original);
    Some(())
}

fn unjudged(scope: &mut v8::PinScope<'_, '_>, path: &str) -> Option<Arc<str>> {
    let state = scope.get_slot::<RunState>()?;
    let original = state.module(path)?.original.as_ref()?;
    (!state.cache.is_judged(path, original)).then(|| Arc::clone(original))
}

/// Writes into a syntax error where it is, as the compiler would say it: V8 keeps that for itself.
pub fn place_error(
    scope: &mut v8::PinScope<'_, '_>,
    error: v8::Local<'_, v8::Value>,
    message: v8::Local<'_, v8::Message>,
    path: &str,
    told: Told,
) -> Option<()> {
    let error = v8::Local::<'_, v8::Object>::try_from(error).ok().filter(|error| error.is_native_error())?;
    let line = u32::try_from(message.get_line_number(scope)?).ok()?;
    let column = u32::try_from(message.get_start_column().saturating_add(1)).ok()?;
    let SourcePlace { line, column } = match told {
        Told::Source => SourcePlace { line, column },
        Told::Compiled => {
            let place = CompiledPlace { path: path.to_owned(), line, column };
            learn_places(scope, [&place].into_iter());
            known_place(scope, &place)?
        }
    };
    let told = message.get(scope).to_rust_string_lossy(scope);
    let told = told.strip_prefix("Uncaught SyntaxError: ")?;
    let told = format!("{path}:{line}:{column}: {told}");
    let stack = format!("SyntaxError: {told}\n    at {path}:{line}:{column}");
    for (key, value) in [("message", told), ("stack", stack)] {
        let key = v8::String::new(scope, key)?;
        let value = v8::String::new(scope, &value)?;
        error.define_own_property(scope, key.into(), value.into(), v8::PropertyAttribute::DONT_ENUM)?;
    }
    Some(())
}
