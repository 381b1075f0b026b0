//! The ledger for JavaScript: queries, and calls that JavaScript executes itself.

use super::background::{Lane, Promised, start_alone};
use super::binding_kernel::BindingKernel;
use super::binding_outcome::BindingError;
use super::js_callback::{SHORT_ANSWER, thrown};
use crate::kernel::{Call, CallDetails, Caller, Changes, named_changes};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use tgp_base::effect::Effect;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::threads;

/// A call that JavaScript executes.
#[napi(object)]
pub struct BindingCall {
    pub number: u32,
    /// The caller, as JSON.
    pub caller: String,
    pub tool: String,
    pub effect: String,
    /// Whether the call may change something.
    pub changes: bool,
    /// As JSON.
    pub args: String,
    pub path: Option<String>,
}

/// # Errors
/// `Validation` for an unknown effect: it decides which rules apply.
pub(super) fn effect_of(name: &str) -> Result<Effect, Error> {
    Effect::parse(name).ok_or_else(|| {
        let known = Effect::ALL.map(Effect::as_str).join(", ");
        Error::new(ErrorCode::Validation, format!("\"{name}\" is not an effect. Use one of: {known}."))
    })
}

#[napi]
impl BindingKernel {
    /// The name of a call in the ledger.
    #[napi]
    pub fn call_name(&self, number: u32) -> String {
        self.kernel().map_or_else(|_| String::new(), |kernel| kernel.door().name(number.into()))
    }

    /// The text with the configured secrets masked. None before boot, or for a text that is too long.
    #[napi]
    pub fn masked(&self, text: String) -> Option<String> {
        self.kernel().ok()?.known_secrets().masked(text)
    }

    /// Admits a call that JavaScript executes. `leave` must follow, with the same number.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn enter<'env>(&self, env: &'env Env, call: BindingCall) -> napi::Result<Object<'env>> {
        let admitted_calls = Arc::clone(&self.admitted_calls);
        self.with_kernel(env, move |kernel| {
            let BindingCall { number, caller, tool, effect, changes, args, path } = call;
            let effect = effect_of(&effect)?;
            let stated = if changes { Changes::Something } else { Changes::Nothing };
            let caller = Arc::new(Caller::from_json(Some(&caller))?);
            let call = Call {
                number: number.into(),
                parent: caller.parent_number(),
                changes: named_changes(effect, &args, stated, kernel.runs().sql_dialect()),
                path: path.map(Cow::Owned),
                approval: caller.approval.as_deref(),
                ..Call::of(&caller, tool, effect, args)
            };
            let admitted = kernel.door().enter(call, CallDetails::default())?;
            admitted_calls.lock().insert(number, admitted);
            Ok(())
        })
    }

    /// Reports the end of a call that `enter` admitted: a JSON value or an error. A short one is recorded at once; a long
    /// one, which is searched and hashed for the ledger, on another thread, and the promise settles then.
    #[napi(ts_return_type = "Promise<BindingOutcome> | null")]
    pub fn leave<'env>(
        &self,
        env: &'env Env,
        number: u32,
        value: Option<String>,
        error: Option<BindingError>,
    ) -> napi::Result<Option<Object<'env>>> {
        let Some(admitted) = self.admitted_calls.lock().remove(&number) else { return Ok(None) };
        let is_long = value.as_ref().is_some_and(|value| value.len() > SHORT_ANSWER);
        let error = error.map(thrown);
        let record = move || {
            admitted.leave(error.as_ref().map_or_else(|| Ok(value.as_deref().unwrap_or("null")), Err));
        };
        if is_long {
            let (promised, promise) = Promised::new(env)?;
            self.lanes.start(Lane::Files, promised, move |promised| {
                record();
                promised.settle(Ok(()));
            });
            return Ok(Some(promise));
        }
        // A panic must not unwind into JavaScript's thread.
        let _panicked = threads::contain(record);
        Ok(None)
    }

    /// Value: events, oldest first.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn ledger_tail<'env>(&self, env: &'env Env, query_json: String) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Searches, env, move |kernel| kernel.ledger().tail(&query_json))
    }

    /// Value: the events of a call and of its nested calls, oldest first. The call is given by its name in events, or
    /// by the number of one of its events.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn ledger_tree<'env>(&self, env: &'env Env, call: String) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Searches, env, move |kernel| kernel.ledger().tree(&call))
    }

    /// Value: the text of a value that is stored by its hash.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn ledger_blob<'env>(&self, env: &'env Env, hash: String) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Searches, env, move |kernel| kernel.ledger().blob(&hash))
    }

    /// Records an event of the application.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn ledger_append<'env>(&self, env: &'env Env, event_json: String) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Searches, env, move |kernel| kernel.ledger().append(&event_json))
    }

    /// Settles once the ledger holds every event that the processes sharing it had recorded at the time of the call.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn ledger_wait_for_spools<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Remote, env, |kernel| kernel.ledger().wait_for_spools())
    }

    /// Value: `{ ok, events, head, problem? }`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn ledger_verify<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Remote, env, |kernel| kernel.ledger().verify())
    }

    /// Signs the current first event as the base, so that a missing earlier event is not a fault.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn ledger_sign_base<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Searches, env, |kernel| kernel.ledger().sign_base())
    }

    /// Drops old events. Value: `{ events, first }`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn ledger_prune<'env>(&self, env: &'env Env, what_json: String) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Remote, env, move |kernel| kernel.ledger().prune(&what_json))
    }

    /// Value: `{ size, head, note }`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn ledger_checkpoint<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Searches, env, |kernel| kernel.ledger().checkpoint())
    }

    /// Value: `{ lines, next }`, the events after number `after`; 0 for the first page.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn ledger_export<'env>(&self, env: &'env Env, after: f64, limit: u32) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Searches, env, move |kernel| kernel.ledger().export(after.max(0.0) as u64, limit))
    }

    /// Value: the events of one file, oldest first.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn ledger_chronicle<'env>(&self, env: &'env Env, path: String) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Searches, env, move |kernel| kernel.ledger().chronicle(&path))
    }
}

/// Implements `verifyExport`.
pub(super) fn verify_export(env: &Env, file: String, key_file: Option<String>) -> napi::Result<Object<'_>> {
    let (promised, promise) = Promised::new(env)?;
    start_alone(promised, move |promised| {
        let key_file = key_file.map(PathBuf::from);
        promised.settle(crate::kernel::verify_export(&PathBuf::from(file), key_file.as_deref()));
    });
    Ok(promise)
}
