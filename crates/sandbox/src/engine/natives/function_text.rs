//! `Function.prototype.toString` for functions of tools: asks the host for the source text.

use super::callback::{Arguments, Returned, give_text, guarded};
use super::host_call::call_for_engine;
use crate::engine::run::{CompiledPlace, RunState};
use crate::message::{FUNCTION_TEXT_QUESTION, HostAnswer};
use crate::module::Code;

/// `sourceText(function, isClass)`: undefined if there is only the compiled text.
pub fn source_text(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Ok(function) = v8::Local::<'_, v8::Function>::try_from(arguments.get(0)) else { return };
        let Some(place) = place_of(scope, function) else { return };
        let is_class = arguments.get(1).is_true();
        let known = scope.get_slot::<RunState>().and_then(|state| state.texts.get(&place));
        let text = match known {
            Some(text) => text,
            None => {
                let text = ask(scope, &place, is_class);
                if let Some(state) = scope.get_slot_mut::<RunState>() {
                    state.texts.learn(place, text.clone());
                }
                text
            }
        };
        if let Some(text) = text {
            give_text(scope, &mut returned, &text);
        }
    });
}

/// Position of a tool's function in the compiled code.
fn place_of(scope: &mut v8::PinScope<'_, '_>, function: v8::Local<'_, v8::Function>) -> Option<CompiledPlace> {
    let name = function.get_script_origin(scope).resource_name()?;
    let path = v8::Local::<'_, v8::String>::try_from(name).ok()?.to_rust_string_lossy(scope);
    let module = scope.get_slot::<RunState>()?.module(&path)?;
    match module.code {
        Code::Text(_) => {}
        Code::Package(_) => return None,
    }
    let line = function.get_script_line_number()?.checked_add(1)?;
    let column = function.get_script_column_number()?.checked_add(1)?;
    Some(CompiledPlace { path, line, column })
}

/// The host's answer; `None` once the limit of such calls is reached.
fn ask(scope: &mut v8::PinScope<'_, '_>, place: &CompiledPlace, is_class: bool) -> Option<String> {
    if scope.get_slot::<RunState>()?.texts.is_full() {
        return None;
    }
    let question = serde_json::to_string(&(&place.path, place.line, place.column, is_class)).ok()?;
    match call_for_engine(scope, FUNCTION_TEXT_QUESTION, question)? {
        HostAnswer::Value(json) => serde_json::from_str::<Option<String>>(&json).ok()?,
        HostAnswer::Fault { .. } => None,
    }
}
