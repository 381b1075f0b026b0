//! Lazy scripts: compiled when a guest first reads one of the globals that they define. Only the names are in the snapshot, so
//! runs that do not use them pay nothing.

use flate2::read::DeflateDecoder;
use std::borrow::Cow;
use std::io::Read;

/// The name that frames of all scripts of the sandbox have in stack traces.
pub const SCRIPT_NAME: &str = "tgp:bootstrap";

/// Prefix of every script. A sloppy-mode function would expose its caller and arguments to the guest.
const STRICT: &str = "'use strict';";

/// The text of a script of this folder, without comments: `build.rs` writes it.
macro_rules! script {
    ($file:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/lazy/", $file))
    };
}

/// Scripts that are loaded together: the key that `lazy.js` requests, and the globals that they define.
pub struct LazyStage {
    pub key: &'static str,
    pub names: &'static [&'static str],
    pub scripts: &'static [&'static str],
    /// Scripts that are compressed, because hardly any run uses them: `scripts/kept_scripts.mjs` builds them of packages.
    pub packed: &'static [&'static [u8]],
}

impl LazyStage {
    /// The text of a script by its number; `None` after the last one.
    pub fn script(&self, number: usize) -> Option<Cow<'static, str>> {
        if let Some(script) = self.scripts.get(number) {
            return Some(Cow::Borrowed(script));
        }
        let packed = self.packed.get(number.checked_sub(self.scripts.len())?)?;
        let mut text = String::new();
        DeflateDecoder::new(*packed).read_to_string(&mut text).ok()?;
        Some(Cow::Owned(text))
    }
}

/// All lazy stages. Each loads the stages that it depends on itself (`realm.need`).
pub static STAGES: [LazyStage; 14] = [
    LazyStage {
        key: "streams",
        names: &[
            "ByteLengthQueuingStrategy",
            "CompressionStream",
            "CountQueuingStrategy",
            "DecompressionStream",
            "ReadableByteStreamController",
            "ReadableStream",
            "ReadableStreamBYOBReader",
            "ReadableStreamBYOBRequest",
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
            script!("promises.js"),
            script!("readable_state.js"),
            script!("readable_chunks.js"),
            script!("byte_queue.js"),
            script!("byte_stream.js"),
            script!("readable_stream.js"),
            script!("writable_state.js"),
            script!("writable_stream.js"),
            script!("stream_pipes.js"),
            script!("transform_stream.js"),
            script!("codec_streams.js"),
        ],
        packed: &[],
    },
    LazyStage {
        key: "bodies",
        names: &["Blob", "File", "FormData", "Request", "Response"],
        scripts: &[
            script!("blob.js"),
            script!("form_data.js"),
            script!("multipart.js"),
            script!("body.js"),
            script!("abortable_answer.js"),
            script!("request.js"),
            script!("response.js"),
        ],
        packed: &[],
    },
    LazyStage {
        key: "subtle",
        names: &["CryptoKey", "SubtleCrypto"],
        scripts: &[
            script!("crypto_key.js"),
            script!("algorithms.js"),
            script!("key_import.js"),
            script!("subtle_crypto.js"),
        ],
        packed: &[],
    },
    // Loaded by `subtle_crypto.js`.
    LazyStage {
        key: "suites",
        names: &[],
        scripts: &[
            script!("suite_parts.js"),
            script!("aes_keys.js"),
            script!("key_derivation.js"),
            script!("key_agreement.js"),
            script!("rsa_numbers.js"),
            script!("rsa_oaep.js"),
        ],
        packed: &[],
    },
    LazyStage { key: "aes", names: &[], scripts: &[script!("aes.js")], packed: &[] },
    LazyStage {
        key: "performance",
        names: &["Performance", "PerformanceEntry", "PerformanceMark", "PerformanceMeasure", "performance"],
        scripts: &[script!("performance.js")],
        packed: &[],
    },
    LazyStage {
        key: "inspect",
        names: &[],
        scripts: &[
            script!("inspect_text.js"),
            script!("inspect_layout.js"),
            script!("inspect_names.js"),
            script!("inspect_error.js"),
            script!("inspect_entries.js"),
            script!("inspect_value.js"),
            script!("inspect_web.js"),
            script!("inspect_format.js"),
        ],
        packed: &[],
    },
    LazyStage { key: "node", names: &[], scripts: &[script!("node_parts.js")], packed: &[] },
    LazyStage { key: "nodeCipher", names: &[], scripts: &[script!("node_cipher.js")], packed: &[] },
    LazyStage { key: "nodeCodec", names: &[], scripts: &[script!("node_codec.js")], packed: &[] },
    LazyStage {
        key: "temporal",
        names: &["Temporal"],
        scripts: &[],
        packed: &[include_bytes!("kept/temporal.deflate")],
    },
    LazyStage {
        key: "urlPattern",
        names: &["URLPattern"],
        scripts: &[],
        packed: &[include_bytes!("kept/url_pattern.deflate")],
    },
    LazyStage { key: "transfer", names: &[], scripts: &[script!("transfer.js")], packed: &[] },
    LazyStage { key: "console", names: &[], scripts: &[script!("console_table.js")], packed: &[] },
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

#[cfg(test)]
mod tests {
    use super::STAGES;

    #[test]
    fn every_script_of_a_stage_is_one_function() {
        for stage in &STAGES {
            let count = stage.scripts.len() + stage.packed.len();
            for number in 0..count {
                let script = stage.script(number).unwrap();
                assert!(script.trim_end().ends_with("});") && script.contains("(function "), "{} {number}", stage.key);
            }
            assert_eq!(stage.script(count), None);
        }
    }
}
