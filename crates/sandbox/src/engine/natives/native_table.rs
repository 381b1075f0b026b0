//! The table of native functions for the realm's scripts. Guests never get them.

use super::callback::{Arguments, Returned, guarded};
use super::function_text::source_text;
use super::host_call::{call, call_sync};
use super::module_loader::{charge_to_packages, compile, kind, link, preloads, require, source};
use super::native_aes::{aes, ghash};
use super::native_agreement::{agree, agreement_public};
use super::native_bytes::{atob, base64, btoa, fill_random, latin1_read, latin1_write};
use super::native_codec::{codec_close, codec_open, codec_push, crc32};
use super::native_crypto::{digest_of, hmac_of, hmac_rounds, key_generate, key_public, sign, verify};
use super::native_inspect::{class_name, context, keys_of, kind_of, reveal, set_context};
use super::native_lazy::{elapsed, lazy_file, lazy_stage, mark_handled, provide_value};
use super::native_text::{decode, encoding_name, head, utf8_length, utf8_write, whole_bytes};
use super::native_timer::{start_timer, stop_timer};
use super::native_url::{form_parse, form_serialize, url_parse, url_set};
use super::native_value::{class_of, is_error, log, refuse_result};
use crate::log_level::LogLevel;
use crate::module::ModuleKind;
use std::ffi::c_void;
use v8::MapFnTo;

/// Name and callback of every native function in the snapshot, in the order of its external references.
fn table() -> [(&'static str, v8::FunctionCallback); 35] {
    [
        ("log", log.map_fn_to()),
        ("isError", is_error.map_fn_to()),
        ("classOf", class_of.map_fn_to()),
        ("refuseResult", refuse_result.map_fn_to()),
        ("startTimer", start_timer.map_fn_to()),
        ("stopTimer", stop_timer.map_fn_to()),
        ("kind", kind.map_fn_to()),
        ("source", source.map_fn_to()),
        ("preloads", preloads.map_fn_to()),
        ("compile", compile.map_fn_to()),
        ("chargeToPackages", charge_to_packages.map_fn_to()),
        ("link", link.map_fn_to()),
        ("call", call.map_fn_to()),
        ("callSync", call_sync.map_fn_to()),
        ("urlParse", url_parse.map_fn_to()),
        ("urlSet", url_set.map_fn_to()),
        ("formParse", form_parse.map_fn_to()),
        ("formSerialize", form_serialize.map_fn_to()),
        ("utf8Length", utf8_length.map_fn_to()),
        ("utf8Write", utf8_write.map_fn_to()),
        ("head", head.map_fn_to()),
        ("base64", base64.map_fn_to()),
        ("latin1Write", latin1_write.map_fn_to()),
        ("encodingName", encoding_name.map_fn_to()),
        ("decode", decode.map_fn_to()),
        ("wholeBytes", whole_bytes.map_fn_to()),
        ("atob", atob.map_fn_to()),
        ("btoa", btoa.map_fn_to()),
        ("fillRandom", fill_random.map_fn_to()),
        ("require", require.map_fn_to()),
        ("lazyStage", lazy_stage.map_fn_to()),
        ("lazyFile", lazy_file.map_fn_to()),
        ("elapsed", elapsed.map_fn_to()),
        ("lazyNatives", lazy_natives.map_fn_to()),
        ("sourceText", source_text.map_fn_to()),
    ]
}

/// Functions for lazy scripts only. They are not in the snapshot: a realm gets them with the first lazy script.
fn lazy_table() -> [(&'static str, v8::FunctionCallback); 23] {
    [
        ("className", class_name.map_fn_to()),
        ("context", context.map_fn_to()),
        ("keysOf", keys_of.map_fn_to()),
        ("kindOf", kind_of.map_fn_to()),
        ("reveal", reveal.map_fn_to()),
        ("setContext", set_context.map_fn_to()),
        ("latin1Read", latin1_read.map_fn_to()),
        ("markHandled", mark_handled.map_fn_to()),
        ("codecOpen", codec_open.map_fn_to()),
        ("codecPush", codec_push.map_fn_to()),
        ("codecClose", codec_close.map_fn_to()),
        ("crc32", crc32.map_fn_to()),
        ("digest", digest_of.map_fn_to()),
        ("hmac", hmac_of.map_fn_to()),
        ("hmacRounds", hmac_rounds.map_fn_to()),
        ("aes", aes.map_fn_to()),
        ("ghash", ghash.map_fn_to()),
        ("agreementPublic", agreement_public.map_fn_to()),
        ("agree", agree.map_fn_to()),
        ("keyPublic", key_public.map_fn_to()),
        ("keyGenerate", key_generate.map_fn_to()),
        ("sign", sign.map_fn_to()),
        ("verify", verify.map_fn_to()),
    ]
}

/// `lazyNatives()`: an object of these functions. It has no prototype, because the guest may have changed `Object.prototype`.
fn lazy_natives(scope: &mut v8::PinScope<'_, '_>, _: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        if let Some(object) = functions(scope, &lazy_table()) {
            returned.set(object.into());
        }
    });
}

/// The addresses that a snapshot refers to.
pub fn external_references() -> Vec<v8::ExternalReference> {
    let functions = table().into_iter().map(|(_, function)| v8::ExternalReference { function });
    let getter: v8::AccessorNameGetterCallback = provide_value.map_fn_to();
    functions.chain([v8::ExternalReference { pointer: getter as *mut c_void }]).collect()
}

/// The object handed to the bootstrap script.
pub fn native_object<'s>(scope: &mut v8::PinScope<'s, '_>) -> Option<v8::Local<'s, v8::Object>> {
    let object = functions(scope, &table())?;
    let levels = LogLevel::NAMED.map(|(level, name)| (name, level.number()));
    set_numbers(scope, object, "logLevels", &levels)?;
    let kinds = ModuleKind::NAMED.map(|(kind, name)| (name, kind.number()));
    set_numbers(scope, object, "moduleKinds", &kinds)?;
    Some(object)
}

fn functions<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    table: &[(&str, v8::FunctionCallback)],
) -> Option<v8::Local<'s, v8::Object>> {
    let object = v8::Object::new(scope);
    let null = v8::null(scope);
    object.set_prototype(scope, null.into())?;
    for (name, function) in table {
        let key = v8::String::new(scope, name)?;
        // Without a `prototype` property, to save memory in every realm.
        let value =
            v8::Function::builder_raw(*function).constructor_behavior(v8::ConstructorBehavior::Throw).build(scope)?;
        object.set(scope, key.into(), value.into())?;
    }
    Some(object)
}

/// Sets an object of named numbers on `target`. It has no prototype, because scripts read it after guest code has run.
fn set_numbers(
    scope: &mut v8::PinScope<'_, '_>,
    target: v8::Local<'_, v8::Object>,
    name: &str,
    numbers: &[(&str, u32)],
) -> Option<()> {
    let object = v8::Object::new(scope);
    let null = v8::null(scope);
    object.set_prototype(scope, null.into())?;
    for (name, number) in numbers {
        let key = v8::String::new(scope, name)?;
        let number = v8::Integer::new_from_unsigned(scope, *number);
        object.set(scope, key.into(), number.into())?;
    }
    let key = v8::String::new(scope, name)?;
    target.set(scope, key.into(), object.into())?;
    Some(())
}
