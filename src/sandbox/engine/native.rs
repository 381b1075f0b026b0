//! The functions that the realm's bootstrap script gets from the engine. The guest never sees them.
//!
//! Each runs behind [`guarded`]: a panic that crossed V8's frames would abort the process.

use super::booking::copy_text;
use super::host_call::{call, call_sync};
use super::module_loader::{compile, kind, link, require, source};
use super::native_bytes::{atob, btoa, fill_random, latin1_read, latin1_write};
use super::native_text::{decode, encoding_name, utf8_length, utf8_write, whole_bytes};
use super::native_url::{form_parse, form_serialize, url_parse, url_set};
use super::run_state::RunState;
use crate::sandbox::message::LogLevel;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use v8::MapFnTo;

pub type Arguments<'s> = v8::FunctionCallbackArguments<'s>;
pub type Returned<'s> = v8::ReturnValue<'s, v8::Value>;

/// Name and callback of every native function, in the order of the snapshot's external references.
fn table() -> [(&'static str, v8::FunctionCallback); 27] {
    [
        ("log", log.map_fn_to()),
        ("isError", is_error.map_fn_to()),
        ("classOf", class_of.map_fn_to()),
        ("refuseResult", refuse_result.map_fn_to()),
        ("startTimer", start_timer.map_fn_to()),
        ("stopTimer", stop_timer.map_fn_to()),
        ("kind", kind.map_fn_to()),
        ("source", source.map_fn_to()),
        ("compile", compile.map_fn_to()),
        ("link", link.map_fn_to()),
        ("call", call.map_fn_to()),
        ("callSync", call_sync.map_fn_to()),
        ("urlParse", url_parse.map_fn_to()),
        ("urlSet", url_set.map_fn_to()),
        ("formParse", form_parse.map_fn_to()),
        ("formSerialize", form_serialize.map_fn_to()),
        ("utf8Length", utf8_length.map_fn_to()),
        ("utf8Write", utf8_write.map_fn_to()),
        ("latin1Read", latin1_read.map_fn_to()),
        ("latin1Write", latin1_write.map_fn_to()),
        ("encodingName", encoding_name.map_fn_to()),
        ("decode", decode.map_fn_to()),
        ("wholeBytes", whole_bytes.map_fn_to()),
        ("atob", atob.map_fn_to()),
        ("btoa", btoa.map_fn_to()),
        ("fillRandom", fill_random.map_fn_to()),
        ("require", require.map_fn_to()),
    ]
}

/// The addresses that a snapshot refers to.
pub fn external_references() -> Vec<v8::ExternalReference> {
    let functions = table().into_iter().map(|(_, function)| v8::ExternalReference { function });
    let getter: v8::AccessorNameGetterCallback = provide_value.map_fn_to();
    functions.chain([v8::ExternalReference { pointer: getter as *mut c_void }]).collect()
}

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

/// The object handed to the bootstrap script.
pub fn native_object<'s>(scope: &mut v8::PinScope<'s, '_>) -> Option<v8::Local<'s, v8::Object>> {
    let object = v8::Object::new(scope);
    for (name, function) in table() {
        let key = v8::String::new(scope, name)?;
        // Without a prototype of its own: there is one such function in every realm.
        let value =
            v8::Function::builder_raw(function).constructor_behavior(v8::ConstructorBehavior::Throw).build(scope)?;
        object.set(scope, key.into(), value.into())?;
    }
    Some(object)
}

/// Runs the body of a callback; a panic in it ends the run instead of the process.
pub fn guarded(scope: &mut v8::PinScope<'_, '_>, body: impl FnOnce(&mut v8::PinScope<'_, '_>)) {
    if catch_unwind(AssertUnwindSafe(|| body(scope))).is_err() {
        scope.terminate_execution();
    }
}

/// Throws a plain `Error` in the guest.
pub fn throw(scope: &mut v8::PinScope<'_, '_>, message: &str) {
    if let Some(message) = v8::String::new(scope, message) {
        let error = v8::Exception::error(scope, message);
        scope.throw_exception(error);
    }
}

/// Hands text to the guest; nothing when V8 cannot hold it.
pub fn give_text(scope: &mut v8::PinScope<'_, '_>, returned: &mut Returned<'_>, text: &str) {
    match v8::String::new(scope, text) {
        Some(text) => returned.set(text.into()),
        None => throw(scope, "Invalid string length"),
    }
}

fn log(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, _: Returned<'_>) {
    guarded(scope, |scope| {
        let level = match arguments.get(0).int32_value(scope) {
            Some(0) => LogLevel::Debug,
            Some(1) => LogLevel::Info,
            Some(3) => LogLevel::Warn,
            Some(4) => LogLevel::Error,
            Some(_) | None => LogLevel::Log,
        };
        let Some((text, _booked)) = copy_text(scope, arguments.get(1), 1) else { return };
        if let Some(state) = scope.get_slot_mut::<RunState>() {
            state.log(level, text);
        }
    });
}

fn is_error(_: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    returned.set_bool(arguments.get(0).is_native_error());
}

/// The class of an object that has more to it than its members; nothing for plain objects, arrays and typed arrays.
fn class_of(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    let value = arguments.get(0);
    let checks: [(bool, &str); 16] = [
        (value.is_map(), "Map"),
        (value.is_set(), "Set"),
        (value.is_date(), "Date"),
        (value.is_proxy(), "Proxy"),
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
    if let Some((_, name)) = checks.into_iter().find(|(matches, _)| *matches)
        && let Some(name) = v8::String::new(scope, name)
    {
        returned.set(name.into());
    }
}

fn refuse_result(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, _: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((message, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        if let Some(state) = scope.get_slot_mut::<RunState>() {
            state.refusal.get_or_insert(message);
        }
    });
}

fn start_timer(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let delay = Duration::from_millis(u64::from(arguments.get(0).uint32_value(scope).unwrap_or(0)));
        let repeat = arguments.get(1).is_true();
        if let Some(state) = scope.get_slot_mut::<RunState>() {
            returned.set_uint32(state.timers.start(Instant::now(), delay, repeat));
        }
    });
}

fn stop_timer(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, _: Returned<'_>) {
    guarded(scope, |scope| {
        let id = arguments.get(0).uint32_value(scope).unwrap_or(0);
        if let Some(state) = scope.get_slot_mut::<RunState>() {
            state.timers.stop(id);
        }
    });
}
