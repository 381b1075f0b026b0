//! The newest pool for each place of this process.
//!
//! A server that reloads its modules makes a kernel anew and forgets the old one, which is not collected for a while. What
//! is costly must not multiply by that: the older pool lets its idle workers go, and has some when it is asked to run.

use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

pub struct Places<T>(Mutex<BTreeMap<PathBuf, Weak<T>>>);

impl<T> Places<T> {
    pub const fn new() -> Self {
        Self(Mutex::new(BTreeMap::new()))
    }

    /// Notes the newest for a place; gives the one that was.
    pub fn take_over(&self, place: &Path, newest: &Arc<T>) -> Option<Arc<T>> {
        let mut places = self.0.lock();
        places.retain(|_, known| known.strong_count() > 0);
        places.insert(place.to_owned(), Arc::downgrade(newest))?.upgrade()
    }
}

#[cfg(test)]
mod tests {
    use super::Places;
    use std::path::Path;
    use std::sync::Arc;

    #[test]
    fn the_newest_takes_the_place_of_the_one_before_and_what_is_gone_is_forgotten() {
        let places = Places::new();
        let (here, there) = (Path::new("/here"), Path::new("/there"));
        let (first, second) = (Arc::new(1), Arc::new(2));
        assert_eq!(places.take_over(here, &first), None);
        assert_eq!(places.take_over(there, &second), None);
        assert_eq!(places.take_over(here, &second), Some(first));
        drop(second);
        assert_eq!(places.take_over(there, &Arc::new(3)), None);
        assert_eq!(places.0.lock().len(), 1);
    }
}
