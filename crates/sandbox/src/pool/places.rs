//! The pools for each place of this process, the newest of which keeps workers ready.
//!
//! A server that reloads its modules makes a kernel anew and forgets the old one, which is not collected for a while. What
//! is costly must not multiply by that: the older pool lets its idle workers go, and has some when it is asked to run. When
//! the newer one has ended, the older one is as it was.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

/// Those of each place, the newest last.
pub struct Places<T>(Mutex<BTreeMap<PathBuf, Vec<Weak<T>>>>);

impl<T> Places<T> {
    pub const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    /// Notes the newest for a place; gives the one that was.
    pub fn enter(&self, place: &Path, newest: &Arc<T>) -> Option<Arc<T>> {
        let mut places = self.0.lock();
        let here = places.entry(place.to_owned()).or_default();
        let older = latest(here);
        here.push(Arc::downgrade(newest));
        older
    }

    /// Forgets one, which may be about to be dropped; gives the newest that is left.
    pub fn leave(&self, place: &Path, gone: &T) -> Option<Arc<T>> {
        let mut places = self.0.lock();
        let here = places.get_mut(place)?;
        here.retain(|known| !is(known, gone) && known.strong_count() > 0);
        if here.is_empty() {
            places.remove(place);
            return None;
        }
        latest(here)
    }

    pub fn is_newest(&self, place: &Path, one: &T) -> bool {
        self.0.lock().get(place).and_then(|here| here.last()).is_some_and(|known| is(known, one))
    }
}

fn latest<T>(here: &[Weak<T>]) -> Option<Arc<T>> {
    here.iter().rev().find_map(Weak::upgrade)
}

fn is<T>(known: &Weak<T>, one: &T) -> bool {
    std::ptr::eq(known.as_ptr(), one)
}

#[cfg(test)]
mod tests {
    use super::Places;
    use std::path::Path;
    use std::sync::Arc;

    #[test]
    fn the_newest_comes_before_the_others_and_they_come_back_when_it_has_left() {
        let places = Places::new();
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
        assert_eq!(places.leave(here, &third), Some(Arc::clone(&first)), "a second farewell changes nothing");
        assert_eq!(places.leave(here, &first), None);
        assert_eq!(places.leave(there, &second), None);
        assert_eq!(places.0.lock().len(), 0);
    }
}
