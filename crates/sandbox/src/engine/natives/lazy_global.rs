//! Globals that are made when a guest first looks at them.

use super::callback::{Returned, guarded};
use crate::engine::run::RunState;

/// The getter of a global that is made when it is first looked at: asks the run's realm for it. V8 then puts the value in
/// the property's place. (Data of the property's own would not do: V8 shares it among the realms of an isolate.)
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
