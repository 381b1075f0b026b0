//! V8 is set up once per process and never torn down.

use super::locale_data;
use std::sync::Once;

/// Flags for the whole process, each with the reason it is here.
pub const FLAGS: [&str; 5] = [
    // Threads that existed before V8 would crash when they run JavaScript under protection keys; Node's always exist.
    "--no-memory-protection-keys",
    // Unrolled loops lose their interrupt check, and then termination never reaches them.
    "--no-turboshaft-loop-unrolling",
    // `Error.captureStackTrace` and friends stay; the list of frames is bounded for every error.
    "--stack-trace-limit=20",
    // A realm is garbage after its run. To mark a little at a time keeps alive what is made meanwhile, some 30 MB of dead
    // realms, and slows every write; marking all at once takes a millisecond, because next to nothing is alive.
    "--no-incremental-marking",
    // A collection would have the realm's own functions compiled again, from text, by the next run. Those of tools go with them.
    "--no-flush-bytecode",
];

static INITIALISED: Once = Once::new();

/// Makes V8 ready. Cheap when it is already.
pub fn ensure_initialised() {
    INITIALISED.call_once(|| {
        v8::V8::set_entropy_source(fill_with_chance);
        v8::V8::set_flags_from_string(&FLAGS.join(" "));
        // Without locale data the first `toLocaleString` would end the process: whoever runs guests has loaded it. A refusal
        // can only mean that the data and the archive are of different ICU versions, which the pinned crates rule out and a
        // test would show.
        if let Some(data) = locale_data::data() {
            let _accepted = v8::icu::set_common_data_78(data);
        }
        v8::icu::set_default_locale("en-US");
        // One background thread is enough for short guests, and a worker is one of several.
        v8::V8::initialize_platform(v8::new_unprotected_default_platform(1, false).make_shared());
        v8::V8::initialize();
    });
}

/// Chance without a file: V8 would open one, and a worker cannot. False where there is no such system call; V8 then helps
/// itself.
#[cfg(target_os = "linux")]
fn fill_with_chance(bytes: &mut [u8]) -> bool {
    rustix::rand::getrandom(bytes, rustix::rand::GetRandomFlags::empty()).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn fill_with_chance(_bytes: &mut [u8]) -> bool {
    false
}

/// The version of the linked V8.
#[must_use]
pub fn engine_version() -> &'static str {
    v8::V8::get_version()
}
