//! Lazy globals: created when a guest first reads them.

use super::callback::{Returned, guarded};
use crate::engine::run::RunState;

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
