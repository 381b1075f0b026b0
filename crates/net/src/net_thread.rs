//! A thread that waits for the network, so that nobody else has to.

use super::net_error::NetError;
use tgp_base::threads;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// Threads for what cannot be waited for otherwise, such as looking up names. A lookup goes on when nobody waits for it
/// any more.
const MAX_BLOCKING: usize = 64;

/// The thread. Dropping it ends it, and every request with it.
pub(super) struct NetThread {
    pub(super) runtime: Handle,
    _alive: oneshot::Sender<()>,
}

impl NetThread {
    /// # Errors
    /// `NoRuntime` when the system refuses a thread or what it needs.
    pub(super) fn start(name: &str) -> Result<Self, NetError> {
        let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(MAX_BLOCKING).build();
        let runtime = runtime.map_err(|_| NetError::NoRuntime)?;
        let handle = runtime.handle().clone();
        let (alive, over) = oneshot::channel::<()>();
        threads::spawn(name, move || {
            // It ends when the sender is dropped, with an error that says just that.
            let _over = runtime.block_on(over);
            runtime.shutdown_background();
        })
        .map_err(|_| NetError::NoRuntime)?;
        Ok(Self { runtime: handle, _alive: alive })
    }
}
