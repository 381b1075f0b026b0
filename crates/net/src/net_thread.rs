//! The thread of the asynchronous network runtime.

use super::net_error::NetError;
use tgp_base::threads;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// Threads for blocking calls, such as DNS lookups. A lookup cannot be cancelled.
const MAX_BLOCKING: usize = 64;

/// A runtime thread. Dropping it ends the thread and all its requests.
pub(super) struct NetThread {
    pub(super) runtime: Handle,
    _alive: oneshot::Sender<()>,
}

impl NetThread {
    /// # Errors
    /// `NoRuntime` when the system cannot create the thread or the runtime.
    pub(super) fn start(name: &str) -> Result<Self, NetError> {
        let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(MAX_BLOCKING).build();
        let runtime = runtime.map_err(|_| NetError::NoRuntime)?;
        let handle = runtime.handle().clone();
        let (alive, closed) = oneshot::channel::<()>();
        threads::spawn(name, move || {
            // Returns an error when the sender is dropped, which ends the thread.
            let _closed = runtime.block_on(closed);
            runtime.shutdown_background();
        })
        .map_err(|_| NetError::NoRuntime)?;
        Ok(Self { runtime: handle, _alive: alive })
    }
}
