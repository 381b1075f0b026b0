//! The preview of a dry run: writes go to an overlay, and effects that cannot be undone are refused and listed.

use crate::kernel::file_diff::{DiffEffort, FileDiff};
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::value::RawValue;
use std::sync::Arc;
use tgp_base::error::{Error, ErrorCode};
use tgp_vfs::{OverlayVfs, Vfs};

/// Most refusals that are listed, and their total size.
const MAX_LISTED: usize = 1000;
const MAX_BYTES: usize = 1 << 20;

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

/// The report of a dry run.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct PreviewReport {
    /// Sorted by path.
    diffs: Vec<FileDiff>,
    requests: Vec<HeldRequest>,
    calls: Vec<HeldCall>,
    /// The number of refusals that are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<usize>,
}

#[derive(Default)]
struct HeldEffects {
    requests: Vec<HeldRequest>,
    calls: Vec<HeldCall>,
    bytes: usize,
    left_out: usize,
}

/// The preview of a run and its nested runs.
pub struct RunPreview {
    /// By their paths in the sandbox.
    overlays: Vec<(String, Arc<OverlayVfs>)>,
    held: Mutex<HeldEffects>,
}

impl RunPreview {
    pub fn new(overlays: Vec<(String, Arc<OverlayVfs>)>) -> Arc<Self> {
        Arc::new(Self { overlays, held: Mutex::default() })
    }

    /// The overlay of the folder with this name.
    pub fn folder(&self, name: &str) -> Option<Arc<dyn Vfs>> {
        let (_, files) = self.overlays.iter().find(|(known, _)| known == name)?;
        Some(Arc::clone(files) as Arc<dyn Vfs>)
    }

    /// Lists a request that may change something, and returns the refusal.
    pub fn hold_request(&self, method: String, url: String) -> Error {
        let message = format!(
            "This is a dry run: {method} {url} was not sent, and is listed in the preview. GET and HEAD requests are sent."
        );
        self.note(method.len() + url.len(), |held| held.requests.push(HeldRequest { method, url }));
        refused(message)
    }

    /// Lists a call of the application, and returns the refusal.
    pub fn hold_call(&self, name: &str, args_json: &str) -> Error {
        if let Ok(args) = RawValue::from_string(args_json.to_owned()) {
            self.note(args_json.len(), |held| held.calls.push(HeldCall { name: name.to_owned(), args }));
        }
        refused(format!(
            "This is a dry run: tgp.{name} was not called, and is listed in the preview. Functions that the application marks readOnly are called."
        ))
    }

    fn note(&self, bytes: usize, add: impl FnOnce(&mut HeldEffects)) {
        let mut held = self.held.lock();
        let is_full = held.requests.len() + held.calls.len() >= MAX_LISTED || held.bytes + bytes > MAX_BYTES;
        if is_full {
            held.left_out += 1;
        } else {
            held.bytes += bytes;
            add(&mut held);
        }
    }

    /// Whether any effect was refused.
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
