//! Lazy scripts: compiled when a guest first reads one of the globals that they define. Only the names are in the snapshot, so
//! runs that do not use them pay nothing.

/// The name that frames of all scripts of the sandbox have in stack traces.
pub const SCRIPT_NAME: &str = "tgp:bootstrap";

/// Prefix of every script. A sloppy-mode function would expose its caller and arguments to the guest.
const STRICT: &str = "'use strict';";

/// Scripts that are loaded together: the key that `lazy.js` requests, and the globals that they define.
pub struct LazyStage {
    pub key: &'static str,
    pub names: &'static [&'static str],
    pub scripts: &'static [&'static str],
}

/// All lazy stages. Each loads the stages that it depends on itself (`realm.need`).
pub static STAGES: [LazyStage; 5] = [
    LazyStage {
        key: "streams",
        names: &[
            "ByteLengthQueuingStrategy",
            "CompressionStream",
            "CountQueuingStrategy",
            "DecompressionStream",
            "ReadableStream",
            "ReadableStreamDefaultController",
            "ReadableStreamDefaultReader",
            "TextDecoderStream",
            "TextEncoderStream",
            "TransformStream",
            "TransformStreamDefaultController",
            "WritableStream",
            "WritableStreamDefaultController",
            "WritableStreamDefaultWriter",
        ],
        scripts: &[
            include_str!("promises.js"),
            include_str!("readable_state.js"),
            include_str!("readable_stream.js"),
            include_str!("writable_state.js"),
            include_str!("writable_stream.js"),
            include_str!("stream_pipes.js"),
            include_str!("transform_stream.js"),
            include_str!("codec_streams.js"),
        ],
    },
    LazyStage {
        key: "bodies",
        names: &["Blob", "File", "FormData", "Request", "Response"],
        scripts: &[
            include_str!("blob.js"),
            include_str!("form_data.js"),
            include_str!("multipart.js"),
            include_str!("body.js"),
            include_str!("abortable_answer.js"),
            include_str!("request.js"),
            include_str!("response.js"),
        ],
    },
    LazyStage {
        key: "subtle",
        names: &["CryptoKey", "SubtleCrypto"],
        scripts: &[
            include_str!("crypto_key.js"),
            include_str!("algorithms.js"),
            include_str!("key_import.js"),
            include_str!("subtle_crypto.js"),
        ],
    },
    LazyStage {
        key: "performance",
        names: &["Performance", "PerformanceEntry", "PerformanceMark", "PerformanceMeasure", "performance"],
        scripts: &[include_str!("performance.js")],
    },
    LazyStage { key: "console", names: &[], scripts: &[include_str!("console_table.js")] },
];

/// The key of the stage that defines a global.
pub fn stage_of(name: &str) -> Option<&'static str> {
    STAGES.iter().find(|stage| stage.names.contains(&name)).map(|stage| stage.key)
}

/// Compiles a script of the sandbox and returns the function that it consists of.
pub fn evaluate<'s>(scope: &mut v8::PinScope<'s, '_>, script: &str) -> Option<v8::Local<'s, v8::Function>> {
    let code = v8::String::new(scope, &format!("{STRICT}{script}"))?;
    let name = v8::String::new(scope, SCRIPT_NAME)?;
    let origin = v8::ScriptOrigin::new(scope, name.into(), 0, 0, false, -1, None, false, false, false, None);
    v8::Script::compile(scope, code, Some(&origin))?.run(scope)?.try_into().ok()
}
