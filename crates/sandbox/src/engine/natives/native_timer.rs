//! Native functions that start and stop the guest's timers.

use super::callback::{Arguments, Returned, guarded};
use crate::engine::run::RunState;
use std::time::{Duration, Instant};

pub fn start_timer(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let delay = Duration::from_millis(u64::from(arguments.get(0).uint32_value(scope).unwrap_or(0)));
        let repeat = arguments.get(1).is_true();
        if let Some(state) = scope.get_slot_mut::<RunState>() {
            returned.set_uint32(state.timers.start(Instant::now(), delay, repeat));
        }
    });
}

pub fn stop_timer(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, _: Returned<'_>) {
    guarded(scope, |scope| {
        let id = arguments.get(0).uint32_value(scope).unwrap_or(0);
        if let Some(state) = scope.get_slot_mut::<RunState>() {
            state.timers.stop(id);
        }
    });
}
