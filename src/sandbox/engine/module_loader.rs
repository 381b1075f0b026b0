//! The modules of a run, as the realm's `require` sees them.

use super::code_cache::{Found, source_of};
use super::native::{Arguments, Returned, guarded, throw};
use super::run_state::RunState;
use crate::sandbox::message::ModuleKind;

/// The parameters of every module's function, in order.
const PARAMETERS: [&str; 5] = ["exports", "require", "module", "__filename", "__dirname"];

/// `kind(path)`: a number that `bootstrap.js` knows.
pub fn kind(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let path = arguments.get(0).to_rust_string_lossy(scope);
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
        let path = arguments.get(0).to_rust_string_lossy(scope);
        if let Some(text) = code_of(scope, &path) {
            returned.set(text.into());
        }
    });
}

/// `link(importer, specifier)`: the path that the specifier stands for, or undefined.
pub fn link(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let importer = arguments.get(0).to_rust_string_lossy(scope);
        let wanted = arguments.get(1).to_rust_string_lossy(scope);
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

/// `addModules(json)`: takes in what the host resolved while the run was under way.
pub fn add_modules(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, _: Returned<'_>) {
    guarded(scope, |scope| {
        let json = arguments.get(0).to_rust_string_lossy(scope);
        let Ok(modules) = serde_json::from_str(&json) else { return throw(scope, "the host sent no modules") };
        if let Some(state) = scope.get_slot_mut::<RunState>() {
            state.add_modules(modules);
        }
    });
}

/// `compile(path)`: the module's function.
pub fn compile(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let path = arguments.get(0).to_rust_string_lossy(scope);
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
