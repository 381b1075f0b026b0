//! The pools of this process by place (root folder). Only the newest pool of a place keeps idle workers.
//!
//! A server that reloads its modules creates a new kernel while the old one is not collected yet. So that idle workers do not
//! multiply, the older pool ends its idle workers and starts new ones only for runs. When the newer pool has ended, the
//! older one keeps idle workers again.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

/// Pools by place, the newest last.
pub struct PoolRegistry<T>(Mutex<BTreeMap<PathBuf, Vec<Weak<T>>>>);

impl<T> PoolRegistry<T> {
    pub const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    /// Registers the newest pool of a place; returns the one before.
    pub fn enter(&self, place: &Path, newest: &Arc<T>) -> Option<Arc<T>> {
        let mut places = self.0.lock();
        let here = places.entry(place.to_owned()).or_default();
        let older = latest(here);
        here.push(Arc::downgrade(newest));
        older
    }

    /// Removes a pool, which may be about to be dropped; returns the newest of the others.
    pub fn leave(&self, place: &Path, leaving: &T) -> Option<Arc<T>> {
        let mut places = self.0.lock();
        let here = places.get_mut(place)?;
        here.retain(|other| !is(other, leaving) && other.strong_count() > 0);
        if here.is_empty() {
            places.remove(place);
            return None;
        }
        latest(here)
    }

    pub fn is_newest(&self, place: &Path, one: &T) -> bool {
        self.0.lock().get(place).and_then(|here| here.last()).is_some_and(|other| is(other, one))
    }
}

fn latest<T>(here: &[Weak<T>]) -> Option<Arc<T>> {
    here.iter().rev().find_map(Weak::upgrade)
}

fn is<T>(other: &Weak<T>, one: &T) -> bool {
    std::ptr::eq(other.as_ptr(), one)
}

#[cfg(test)]
mod tests {
    use super::PoolRegistry;
    use std::path::Path;
    use std::sync::Arc;

    #[test]
    fn an_older_pool_is_newest_again_after_the_newer_one_has_left() {
        let places = PoolRegistry::new();
        let (here, there) = (Path::new("/here"), Path::new("/there"));
        let (first, second, third) = (Arc::new(1), Arc::new(2), Arc::new(3));
        assert_eq!(places.enter(here, &first), None);
        assert_eq!(places.enter(there, &second), None);
        assert_eq!(places.enter(here, &second), Some(Arc::clone(&first)));
        assert_eq!(places.enter(here, &third), Some(Arc::clone(&second)));
        assert!(places.is_newest(here, &third) && !places.is_newest(here, &first));
        assert_eq!(places.leave(here, &second), Some(Arc::clone(&third)), "the newest stays what it is");
        assert_eq!(places.leave(here, &third), Some(Arc::clone(&first)));
        assert!(places.is_newest(here, &first));
        assert_eq!(places.leave(here, &third), Some(Arc::clone(&first)), "a second removal has no effect");
        assert_eq!(places.leave(here, &first), None);
        assert_eq!(places.leave(there, &second), None);
        assert_eq!(places.0.lock().len(), 0);
    }
}
