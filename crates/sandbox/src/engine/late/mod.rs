//! What a realm has and hardly a run uses: scripts that are compiled when a guest first looks at one of the globals they
//! make. Nothing of them is in the snapshot but the names, so they cost a run nothing.

/// The name that frames of all scripts of the sandbox have in stack traces.
pub const SCRIPT_NAME: &str = "tgp:bootstrap";

/// Before every script, on its first line. A guest could learn who called it, and with what, from a sloppy function.
const STRICT: &str = "'use strict';";

/// Scripts that belong together, by a name that `late.js` asks for, and the globals that they make.
pub struct LateStage {
    pub key: &'static str,
    pub names: &'static [&'static str],
    pub scripts: &'static [&'static str],
}

/// Each asks for the ones it is built on by itself (`realm.need`).
pub static STAGES: [LateStage; 5] = [
    LateStage {
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
            include_str!("readable_stream.js"),
            include_str!("writable_stream.js"),
            include_str!("stream_pipes.js"),
            include_str!("transform_stream.js"),
            include_str!("codec_streams.js"),
        ],
    },
    LateStage {
        key: "bodies",
        names: &["Blob", "File", "FormData", "Request", "Response"],
        scripts: &[
            include_str!("blob.js"),
            include_str!("form_data.js"),
            include_str!("multipart.js"),
            include_str!("body.js"),
            include_str!("request.js"),
            include_str!("response.js"),
        ],
    },
    LateStage {
        key: "subtle",
        names: &["CryptoKey", "SubtleCrypto"],
        scripts: &[include_str!("crypto_key.js"), include_str!("subtle_crypto.js")],
    },
    LateStage {
        key: "performance",
        names: &["Performance", "PerformanceEntry", "PerformanceMark", "PerformanceMeasure", "performance"],
        scripts: &[include_str!("performance.js")],
    },
    LateStage { key: "console", names: &[], scripts: &[include_str!("console_table.js")] },
];

/// The key of the stage that makes a global.
pub fn stage_of(name: &str) -> Option<&'static str> {
    STAGES.iter().find(|stage| stage.names.contains(&name)).map(|stage| stage.key)
}

/// The function that a script of the sandbox consists of.
pub fn evaluate<'s>(scope: &mut v8::PinScope<'s, '_>, script: &str) -> Option<v8::Local<'s, v8::Function>> {
    let code = v8::String::new(scope, &format!("{STRICT}{script}"))?;
    let name = v8::String::new(scope, SCRIPT_NAME)?;
    let origin = v8::ScriptOrigin::new(scope, name.into(), 0, 0, false, -1, None, false, false, false, None);
    v8::Script::compile(scope, code, Some(&origin))?.run(scope)?.try_into().ok()
}
