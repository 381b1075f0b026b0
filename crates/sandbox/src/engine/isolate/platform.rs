//! Initialisation of V8, once per process. V8 is never shut down.

use super::locale_data;
use std::sync::Once;

/// Flags of V8 for the whole process, each with its reason.
pub const FLAGS: [&str; 6] = [
    // Threads started before V8 crash when they run JavaScript under protection keys; Node's threads are such.
    "--no-memory-protection-keys",
    // Unrolled loops have no interrupt check, so they could not be terminated.
    "--no-turboshaft-loop-unrolling",
    // Bounds the frames of every error.
    "--stack-trace-limit=20",
    // A realm is garbage after its run. Incremental marking keeps objects alive that are allocated meanwhile, some 30 MB of
    // dead realms, and slows every write; marking all at once takes a millisecond, because little is alive.
    "--no-incremental-marking",
    // With flushing, the next run after a collection would compile the realm's functions again from their text.
    "--no-flush-bytecode",
    // V8 would collect old objects for the first time at 32 MB. By then a worker has touched that many megabytes for dead realms,
    // and keeps them.
    "--preconfigured-old-space-size=8",
];

static INITIALISED: Once = Once::new();

/// Initialises V8; cheap if it is initialised already.
pub fn ensure_initialised() {
    INITIALISED.call_once(|| {
        v8::V8::set_entropy_source(fill_random);
        v8::V8::set_flags_from_string(&FLAGS.join(" "));
        // Without locale data the first `toLocaleString` would end the process, so callers load it before guests run. ICU
        // rejects data of another ICU version only, which the pinned crates and a test rule out.
        if let Some(data) = locale_data::data() {
            let _accepted = v8::icu::set_common_data_78(data);
        }
        v8::icu::set_default_locale("en-US");
        // One background thread is enough for short guests, and a worker is one of several.
        v8::V8::initialize_platform(v8::new_unprotected_default_platform(1, false).make_shared());
        v8::V8::initialize();
    });
}

/// Random bytes from a system call: V8 would open a file, which a confined worker cannot. Returns false if the system call is
/// missing; V8 then uses its own source.
#[cfg(target_os = "linux")]
fn fill_random(bytes: &mut [u8]) -> bool {
    rustix::rand::getrandom(bytes, rustix::rand::GetRandomFlags::empty()).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn fill_random(_bytes: &mut [u8]) -> bool {
    false
}

/// The version of the linked V8.
#[must_use]
pub fn engine_version() -> &'static str {
    v8::V8::get_version()
}
