//! What a run would do: its writes go beside the files, and what could not be undone is refused and noted.

use crate::kernel::file_diff::{DiffEffort, FileDiff};
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::value::RawValue;
use std::sync::Arc;
use tgp_base::error::{Error, ErrorCode};
use tgp_vfs::{OverlayVfs, Vfs};

/// Refusals that are told one by one, and how long their arguments may be together.
const MOST_TOLD: usize = 1000;
const MOST_BYTES: usize = 1 << 20;

/// A request that was not sent.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct HeldRequest {
    pub method: String,
    pub url: String,
}

/// A function of the application that was not called.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct HeldCall {
    pub name: String,
    #[cfg_attr(test, ts(type = "any[]"))]
    pub args: Box<RawValue>,
}

/// What is told of a dry run when it is over.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct PreviewReport {
    /// Sorted by path.
    diffs: Vec<FileDiff>,
    requests: Vec<HeldRequest>,
    calls: Vec<HeldCall>,
    /// Refusals that are not among them.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<usize>,
}

#[derive(Default)]
struct Held {
    requests: Vec<HeldRequest>,
    calls: Vec<HeldCall>,
    bytes: usize,
    left_out: usize,
}

/// The preview of a run and of all that it starts.
pub struct RunPreview {
    /// By the names under which guests know them.
    overlays: Vec<(String, Arc<OverlayVfs>)>,
    held: Mutex<Held>,
}

impl RunPreview {
    pub fn new(overlays: Vec<(String, Arc<OverlayVfs>)>) -> Arc<Self> {
        Arc::new(Self { overlays, held: Mutex::default() })
    }

    /// The folder with this name, as the run sees it.
    pub fn folder(&self, name: &str) -> Option<Arc<dyn Vfs>> {
        let (_, files) = self.overlays.iter().find(|(known, _)| known == name)?;
        Some(Arc::clone(files) as Arc<dyn Vfs>)
    }

    /// Notes a request that would change something, and says why it is not sent.
    pub fn hold_request(&self, method: String, url: String) -> Error {
        let message = format!(
            "This is a dry run: {method} {url} was not sent, and the preview lists it. GET and HEAD are sent as always."
        );
        self.note(method.len() + url.len(), |held| held.requests.push(HeldRequest { method, url }));
        refused(message)
    }

    /// Notes a call of the application, and says why it is not made.
    pub fn hold_call(&self, name: &str, args_json: &str) -> Error {
        if let Ok(args) = RawValue::from_string(args_json.to_owned()) {
            self.note(args_json.len(), |held| held.calls.push(HeldCall { name: name.to_owned(), args }));
        }
        refused(format!(
            "This is a dry run: tgp.{name} was not called, and the preview lists it. Functions that the application marks readOnly are called."
        ))
    }

    fn note(&self, bytes: usize, add: impl FnOnce(&mut Held)) {
        let mut held = self.held.lock();
        let is_full = held.requests.len() + held.calls.len() >= MOST_TOLD || held.bytes + bytes > MOST_BYTES;
        if is_full {
            held.left_out += 1;
        } else {
            held.bytes += bytes;
            add(&mut held);
        }
    }

    /// Whether something was refused that a real run would have done.
    pub fn has_refused(&self) -> bool {
        let held = self.held.lock();
        held.left_out > 0 || !held.requests.is_empty() || !held.calls.is_empty()
    }

    pub fn report(&self) -> Result<PreviewReport, Error> {
        let mut diffs = Vec::new();
        let mut effort = DiffEffort::default();
        for (name, files) in &self.overlays {
            let folder = name.strip_prefix("./").unwrap_or(name).trim_end_matches('/');
            for change in files.changes()? {
                let path = format!("{folder}/{}", change.path.as_str());
                let (before, after) = (change.before.as_deref(), change.after.as_deref());
                let (before, after) = (before.map(str::as_bytes), after.map(str::as_bytes));
                diffs.extend(FileDiff::between(&path, before, after, &mut effort)?);
            }
        }
        diffs.sort_unstable_by(|left, right| left.path.cmp(&right.path));
        let held = self.held.lock();
        Ok(PreviewReport {
            diffs,
            requests: held.requests.clone(),
            calls: held.calls.clone(),
            left_out: (held.left_out > 0).then_some(held.left_out),
        })
    }
}

fn refused(message: String) -> Error {
    Error::new(ErrorCode::SecurityViolation, message).with("dryRun", true)
}
