//! Promises that were rejected and that nobody has looked at.
//!
//! A run that ends well while one of them is left has failed somewhere, and says so.

use super::run_state::RunState;

/// Kept at one time: the first ones tell enough, and a guest must not fill the host's memory with them.
const MOST: usize = 32;

#[derive(Default)]
pub struct Rejections(Vec<(v8::Global<v8::Promise>, v8::Global<v8::Value>)>);

impl Rejections {
    /// The reason of the oldest one.
    pub fn first(&self) -> Option<v8::Global<v8::Value>> {
        self.0.first().map(|(_, reason)| reason.clone())
    }
}

/// V8 calls it for each promise that is rejected without a handler, and again when one gets a handler after all.
pub unsafe extern "C" fn on_reject(message: v8::PromiseRejectMessage<'_>) {
    v8::callback_scope!(unsafe scope, &message);
    let promise = message.get_promise();
    match message.get_event() {
        v8::PromiseRejectEvent::PromiseRejectWithNoHandler => {
            let Some(reason) = message.get_value() else { return };
            let kept = (v8::Global::new(scope, promise), v8::Global::new(scope, reason));
            if let Some(state) = scope.get_slot_mut::<RunState>()
                && state.rejections.0.len() < MOST
            {
                state.rejections.0.push(kept);
            }
        }
        v8::PromiseRejectEvent::PromiseHandlerAddedAfterReject => {
            if let Some(state) = scope.get_slot_mut::<RunState>() {
                state.rejections.0.retain(|(kept, _)| *kept != promise);
            }
        }
        v8::PromiseRejectEvent::PromiseRejectAfterResolved | v8::PromiseRejectEvent::PromiseResolveAfterResolved => {}
    }
}
