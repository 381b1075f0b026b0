//! A warning about host calls that a tool did not await before it returned.

use crate::engine::run::RunState;
use crate::log_level::LogLevel;
use std::collections::BTreeSet;

/// Most names in the warning.
const MAX_NAMED: usize = 5;

/// Logs a warning that names the open host calls without a handler. A call that lost a `Promise.race` has one.
pub fn warn_of_unawaited(scope: &mut v8::PinScope<'_, '_>) {
    let Some(state) = scope.get_slot::<RunState>() else { return };
    let waiting: Vec<v8::Global<v8::Function>> = state.waiting.values().cloned().collect();
    let mut names = BTreeSet::new();
    let mut count = 0_usize;
    for settle in waiting {
        let settle = v8::Local::new(scope, settle);
        if let Some(name) = unawaited_name(scope, settle) {
            count += 1;
            names.insert(name);
        }
    }
    if count > 0
        && let Some(state) = scope.get_slot_mut::<RunState>()
    {
        state.log(LogLevel::Warn, warning(count, &names));
    }
}

/// The name of the call, if its promise has no handler.
fn unawaited_name(scope: &mut v8::PinScope<'_, '_>, settle: v8::Local<'_, v8::Function>) -> Option<String> {
    let promise = own(scope, settle, "promise")?;
    let promise = v8::Local::<'_, v8::Promise>::try_from(promise).ok()?;
    if promise.has_handler() {
        return None;
    }
    let name = own(scope, settle, "callName")?.to_rust_string_lossy(scope);
    // Internal calls of the realm.
    (!name.starts_with('#')).then_some(name)
}

/// An own member. A lookup in the prototype could call a getter of the guest with an internal function as its receiver.
fn own<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    settle: v8::Local<'_, v8::Function>,
    name: &str,
) -> Option<v8::Local<'s, v8::Value>> {
    let key = v8::String::new(scope, name)?;
    if settle.has_own_property(scope, key.into()) != Some(true) {
        return None;
    }
    settle.get(scope, key.into())
}

fn warning(count: usize, names: &BTreeSet<String>) -> String {
    let named: Vec<String> = names.iter().take(MAX_NAMED).map(|name| format!("await tgp.{name}(…)")).collect();
    let more = if names.len() > MAX_NAMED { ", …" } else { "" };
    let were = if count == 1 { "1 host call was" } else { &format!("{count} host calls were") };
    format!(
        "{were} still open when the tool returned, and nothing awaited the answer. Write {}{more}.",
        named.join(", ")
    )
}
