//! Packages of the application that tools may import, each bundled once into one module.

use super::host_functions::HostFunctions;
use super::std_library;
use crate::error::{Error, ErrorCode};
use crate::ids::RunId;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// The question that the JavaScript side answers with a bundle. No guest can ask it.
const BUNDLE: &str = "#bundle";
/// Bundling the largest packages takes seconds.
const PATIENCE: Duration = Duration::from_secs(60);
/// Bundles that belong to no run.
const NO_RUN: RunId = RunId(0);

pub struct Packages {
    allowed: Vec<String>,
    functions: Arc<dyn HostFunctions>,
    /// By specifier. The application's packages do not change while it runs.
    bundles: Mutex<HashMap<String, Arc<str>>>,
}

impl Packages {
    pub fn new(allowed: Vec<String>, functions: Arc<dyn HostFunctions>) -> Self {
        Self { allowed, functions, bundles: Mutex::default() }
    }

    /// Whether `specifier` is an allowed package or lies in one.
    pub fn allows(&self, specifier: &str) -> bool {
        let clean =
            specifier.split('/').all(|part| !matches!(part, "" | "." | "..")) && !specifier.contains(['\\', '\0', ':']);
        clean
            && self.allowed.iter().any(|package| {
                specifier.strip_prefix(package.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
    }

    /// What may be imported, for messages.
    pub fn allowed(&self) -> String {
        let mut names = vec![format!("'{}'", std_library::NAME)];
        names.extend(self.allowed.iter().filter(|name| *name != std_library::NAME).map(|name| format!("'{name}'")));
        names.join(", ")
    }

    /// The body of the package's module.
    pub fn bundle(&self, specifier: &str) -> Result<Arc<str>, Error> {
        if let Some(known) = self.bundles.lock().get(specifier) {
            return Ok(Arc::clone(known));
        }
        let (sender, receiver) = crossbeam_channel::bounded(1);
        let question = serde_json::json!([specifier]).to_string();
        let answer = Box::new(move |result| {
            // Whoever asked may have lost patience.
            let _gone = sender.send(result);
        });
        self.functions.call(NO_RUN, BUNDLE, question, answer);
        let failed = |why: &str| {
            let message = format!("The package '{specifier}' could not be bundled for the sandbox: {why}");
            Error::new(ErrorCode::Compilation, message).with("package", specifier)
        };
        let json = receiver
            .recv_timeout(PATIENCE)
            .map_err(|_| failed("it took too long."))?
            .map_err(|error| failed(&error.message))?;
        let code: String = serde_json::from_str(&json).map_err(|_| failed("the bundler gave no text."))?;
        let code: Arc<str> = code.into();
        self.bundles.lock().insert(specifier.to_owned(), Arc::clone(&code));
        Ok(code)
    }

    #[cfg(test)]
    pub fn test(allowed: &[&str]) -> Self {
        use super::host_functions::{Answer, Verdict};
        struct Nobody;
        impl HostFunctions for Nobody {
            fn names(&self) -> Arc<Vec<String>> {
                Arc::default()
            }
            fn call(&self, _: RunId, _: &str, _: String, _: Answer) {}
            fn finish(&self, _: RunId, _: Verdict, _: Answer) {}
        }
        Self::new(allowed.iter().map(|&name| name.to_owned()).collect(), Arc::new(Nobody))
    }
}
