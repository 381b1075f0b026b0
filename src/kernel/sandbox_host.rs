//! What a guest may ask of the kernel.

use super::host_functions::{Answer, HostFunctions, Verdict};
use super::write_rules::TOOLS;
use crate::error::{Error, ErrorCode};
use crate::ids::RunId;
use crate::sandbox::{Host, HostAnswer, Question, Reply};
use crate::vfs::{DiskVfs, JailPath, Vfs};
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The read-only name of the tools' folder inside the sandbox.
const LIB: &str = "/lib";

/// Serves one run.
pub struct SandboxHost {
    run: RunId,
    vfs: Arc<DiskVfs>,
    functions: Arc<dyn HostFunctions>,
    /// Whether the application has been called, and must hear of the end.
    called: AtomicBool,
}

impl SandboxHost {
    pub fn new(run: RunId, vfs: Arc<DiskVfs>, functions: Arc<dyn HostFunctions>) -> Self {
        Self { run, vfs, functions, called: AtomicBool::new(false) }
    }

    /// Tells the application how the run ended, if it had a part in it.
    pub fn finish(&self, verdict: Verdict, done: Answer) {
        if self.called.load(Ordering::Acquire) {
            self.functions.finish(self.run, verdict, done);
        } else {
            done(Ok(String::new()));
        }
    }

    fn answer(&self, question: &Question) -> Result<String, Error> {
        match question.name.as_str() {
            "read_file" => to_json(&self.vfs.read(&guest_path(&first_text(question)?)?)?),
            "list_files" => {
                let dir = guest_path(&first_text(question)?)?;
                let files = self.vfs.list(&dir)?;
                to_json(&files.iter().map(JailPath::as_str).collect::<Vec<_>>())
            }
            other => Err(Error::new(ErrorCode::Validation, format!("There is no function tgp.{other}."))),
        }
    }
}

impl Host for SandboxHost {
    fn call(&self, question: Question, reply: Reply) {
        // An application may replace a built-in function by one of its own.
        if self.functions.names().contains(&question.name) {
            self.called.store(true, Ordering::Release);
            let answer: Answer = Box::new(move |result| reply.send(told(result)));
            self.functions.call(self.run, &question.name, question.args_json, answer);
        } else {
            reply.send(told(self.answer(&question)));
        }
    }
}

fn told(result: Result<String, Error>) -> HostAnswer {
    match result {
        Ok(json) => HostAnswer::Value(json),
        Err(error) => HostAnswer::Fault { code: error.code.as_str().to_owned(), message: error.message },
    }
}

/// The first argument of a question, which must be text.
fn first_text(question: &Question) -> Result<String, Error> {
    let values: Vec<serde_json::Value> = serde_json::from_str(&question.args_json).unwrap_or_default();
    match values.first() {
        Some(serde_json::Value::String(text)) => Ok(text.clone()),
        _ => {
            Err(Error::new(ErrorCode::Validation, format!("tgp.{} needs a path as its first argument.", question.name)))
        }
    }
}

/// A path as guests write it: `/lib/…` is the tools' folder, anything else is relative to the root.
pub fn guest_path(text: &str) -> Result<JailPath, Error> {
    let inside = match text.strip_prefix(LIB) {
        Some("") => TOOLS.to_owned(),
        Some(rest) if rest.starts_with('/') => format!("{TOOLS}{rest}"),
        _ => text.to_owned(),
    };
    Ok(JailPath::parse(&inside)?)
}

fn to_json(value: &impl Serialize) -> Result<String, Error> {
    serde_json::to_string(value).map_err(|_| Error::new(ErrorCode::Result, "The answer cannot be written as JSON."))
}
