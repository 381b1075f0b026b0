//! The scripts that build a realm.

/// Scripts that run when a realm first uses one of the globals that they define. `lazy.js` finds them by the key.
pub struct Stage {
    pub key: &'static str,
    pub names: &'static [&'static str],
    pub scripts: &'static [&'static str],
}

/// The scripts that build a realm, in this order: each is a function of the object that the ones before have filled.
pub const BOOTSTRAP: [&str; 10] = [
    include_str!("bootstrap/withheld.js"),
    include_str!("bootstrap/primordials.js"),
    include_str!("bootstrap/lazy.js"),
    include_str!("bootstrap/host.js"),
    include_str!("bootstrap/modules.js"),
    include_str!("bootstrap/results.js"),
    include_str!("bootstrap/buffers.js"),
    include_str!("bootstrap/functions.js"),
    include_str!("bootstrap/temporal.js"),
    include_str!("bootstrap/tgp.js"),
];
/// Stages in the snapshot that a realm builds on first use.
pub const LAZY: [Stage; 4] = [
    Stage {
        key: "text",
        names: &["console", "setTimeout", "setInterval", "clearTimeout", "clearInterval"],
        scripts: &[
            include_str!("bootstrap/methods.js"),
            include_str!("bootstrap/inspect.js"),
            include_str!("bootstrap/errors.js"),
            include_str!("bootstrap/plain.js"),
            include_str!("bootstrap/timers.js"),
            include_str!("bootstrap/console.js"),
        ],
    },
    Stage {
        key: "web",
        names: &[
            "AbortController",
            "AbortSignal",
            "Crypto",
            "CustomEvent",
            "DOMException",
            "Event",
            "EventTarget",
            "Headers",
            "TextDecoder",
            "TextEncoder",
            "URL",
            "URLSearchParams",
            "atob",
            "btoa",
            "crypto",
            "fetch",
            "queueMicrotask",
            "structuredClone",
        ],
        scripts: &[
            include_str!("bootstrap/dom_exception.js"),
            include_str!("bootstrap/pair_iterator.js"),
            include_str!("bootstrap/events.js"),
            include_str!("bootstrap/abort.js"),
            include_str!("bootstrap/encoding.js"),
            include_str!("bootstrap/url_search_params.js"),
            include_str!("bootstrap/url.js"),
            include_str!("bootstrap/clone.js"),
            include_str!("bootstrap/crypto.js"),
            include_str!("bootstrap/headers.js"),
            include_str!("bootstrap/fetch.js"),
        ],
    },
    Stage { key: "clock", names: &[], scripts: &[include_str!("bootstrap/clock.js")] },
    Stage { key: "callSites", names: &[], scripts: &[include_str!("bootstrap/call_sites.js")] },
];
/// The script that defines the entry point of the engine.
pub const ENTRY: &str = include_str!("bootstrap/start.js");
