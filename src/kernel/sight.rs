//! The visibility of files for the caller that the current thread works for.
//!
//! The door judges a call with all files that it is known to reach. Hints, findings and trials come across other files
//! later, in services that do not know the rules; they check each file here before they name or quote it.

use std::cell::RefCell;
use std::sync::Arc;
use tgp_base::error::Error;

/// A caller's view of the root.
pub trait Sight: Send + Sync {
    /// Why the caller may not read a file; none if it may.
    fn refusal(&self, path: &str) -> Option<Error>;

    /// Whether the caller may learn that a file exists.
    fn shows(&self, path: &str) -> bool;

    /// Whether the caller may run a file without an approval.
    fn runs(&self, path: &str) -> bool;
}

/// A caller's view; none when all files are visible.
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

/// Runs `job` with a caller's view.
pub fn seeing<T>(sight: SharedSight, job: impl FnOnce() -> T) -> T {
    /// Restores the previous view, also when the job panics.
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

/// Refuses a file that the caller may not read.
///
/// # Errors
/// `Denied` and `Approval`.
pub fn check_read(path: &str) -> Result<(), Error> {
    present().0.and_then(|sight| sight.refusal(path)).map_or(Ok(()), Err)
}

/// Whether the caller may learn that a file exists.
pub fn shows(path: &str) -> bool {
    present().0.is_none_or(|sight| sight.shows(path))
}

/// Whether the caller may run a file.
pub fn runs(path: &str) -> bool {
    present().0.is_none_or(|sight| sight.runs(path))
}

#[cfg(test)]
mod tests {
    use super::{SharedSight, Sight, check_read, runs, seeing, shows};
    use std::sync::Arc;
    use tgp_base::error::{Error, ErrorCode};

    struct SeesNothing;

    impl Sight for SeesNothing {
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
    fn a_view_is_restored_after_its_job() {
        let sees = || (check_read("a").is_ok(), shows("a"), runs("a"));
        assert_eq!(sees(), (true, true, true));
        seeing(SharedSight(Some(Arc::new(SeesNothing))), || {
            assert_eq!(sees(), (false, false, false));
            seeing(SharedSight::default(), || assert_eq!(sees(), (true, true, true)));
            assert_eq!(sees(), (false, false, false));
        });
        assert_eq!(sees(), (true, true, true));
    }
}
