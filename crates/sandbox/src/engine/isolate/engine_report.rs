//! The report of V8 about itself, measured at run time and not taken from the build configuration.

use super::platform::engine_version;
use crate::confinement::{EngineReport, Hold};

/// Length of the arrays that are allocated to measure the size of a reference.
const REFERENCES: usize = 1024;
/// Number of measurements; the median is used, because a page boundary or a collection distorts single ones.
const SAMPLES: usize = 5;

unsafe extern "C" {
    /// Declared by the crate for its tests only.
    safe fn v8__V8__IsSandboxEnabled() -> bool;
    /// `v8::V8::IsSandboxConfiguredSecurely()`, which the crate does not expose.
    #[cfg(v8_sandbox)]
    #[link_name = "_ZN2v82V827IsSandboxConfiguredSecurelyEv"]
    safe fn v8_is_sandbox_configured_securely() -> bool;
}

/// The report for the V8 of `isolate`, with a `context` to measure in.
pub fn engine_report(isolate: &mut v8::OwnedIsolate, context: Option<&v8::Global<v8::Context>>) -> EngineReport {
    let reference_bytes = context.map(|context| reference_bytes(isolate, context));
    EngineReport {
        version: engine_version().to_owned(),
        pointer_compression: reference_bytes.is_some_and(|bytes| bytes < size_of::<usize>()),
        sandbox: sandbox(),
    }
}

/// Growth of the heap per entry of an array.
fn reference_bytes(isolate: &mut v8::OwnedIsolate, context: &v8::Global<v8::Context>) -> usize {
    let mut samples = [(); SAMPLES].map(|()| bytes_per_entry(isolate, context));
    *samples.select_nth_unstable(SAMPLES / 2).1
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

/// Whether the sandbox reserved its whole address space. Otherwise V8 works, but other memory may lie inside the sandbox. V8 must be
/// initialised.
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
    fn engine_report_matches_the_build() {
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
        // Repeated: the result must not depend on the position in a heap page.
        for _ in 0..100 {
            assert_eq!(reference_bytes(&mut isolate, &context), bytes);
        }
    }
}
