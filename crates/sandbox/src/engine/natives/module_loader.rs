//! Native functions of `require`: the modules of a run.

use super::booking::copy_text;
use super::callback::{Arguments, Returned, guarded, throw};
use super::host_call::{answer_text, call_and_wait};
use super::module_source::{BytecodeOrigin, source_of};
use super::syntax_check::{ErrorOrigin, check_syntax, place_error};
use crate::engine::control::Work;
use crate::engine::run::RunState;
use crate::message::HostAnswer;
use crate::module::{BUFFER_LINK, ModuleKind};
use serde::Deserialize;
use std::time::Duration;

/// CPU time granted to the tool for calls of a package, whose functions V8 compiles when they are first called. Every run has it,
/// so that a tool that works in its first run works in the next ones.
const PACKAGE_CALLS: Duration = Duration::from_millis(250);
/// Functions of smaller packages are compiled in no time.
const MIN_GRANTED_CHARS: usize = 16 << 10;

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

/// `preloads(entry)`: the paths of the modules to load before the first line of the tool; undefined if there are none.
pub fn preloads(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((entry, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        let Some(state) = scope.get_slot::<RunState>() else { return };
        let paths: Vec<String> = state.preloads(&entry).into_iter().map(str::to_owned).collect();
        if paths.is_empty() {
            return;
        }
        let texts: Option<Vec<v8::Local<'_, v8::Value>>> =
            paths.iter().map(|path| v8::String::new(scope, path).map(Into::into)).collect();
        if let Some(texts) = texts {
            returned.set(v8::Array::new_with_elements(scope, &texts).into());
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

/// `chargeToPackages(loads)`: whether the CPU time from here on is that of a package load.
pub fn charge_to_packages(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, _: Returned<'_>) {
    guarded(scope, |scope| {
        let work = if arguments.get(0).is_true() { Work::PackageLoad } else { Work::Tool };
        if let Some(state) = scope.get_slot_mut::<RunState>() {
            let used = state.control.charge_to(work);
            state.warn_of_package_load(used);
        }
    });
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
    if code.length() >= MIN_GRANTED_CHARS
        && let Some(state) = scope.get_slot::<RunState>()
        && state.module(path).is_some_and(|module| module.kind == ModuleKind::Package)
    {
        state.control.grant(PACKAGE_CALLS);
    }
    let globals = match scope.get_slot::<RunState>().and_then(|state| state.module(path)) {
        Some(module) if module.links.iter().any(|(link, _)| link == BUFFER_LINK) => ModuleGlobals::Buffer,
        Some(_) | None => ModuleGlobals::None,
    };
    let function = compile_function(scope, &mut source, options, globals)?;
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

/// The globals that a module gets as a last parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModuleGlobals {
    None,
    Buffer,
}

/// Compiles a module's text to a function with these parameters.
pub fn compile_function<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    source: &mut v8::script_compiler::Source,
    options: v8::script_compiler::CompileOptions,
    globals: ModuleGlobals,
) -> Option<v8::Local<'s, v8::Function>> {
    let mut parameters = Vec::with_capacity(PARAMETERS.len() + 1);
    for parameter in PARAMETERS {
        parameters.push(v8::String::new(scope, parameter)?);
    }
    if globals == ModuleGlobals::Buffer {
        parameters.push(v8::String::new(scope, "Buffer")?);
    }
    let reason = v8::script_compiler::NoCacheReason::NoReason;
    v8::script_compiler::compile_function(scope, source, &parameters, &[], options, reason)
}
