//! Rejected promises without a handler.
//!
//! A run that returns a result while one of them is left ends with its error.

/// Most promises: the first ones suffice, and a guest must not fill the host's memory with them.
const MAX_KEPT: usize = 32;

#[derive(Default)]
pub struct Rejections(Vec<(v8::Global<v8::Promise>, v8::Global<v8::Value>)>);

impl Rejections {
    pub fn add(&mut self, promise: v8::Global<v8::Promise>, reason: v8::Global<v8::Value>) {
        if self.0.len() < MAX_KEPT {
            self.0.push((promise, reason));
        }
    }

    /// Removes a promise that got a handler.
    pub fn remove(&mut self, promise: v8::Local<'_, v8::Promise>) {
        self.0.retain(|(kept, _)| *kept != promise);
    }

    /// The reason of the oldest rejection.
    pub fn first(&self) -> Option<v8::Global<v8::Value>> {
        self.0.first().map(|(_, reason)| reason.clone())
    }
}
