//! Syntax check of sources by V8.

use super::source_positions::{known_place, learn_places};
use crate::engine::run::{CompiledPlace, RunState, SourcePlace};
use std::sync::Arc;

/// The text that positions of a syntax error refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorOrigin {
    Source,
    Compiled,
}

/// Has V8 parse the original text of a module: errors may be lost in the compiled text. `None` if there is an error, which is
/// pending then.
pub fn check_syntax(scope: &mut v8::PinScope<'_, '_>, path: &str) -> Option<()> {
    let Some(original) = unchecked_source(scope, path) else { return Some(()) };
    let text = v8::String::new(scope, &original)?;
    let name = v8::String::new(scope, path)?;
    let origin = v8::ScriptOrigin::new(scope, name.into(), 0, 0, false, -1, None, false, false, true, None);
    let mut source = v8::script_compiler::Source::new(text, Some(&origin));
    v8::script_compiler::compile_module(scope, &mut source)?;
    scope.get_slot_mut::<RunState>()?.cache.note_judged(path, original);
    Some(())
}

fn unchecked_source(scope: &mut v8::PinScope<'_, '_>, path: &str) -> Option<Arc<str>> {
    let state = scope.get_slot::<RunState>()?;
    let original = state.module(path)?.original.as_ref()?;
    (!state.cache.is_judged(path, original)).then(|| Arc::clone(original))
}

/// Adds the position to a syntax error in the format of the compiler; V8's error object does not hold it.
pub fn place_error(
    scope: &mut v8::PinScope<'_, '_>,
    error: v8::Local<'_, v8::Value>,
    message: v8::Local<'_, v8::Message>,
    path: &str,
    origin: ErrorOrigin,
) -> Option<()> {
    let error = v8::Local::<'_, v8::Object>::try_from(error).ok().filter(|error| error.is_native_error())?;
    let line = u32::try_from(message.get_line_number(scope)?).ok()?;
    let column = u32::try_from(message.get_start_column().saturating_add(1)).ok()?;
    let SourcePlace { line, column } = match origin {
        ErrorOrigin::Source => SourcePlace { line, column },
        ErrorOrigin::Compiled => {
            let place = CompiledPlace { path: path.to_owned(), line, column };
            learn_places(scope, [&place].into_iter());
            known_place(scope, &place)?
        }
    };
    let message = message.get(scope).to_rust_string_lossy(scope);
    let message = message.strip_prefix("Uncaught SyntaxError: ")?;
    let message = format!("{path}:{line}:{column}: {message}");
    let stack = format!("SyntaxError: {message}\n    at {path}:{line}:{column}");
    for (key, value) in [("message", message), ("stack", stack)] {
        let key = v8::String::new(scope, key)?;
        let value = v8::String::new(scope, &value)?;
        error.define_own_property(scope, key.into(), value.into(), v8::PropertyAttribute::DONT_ENUM)?;
    }
    Some(())
}
