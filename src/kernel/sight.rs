//! What the caller on whose behalf this thread works may see, for help that names or quotes files which the call does not name.
//!
//! The door judges a call with all that it is known to reach. Hints, findings and trials come upon files later, deep in services
//! that know nothing of rules: they ask here, for exactly the file that they are about to tell of.

use std::cell::RefCell;
use std::sync::Arc;
use tgp_base::error::Error;

/// A caller's view of the root.
pub trait Sight: Send + Sync {
    /// Why the text of a file must not be told to them; nothing where it may.
    fn refusal(&self, path: &str) -> Option<Error>;

    /// Whether they may learn that there is such a file.
    fn shows(&self, path: &str) -> bool;

    /// Whether they may have it run, and nobody needs to be asked.
    fn runs(&self, path: &str) -> bool;
}

/// The view of a caller; none where nothing is out of sight.
#[derive(Clone, Default)]
pub struct SharedSight(pub Option<Arc<dyn Sight>>);

impl std::fmt::Debug for SharedSight {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(if self.0.is_some() { "SharedSight(narrow)" } else { "SharedSight(all)" })
    }
}

thread_local! {
    static PRESENT: RefCell<SharedSight> = const { RefCell::new(SharedSight(None)) };
}

/// Does `job` with the view of a caller.
pub fn seeing<T>(sight: SharedSight, job: impl FnOnce() -> T) -> T {
    /// Puts back what was before, also when the job panics.
    struct Before(SharedSight);
    impl Drop for Before {
        fn drop(&mut self) {
            PRESENT.replace(std::mem::take(&mut self.0));
        }
    }
    let _before = Before(PRESENT.replace(sight));
    job()
}

fn present() -> SharedSight {
    PRESENT.with_borrow(Clone::clone)
}

/// Refuses to read a file for a caller who may not know its text.
///
/// # Errors
/// `Denied` and `Approval`.
pub fn check_read(path: &str) -> Result<(), Error> {
    present().0.and_then(|sight| sight.refusal(path)).map_or(Ok(()), Err)
}

/// Whether the caller may learn that there is such a file.
pub fn shows(path: &str) -> bool {
    present().0.is_none_or(|sight| sight.shows(path))
}

/// Whether the caller may have it run.
pub fn runs(path: &str) -> bool {
    present().0.is_none_or(|sight| sight.runs(path))
}

#[cfg(test)]
mod tests {
    use super::{SharedSight, Sight, check_read, runs, seeing, shows};
    use std::sync::Arc;
    use tgp_base::error::{Error, ErrorCode};

    struct Blind;

    impl Sight for Blind {
        fn refusal(&self, _: &str) -> Option<Error> {
            Some(Error::new(ErrorCode::Denied, "no"))
        }
        fn shows(&self, _: &str) -> bool {
            false
        }
        fn runs(&self, _: &str) -> bool {
            false
        }
    }

    #[test]
    fn a_view_holds_for_its_job_and_no_longer() {
        let sees = || (check_read("a").is_ok(), shows("a"), runs("a"));
        assert_eq!(sees(), (true, true, true));
        seeing(SharedSight(Some(Arc::new(Blind))), || {
            assert_eq!(sees(), (false, false, false));
            seeing(SharedSight::default(), || assert_eq!(sees(), (true, true, true)));
            assert_eq!(sees(), (false, false, false));
        });
        assert_eq!(sees(), (true, true, true));
    }
}
