//! Who has a say in what is pushed.

/// Whoever is asked before commits go to a remote.
pub trait PushPolicy: Send + Sync {
    /// Why these files are not to be pushed as they are in the commit, if so.
    fn refusal(&self, paths: &[&str], text_of: &dyn Fn(&str) -> Option<String>) -> Option<String>;
}
