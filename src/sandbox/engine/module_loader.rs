//! The modules of a run, as the realm's `require` sees them.

use super::booking::copy_text;
use super::code_cache::{Found, source_of};
use super::host_call::{answer_text, ask_now};
use super::native::{Arguments, Returned, guarded, throw};
use super::run_state::RunState;
use crate::sandbox::message::{HostAnswer, ModuleKind};
use serde::Deserialize;

/// The parameters of every module's function, in order.
const PARAMETERS: [&str; 5] = ["exports", "require", "module", "__filename", "__dirname"];

/// `kind(path)`: a number that `bootstrap.js` knows.
pub fn kind(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((path, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        let kind = scope.get_slot::<RunState>().and_then(|state| state.module(&path)).map(|module| module.kind);
        match kind {
            Some(ModuleKind::Module) => returned.set_uint32(0),
            Some(ModuleKind::AsyncModule) => returned.set_uint32(1),
            Some(ModuleKind::Script) => returned.set_uint32(2),
            Some(ModuleKind::AsyncScript) => returned.set_uint32(3),
            Some(ModuleKind::Json) => returned.set_uint32(4),
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

/// `link(importer, specifier)`: the path that the specifier stands for, or undefined.
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

/// `require(importer, specifier)`: asks the host for a module that the source does not spell out, and takes in what it
/// sends. The answer is the path, as [`answer_text`] writes it. No code comes from the guest.
pub fn require(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((importer, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        // As JSON, for V8 and on its way.
        let Some((wanted, _booked)) = copy_text(scope, arguments.get(1), 4) else { return };
        let question = serde_json::to_string(&(importer, wanted)).ok();
        let Some(question) = question.and_then(|question| v8::String::new(scope, &question)) else { return };
        let answer = match ask_now(scope, "#require".to_owned(), question.into()) {
            Some(HostAnswer::Value(json)) => take_in(scope, &json),
            Some(fault) => Some(fault),
            None => return,
        };
        match answer.and_then(|answer| answer_text(scope, &answer)) {
            Some(text) => returned.set(text.into()),
            None => throw(scope, "the host sent no modules"),
        }
    });
}

/// What the host answers to `#require`.
#[derive(Deserialize)]
struct Required {
    path: String,
    /// A list of modules, as JSON text.
    modules: String,
}

/// Adds the modules to the run and leaves the path of the one that was asked for.
fn take_in(scope: &mut v8::PinScope<'_, '_>, json: &str) -> Option<HostAnswer> {
    let required: Required = serde_json::from_str(json).ok()?;
    let modules = serde_json::from_str(&required.modules).ok()?;
    scope.get_slot_mut::<RunState>()?.add_modules(modules);
    serde_json::to_string(&required.path).ok().map(HostAnswer::Value)
}

/// `compile(path)`: the module's function.
pub fn compile(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((path, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        if let Some(code) = code_of(scope, &path)
            && let Some(function) = compile_body(scope, &path, code)
        {
            returned.set(function.into());
        }
    });
}

fn code_of<'s>(scope: &mut v8::PinScope<'s, '_>, path: &str) -> Option<v8::Local<'s, v8::String>> {
    let state = scope.get_slot::<RunState>()?;
    let text = state.code(state.module(path)?)?;
    v8::String::new(scope, text)
}

/// `None` when V8 threw: the exception is pending in the guest.
fn compile_body<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    path: &str,
    code: v8::Local<'s, v8::String>,
) -> Option<v8::Local<'s, v8::Function>> {
    let name = v8::String::new(scope, path)?;
    let origin = v8::ScriptOrigin::new(scope, name.into(), 0, 0, false, -1, None, false, false, false, None);
    let (mut source, options, found) = source_of(scope, path, code, &origin);
    let function = compile_function(scope, &mut source, options)?;
    // Data of another V8 or text is refused, and then the text was compiled after all.
    let refused = source.get_cached_data().is_none_or(v8::script_compiler::CachedData::rejected);
    if refused || found == Found::Elsewhere {
        let fresh = v8::Global::new(scope, function);
        if let Some(state) = scope.get_slot_mut::<RunState>() {
            state.note_compiled(path, fresh);
        }
    }
    Some(function)
}

/// The function of a module's text.
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
