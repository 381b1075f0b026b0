//! Native functions of `inspect`: what only V8 knows about a value, without running code of the guest.

use super::callback::{Arguments, Returned, give_text, guarded};
use super::native_value::class_name_of;

/// `kindOf(value)`: the class as `classOf` returns it; also that of arguments objects, iterators and functions.
pub fn kind_of(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let value = arguments.get(0);
        let kind = class_name_of(value).or_else(|| match (value.is_async_function(), value.is_generator_function()) {
            (true, true) => Some("AsyncGeneratorFunction"),
            (true, false) => Some("AsyncFunction"),
            (false, true) => Some("GeneratorFunction"),
            (false, false) if value.is_arguments_object() => Some("Arguments"),
            (false, false) if value.is_map_iterator() => Some("MapIterator"),
            (false, false) if value.is_set_iterator() => Some("SetIterator"),
            (false, false) => None,
        });
        if let Some(kind) = kind {
            give_text(scope, &mut returned, kind);
        }
    });
}

/// `className(object)`: the name of its class as V8 knows it.
pub fn class_name(_: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    if let Ok(object) = v8::Local::<'_, v8::Object>::try_from(arguments.get(0)) {
        returned.set(object.get_constructor_name().into());
    }
}

/// `keysOf(object, hidden, indexes)`: its own keys, symbols last; `hidden` adds those that are not enumerable.
pub fn keys_of(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Ok(object) = v8::Local::<'_, v8::Object>::try_from(arguments.get(0)) else { return };
        let filter = if arguments.get(1).boolean_value(scope) {
            v8::PropertyFilter::ALL_PROPERTIES
        } else {
            v8::PropertyFilter::ONLY_ENUMERABLE
        };
        let indexes =
            if arguments.get(2).is_true() { v8::IndexFilter::IncludeIndices } else { v8::IndexFilter::SkipIndices };
        let wanted = v8::GetPropertyNamesArgsBuilder::new()
            .mode(v8::KeyCollectionMode::OwnOnly)
            .property_filter(filter)
            .index_filter(indexes)
            .key_conversion(v8::KeyConversionMode::ConvertToString)
            .build();
        if let Some(keys) = object.get_property_names(scope, wanted) {
            returned.set(keys.into());
        }
    });
}

/// `reveal(value)`: target and handler of a proxy; state and result of a promise; the entries that an iterator has left or a weak
/// collection holds, and whether they are keys and values in turn. Undefined for others.
pub fn reveal(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let value = arguments.get(0);
        let facts: [v8::Local<'_, v8::Value>; 2] = if let Ok(proxy) = v8::Local::<'_, v8::Proxy>::try_from(value) {
            [proxy.get_target(scope), proxy.get_handler(scope)]
        } else if let Ok(promise) = v8::Local::<'_, v8::Promise>::try_from(value) {
            let (state, result) = match promise.state() {
                v8::PromiseState::Pending => (0, v8::undefined(scope).into()),
                v8::PromiseState::Fulfilled => (1, promise.result(scope)),
                v8::PromiseState::Rejected => (2, promise.result(scope)),
            };
            [v8::Integer::new(scope, state).into(), result]
        } else if let Ok(object) = v8::Local::<'_, v8::Object>::try_from(value)
            && let (Some(entries), has_pairs) = object.preview_entries(scope)
        {
            [entries.into(), v8::Boolean::new(scope, has_pairs).into()]
        } else {
            return;
        };
        returned.set(v8::Array::new_with_elements(scope, &facts).into());
    });
}

/// `context()`: the value that V8 passes on to reactions of promises and to microtasks.
pub fn context(scope: &mut v8::PinScope<'_, '_>, _: Arguments<'_>, mut returned: Returned<'_>) {
    returned.set(scope.get_continuation_preserved_embedder_data());
}

/// `setContext(value)`.
pub fn set_context(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, _: Returned<'_>) {
    scope.set_continuation_preserved_embedder_data(arguments.get(0));
}
