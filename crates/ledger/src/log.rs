//! The log callback of the application.

use std::sync::Arc;

/// Receives a message. It must not block.
pub type Log = Arc<dyn Fn(&str) + Send + Sync>;
