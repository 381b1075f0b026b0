//! The callback of V8 for rejected promises without a handler.

use crate::engine::run::RunState;

/// Called by V8 when a promise is rejected without a handler, and again when such a promise gets a handler.
pub unsafe extern "C" fn on_reject(message: v8::PromiseRejectMessage<'_>) {
    v8::callback_scope!(unsafe scope, &message);
    let promise = message.get_promise();
    match message.get_event() {
        v8::PromiseRejectEvent::PromiseRejectWithNoHandler => {
            let Some(reason) = message.get_value() else { return };
            let (promise, reason) = (v8::Global::new(scope, promise), v8::Global::new(scope, reason));
            if let Some(state) = scope.get_slot_mut::<RunState>() {
                state.rejections.add(promise, reason);
            }
        }
        v8::PromiseRejectEvent::PromiseHandlerAddedAfterReject => {
            if let Some(state) = scope.get_slot_mut::<RunState>() {
                state.rejections.remove(promise);
            }
        }
        v8::PromiseRejectEvent::PromiseRejectAfterResolved | v8::PromiseRejectEvent::PromiseResolveAfterResolved => {}
    }
}
