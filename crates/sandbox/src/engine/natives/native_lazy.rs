//! Native functions for lazy scripts, promise handling and time.

use super::booking::copy_text;
use super::callback::{Arguments, Returned, give_text, guarded};
use crate::engine::lazy::{STAGES, evaluate, stage_of};
use crate::engine::run::RunState;

/// `lazyStage(name)`: the key of the stage that defines a global, or undefined.
pub fn lazy_stage(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((name, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        if let Some(key) = stage_of(&name) {
            give_text(scope, &mut returned, key);
        }
    });
}

/// `lazyFile(key, index)`: one script of a stage as a function; undefined after the last one, or if an exception is pending.
pub fn lazy_file(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((key, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        let index = arguments.get(1).uint32_value(scope).unwrap_or(u32::MAX);
        let stage = STAGES.iter().find(|stage| stage.key == key);
        let script = stage.and_then(|stage| stage.script(usize::try_from(index).ok()?));
        if let Some(function) = script.and_then(|script| evaluate(scope, &script)) {
            returned.set(function.into());
        }
    });
}

/// `markHandled(promise)`: its rejection does not count as unhandled.
pub fn mark_handled(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, _: Returned<'_>) {
    guarded(scope, |scope| {
        let Ok(promise) = v8::Local::<'_, v8::Promise>::try_from(arguments.get(0)) else { return };
        promise.mark_as_handled();
        if let Some(state) = scope.get_slot_mut::<RunState>() {
            state.rejections.remove(promise);
        }
    });
}

/// `elapsed()`: whole milliseconds since the run began. A finer clock would help timing attacks.
pub fn elapsed(scope: &mut v8::PinScope<'_, '_>, _: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        if let Some(state) = scope.get_slot::<RunState>() {
            returned.set_double(state.began.elapsed().as_millis() as f64);
        }
    });
}

/// The getter of a lazy global: gets the value from the run's realm; V8 then replaces the property with the value. The realm is
/// found through the run's state, because V8 shares property data among the realms of an isolate.
pub fn provide_value(
    scope: &mut v8::PinScope<'_, '_>,
    name: v8::Local<'_, v8::Name>,
    _: v8::PropertyCallbackArguments<'_>,
    mut returned: Returned<'_>,
) {
    guarded(scope, |scope| {
        let Some(provide) = scope.get_slot::<RunState>().map(|state| state.provide.clone()) else { return };
        let provide = v8::Local::new(scope, provide);
        let receiver = v8::undefined(scope);
        if let Some(value) = provide.call(scope, receiver.into(), &[name.into()]) {
            returned.set(value);
        }
    });
}
