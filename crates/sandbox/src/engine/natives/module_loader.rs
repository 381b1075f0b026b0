//! Native functions of `require`: the modules of a run.

use super::booking::copy_text;
use super::callback::{Arguments, Returned, guarded, throw};
use super::host_call::{answer_text, call_and_wait};
use super::module_source::{BytecodeOrigin, source_of};
use super::syntax_check::{ErrorOrigin, check_syntax, place_error};
use crate::engine::run::RunState;
use crate::message::HostAnswer;
use crate::module::ModuleKind;
use serde::Deserialize;
use std::time::Duration;

/// CPU time granted for a package that is compiled for the first time; with bytecode it takes a fraction of that.
const FIRST_LOAD: Duration = Duration::from_millis(250);

/// `kind(path)`: one of `moduleKinds`.
pub fn kind(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((path, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        let kind = scope.get_slot::<RunState>().and_then(|state| state.module(&path)).map(|module| module.kind);
        match kind {
            Some(kind) => returned.set_uint32(kind.number()),
            None => throw(scope, "the module is not part of this run"),
        }
    });
}

/// `source(path)`: the text of a JSON module.
pub fn source(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((path, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        let module = scope.get_slot::<RunState>().and_then(|state| state.module(&path));
        let is_json = module.is_some_and(|module| module.kind == ModuleKind::Json);
        if is_json && let Some(text) = code_of(scope, &path) {
            returned.set(text.into());
        }
    });
}

/// `link(importer, specifier)`: the path that the specifier resolves to, or undefined.
pub fn link(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((importer, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        let Some((wanted, _booked)) = copy_text(scope, arguments.get(1), 1) else { return };
        let target = scope.get_slot::<RunState>().and_then(|state| {
            let module = state.module(&importer)?;
            module.links.iter().find(|(specifier, _)| *specifier == wanted).map(|(_, target)| target.clone())
        });
        if let Some(target) = target
            && let Some(text) = v8::String::new(scope, &target)
        {
            returned.set(text.into());
        }
    });
}

/// `require(importer, specifier)`: gets a module with a computed specifier from the host and adds it to the run. The answer is
/// the path, in the format of [`answer_text`]. No code comes from the guest.
pub fn require(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((importer, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        // Copies: the text, its JSON, V8's string and the message.
        let Some((wanted, _booked)) = copy_text(scope, arguments.get(1), 4) else { return };
        let question = serde_json::to_string(&(importer, wanted)).ok();
        let Some(question) = question.and_then(|question| v8::String::new(scope, &question)) else { return };
        let answer = match call_and_wait(scope, "#require".to_owned(), question.into()) {
            Some(HostAnswer::Value(json)) => add_required(scope, &json),
            Some(fault) => Some(fault),
            None => return,
        };
        match answer.and_then(|answer| answer_text(scope, &answer)) {
            Some(text) => returned.set(text.into()),
            None => throw(scope, "the host sent no modules"),
        }
    });
}

/// The host's answer to `#require`.
#[derive(Deserialize)]
struct Required {
    path: String,
    /// A list of modules, as JSON text.
    modules: String,
}

/// Adds the modules to the run and returns the path of the required one.
fn add_required(scope: &mut v8::PinScope<'_, '_>, json: &str) -> Option<HostAnswer> {
    let required: Required = serde_json::from_str(json).ok()?;
    let modules = serde_json::from_str(&required.modules).ok()?;
    scope.get_slot_mut::<RunState>()?.add_modules(modules);
    serde_json::to_string(&required.path).ok().map(HostAnswer::Value)
}

/// `compile(path)`: the module's function.
pub fn compile(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((path, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        v8::tc_scope!(let scope, scope);
        let origin = if check_syntax(scope, &path).is_some() { ErrorOrigin::Compiled } else { ErrorOrigin::Source };
        let code = if origin == ErrorOrigin::Compiled { code_of(scope, &path) } else { None };
        match code.and_then(|code| compile_body(scope, &path, code)) {
            Some(function) => returned.set(function.into()),
            None => {
                if let Some(error) = scope.exception()
                    && let Some(message) = scope.message()
                    && !scope.has_terminated()
                {
                    place_error(scope, error, message, &path, origin);
                }
                scope.rethrow();
            }
        }
    });
}

fn code_of<'s>(scope: &mut v8::PinScope<'s, '_>, path: &str) -> Option<v8::Local<'s, v8::String>> {
    let state = scope.get_slot::<RunState>()?;
    let text = state.code(state.module(path)?)?;
    v8::String::new(scope, text)
}

/// `None` if V8 threw; the exception is pending in the guest.
fn compile_body<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    path: &str,
    code: v8::Local<'s, v8::String>,
) -> Option<v8::Local<'s, v8::Function>> {
    let name = v8::String::new(scope, path)?;
    let origin = v8::ScriptOrigin::new(scope, name.into(), 0, 0, false, -1, None, false, false, false, None);
    let (mut source, options, found) = source_of(scope, path, code, &origin);
    if found == BytecodeOrigin::FirstCompilation
        && let Some(state) = scope.get_slot::<RunState>()
    {
        state.control.grant(FIRST_LOAD);
    }
    let function = compile_function(scope, &mut source, options)?;
    // V8 rejects data of another V8 or text, and compiles the text then.
    let refused = source.get_cached_data().is_none_or(v8::script_compiler::CachedData::rejected);
    if refused || found != BytecodeOrigin::Worker {
        let fresh = v8::Global::new(scope, function);
        if let Some(state) = scope.get_slot_mut::<RunState>() {
            state.note_compiled(path, fresh);
        }
    } else if let Some(state) = scope.get_slot_mut::<RunState>() {
        state.cache.note_use(path);
    }
    Some(function)
}

/// The parameters of every module's function, in order.
const PARAMETERS: [&str; 5] = ["exports", "require", "module", "__filename", "__dirname"];

/// Compiles a module's text to a function with these parameters.
pub fn compile_function<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    source: &mut v8::script_compiler::Source,
    options: v8::script_compiler::CompileOptions,
) -> Option<v8::Local<'s, v8::Function>> {
    let mut parameters = Vec::with_capacity(PARAMETERS.len());
    for parameter in PARAMETERS {
        parameters.push(v8::String::new(scope, parameter)?);
    }
    let reason = v8::script_compiler::NoCacheReason::NoReason;
    v8::script_compiler::compile_function(scope, source, &parameters, &[], options, reason)
}
