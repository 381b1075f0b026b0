//! What is made when it is first needed. What could not be made then is tried again the next time.

use std::sync::OnceLock;

pub(super) struct MadeOnce<T>(OnceLock<T>);

impl<T> MadeOnce<T> {
    pub(super) const fn new() -> Self {
        Self(OnceLock::new())
    }

    /// The value; `make` is asked for it until it has one. Of two that are made at once, one is dropped.
    pub(super) fn get<E>(&self, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
        if let Some(made) = self.0.get() {
            return Ok(made);
        }
        let made = make()?;
        Ok(self.0.get_or_init(|| made))
    }
}

#[cfg(test)]
mod tests {
    use super::MadeOnce;

    #[test]
    fn a_failure_is_not_kept_and_a_value_is() {
        let cell = MadeOnce::new();
        assert_eq!(cell.get(|| Err("no")), Err("no"));
        assert_eq!(cell.get(|| Ok::<_, &str>(1)), Ok(&1));
        assert_eq!(cell.get(|| Err("no")), Ok(&1));
    }
}
