//! What V8 says of itself. Nothing here is taken from how we meant to build it.

use super::platform::engine_version;
use crate::confinement::{EngineReport, Hold};

/// Length of the lists that are made to see how long references are.
const REFERENCES: usize = 1024;
/// A list at the end of a page, or a collection between, tells nothing: so many lists, and the middle of what they tell.
const LISTS: usize = 5;

unsafe extern "C" {
    /// The crate's own, which it declares for its tests.
    safe fn v8__V8__IsSandboxEnabled() -> bool;
    /// `v8::V8::IsSandboxConfiguredSecurely()`, which the crate does not offer.
    #[cfg(v8_sandbox)]
    #[link_name = "_ZN2v82V827IsSandboxConfiguredSecurelyEv"]
    safe fn v8_is_sandbox_configured_securely() -> bool;
}

/// The V8 of `isolate`, which has made a `context`.
pub fn engine_report(isolate: &mut v8::OwnedIsolate, context: Option<&v8::Global<v8::Context>>) -> EngineReport {
    let reference_bytes = context.map(|context| reference_bytes(isolate, context));
    EngineReport {
        version: engine_version().to_owned(),
        pointer_compression: reference_bytes.is_some_and(|bytes| bytes < size_of::<usize>()),
        sandbox: sandbox(),
    }
}

/// By how much the heap grows for each entry of a list.
fn reference_bytes(isolate: &mut v8::OwnedIsolate, context: &v8::Global<v8::Context>) -> usize {
    let mut told = [(); LISTS].map(|()| bytes_per_entry(isolate, context));
    *told.select_nth_unstable(LISTS / 2).1
}

fn bytes_per_entry(isolate: &mut v8::OwnedIsolate, context: &v8::Global<v8::Context>) -> usize {
    let before = isolate.get_heap_statistics().used_heap_size();
    {
        v8::scope!(let scope, isolate);
        let context = v8::Local::new(scope, context);
        let scope = &mut v8::ContextScope::new(scope, context);
        v8::PrimitiveArray::new(scope, REFERENCES);
    }
    isolate.get_heap_statistics().used_heap_size().saturating_sub(before) / REFERENCES
}

fn sandbox() -> Hold {
    match (v8__V8__IsSandboxEnabled(), has_all_address_space()) {
        (false, _) => Hold::Missing,
        (true, false) => Hold::Partial,
        (true, true) => Hold::Active,
    }
}

/// Whether the sandbox has its address space for itself. With less V8 works all the same, but other memory may come to lie
/// inside. Only for a V8 that is set up.
#[cfg(v8_sandbox)]
fn has_all_address_space() -> bool {
    v8_is_sandbox_configured_securely()
}

#[cfg(not(v8_sandbox))]
fn has_all_address_space() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::{engine_report, reference_bytes};
    use crate::confinement::Hold;
    use crate::engine::isolate::platform;

    #[test]
    fn v8_is_what_it_was_built_to_be() {
        platform::ensure_initialised();
        let mut isolate = v8::Isolate::new(v8::CreateParams::default());
        let context = {
            v8::scope!(let scope, &mut isolate);
            let context = v8::Context::new(scope, v8::ContextOptions::default());
            v8::Global::new(scope, context)
        };
        let report = engine_report(&mut isolate, Some(&context));
        assert!(report.version.starts_with("15.2."), "{report:?}");
        let (bytes, sandbox) = if cfg!(v8_sandbox) { (4, Hold::Active) } else { (8, Hold::Missing) };
        assert_eq!(report.sandbox, sandbox);
        // Again and again: where on its pages the heap happens to be does not matter.
        for _ in 0..100 {
            assert_eq!(reference_bytes(&mut isolate, &context), bytes);
        }
    }
}
