//! The newest pool for each place of this process.
//!
//! A server that reloads its modules makes a kernel anew and forgets the old one, which is not collected for a while. What
//! is costly must not multiply by that: the older pool lets its idle workers go, and has some when it is asked to run.

use super::pool::Pool;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

static NEWEST: Mutex<BTreeMap<PathBuf, Weak<Pool>>> = Mutex::new(BTreeMap::new());

/// Notes the newest pool for a place; gives the one that was.
pub fn take_over(place: &Path, pool: &Arc<Pool>) -> Option<Arc<Pool>> {
    let mut newest = NEWEST.lock();
    newest.retain(|_, pool| pool.strong_count() > 0);
    newest.insert(place.to_owned(), Arc::downgrade(pool))?.upgrade()
}
