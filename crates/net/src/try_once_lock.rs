//! A [`OnceLock`] with fallible initialisation. A failed initialisation is retried at the next use.

use std::sync::OnceLock;

pub(super) struct TryOnceLock<T>(OnceLock<T>);

impl<T> TryOnceLock<T> {
    pub(super) const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// The value; calls `make` if there is none yet. Concurrent callers may call it several times; one value is kept.
    pub(super) fn get_or_try_init<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        if let Some(value) = self.0.get() {
            return Ok(value);
        }
        let value = make()?;
        Ok(self.0.get_or_init(|| value))
    }
}

#[cfg(test)]
mod tests {
    use super::TryOnceLock;

    #[test]
    fn a_failed_initialisation_is_retried() {
        let cell = TryOnceLock::new();
        assert_eq!(cell.get_or_try_init(|| Err("no")), Err("no"));
        assert_eq!(cell.get_or_try_init(|| Ok::<_, &str>(1)), Ok(&1));
        assert_eq!(cell.get_or_try_init(|| Err("no")), Ok(&1));
    }
}
