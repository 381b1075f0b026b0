//! Compilation of a module's text to a function.

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
