//! Sentences for the log of the application.

use std::sync::Arc;

/// Takes a sentence. It must not block.
pub type Log = Arc<dyn Fn(&str) + Send + Sync>;
