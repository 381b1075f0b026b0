//! A realm: a global object, prototypes and microtask queue, used for one run.

/// Index of the bootstrap's functions in the snapshot's context data.
const FUNCTIONS: usize = 0;

/// Globals that are withheld from guests. They are deleted when a realm is created: V8 adds some of them to every context, and
/// cannot load a snapshot of a global object without them.
const WITHHELD: [&str; 4] = ["WebAssembly", "SharedArrayBuffer", "Atomics", "eval"];

/// A fresh context, with the functions that the engine calls in it.
pub struct Realm {
    pub context: v8::Global<v8::Context>,
    pub start: v8::Global<v8::Function>,
    pub describe: v8::Global<v8::Function>,
    pub fire_timer: v8::Global<v8::Function>,
    pub provide: v8::Global<v8::Function>,
    /// The object that the bootstrap scripts have filled.
    pub internals: v8::Global<v8::Object>,
    pub microtasks: v8::MicrotaskQueueHandle,
}

impl Realm {
    /// `None` if the isolate is out of memory.
    pub fn new(isolate: &mut v8::OwnedIsolate) -> Option<Self> {
        let microtasks = v8::MicrotaskQueue::new(isolate, v8::MicrotasksPolicy::Explicit);
        v8::scope!(let scope, isolate);
        let queue: *const v8::MicrotaskQueue = &raw const *microtasks;
        let options = v8::ContextOptions { microtask_queue: Some(queue.cast_mut()), ..Default::default() };
        let context = v8::Context::new(scope, options);
        context.set_allow_generation_from_strings(false);
        let scope = &mut v8::ContextScope::new(scope, context);
        withhold(scope, context)?;
        let functions = scope.get_context_data_from_snapshot_once::<v8::Object>(FUNCTIONS).ok()?;
        let start = function(scope, functions, "start")?;
        let describe = function(scope, functions, "describe")?;
        let fire_timer = function(scope, functions, "fireTimer")?;
        let provide = function(scope, functions, "provide")?;
        let context = v8::Global::new(scope, context);
        let internals = v8::Global::new(scope, functions);
        Some(Self { context, start, describe, fire_timer, provide, internals, microtasks })
    }
}

fn withhold(scope: &mut v8::PinScope<'_, '_>, context: v8::Local<'_, v8::Context>) -> Option<()> {
    let global = context.global(scope);
    for name in WITHHELD {
        let key = v8::String::new(scope, name)?;
        global.delete(scope, key.into())?;
    }
    Some(())
}

fn function(
    scope: &mut v8::PinScope<'_, '_>,
    functions: v8::Local<'_, v8::Object>,
    name: &str,
) -> Option<v8::Global<v8::Function>> {
    let key = v8::String::new(scope, name)?;
    let value: v8::Local<'_, v8::Function> = functions.get(scope, key.into())?.try_into().ok()?;
    Some(v8::Global::new(scope, value))
}
