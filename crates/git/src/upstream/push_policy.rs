//! The push policy.

/// Decides whether commits may be pushed.
pub trait PushPolicy: Send + Sync {
    /// The reason why these files must not be pushed; `None` if they may.
    fn refusal(&self, paths: &[&str], text_of: &dyn Fn(&str) -> Option<String>) -> Option<String>;
}
