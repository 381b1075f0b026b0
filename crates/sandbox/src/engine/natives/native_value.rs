//! Native functions for classes of values, log lines and results that cannot be serialised.

use super::booking::{beginning, copy_text};
use super::callback::{Arguments, Returned, guarded};
use crate::engine::run::RunState;
use crate::log_level::LogLevel;

/// `log(level, text)`: `level` is one of `logLevels`.
pub fn log(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, _: Returned<'_>) {
    guarded(scope, |scope| {
        let level = arguments.get(0).uint32_value(scope).and_then(LogLevel::from_number).unwrap_or(LogLevel::Log);
        let Ok(line) = v8::Local::<'_, v8::String>::try_from(arguments.get(1)) else { return };
        let Some(room) = scope.get_slot::<RunState>().map(RunState::log_room) else { return };
        let text = if line.length() > room {
            // One character more, so that the cut is marked.
            beginning(scope, line, room.saturating_add(1))
        } else {
            let Some((text, _booked)) = copy_text(scope, line.into(), 1) else { return };
            text
        };
        if let Some(state) = scope.get_slot_mut::<RunState>() {
            state.log(level, text);
        }
    });
}

pub fn is_error(_: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    returned.set_bool(arguments.get(0).is_native_error());
}

/// `classOf(value)`: the class of an object with internal slots; undefined for plain objects and arrays.
pub fn class_of(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    if let Some(name) = class_name_of(arguments.get(0))
        && let Some(name) = v8::String::new(scope, name)
    {
        returned.set(name.into());
    }
}

/// The class of an object with internal slots.
pub fn class_name_of(value: v8::Local<'_, v8::Value>) -> Option<&'static str> {
    let checks: [(bool, &'static str); 18] = [
        (value.is_map(), "Map"),
        (value.is_set(), "Set"),
        (value.is_date(), "Date"),
        (value.is_proxy(), "Proxy"),
        (value.is_native_error(), "Error"),
        (value.is_typed_array(), "TypedArray"),
        (value.is_reg_exp(), "RegExp"),
        (value.is_array_buffer(), "ArrayBuffer"),
        (value.is_data_view(), "DataView"),
        (value.is_promise(), "Promise"),
        (value.is_weak_map(), "WeakMap"),
        (value.is_weak_set(), "WeakSet"),
        (value.is_generator_object(), "Generator"),
        (value.is_number_object(), "Number"),
        (value.is_string_object(), "String"),
        (value.is_boolean_object(), "Boolean"),
        (value.is_big_int_object(), "BigInt"),
        (value.is_symbol_object(), "Symbol"),
    ];
    checks.into_iter().find(|(matches, _)| *matches).map(|(_, name)| name)
}

pub fn refuse_result(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, _: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((message, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        if let Some(state) = scope.get_slot_mut::<RunState>() {
            state.refusal.get_or_insert(message);
        }
    });
}
