//! The visibility of files for the caller that the current thread works for.
//!
//! The door judges a call with all files that it is known to reach. Hints, findings and trials come across other files
//! later, in services that do not know the rules; they check each file here before they name or quote it.

use std::cell::RefCell;
use tgp_base::call::SharedVisibility;
use tgp_base::error::Error;

thread_local! {
    static PRESENT: RefCell<SharedVisibility> = const { RefCell::new(SharedVisibility(None)) };
}

/// Runs `job` with a caller's view.
pub fn with_visibility<T>(visibility: SharedVisibility, job: impl FnOnce() -> T) -> T {
    /// Restores the previous view, also when the job panics.
    struct Before(SharedVisibility);
    impl Drop for Before {
        fn drop(&mut self) {
            PRESENT.replace(std::mem::take(&mut self.0));
        }
    }
    let _before = Before(PRESENT.replace(visibility));
    job()
}

fn present() -> SharedVisibility {
    PRESENT.with_borrow(Clone::clone)
}

/// Refuses a file that the caller may not read.
///
/// # Errors
/// `Denied` and `Approval`.
pub fn check_read(path: &str) -> Result<(), Error> {
    present().0.and_then(|visibility| visibility.refusal(path)).map_or(Ok(()), Err)
}

/// Whether the caller may learn that a file exists.
pub fn shows(path: &str) -> bool {
    present().0.is_none_or(|visibility| visibility.shows(path))
}

/// Whether the caller may run a file.
pub fn runs(path: &str) -> bool {
    present().0.is_none_or(|visibility| visibility.runs(path))
}

#[cfg(test)]
mod tests {
    use super::{check_read, runs, shows, with_visibility};
    use std::sync::Arc;
    use tgp_base::call::{SharedVisibility, Visibility};
    use tgp_base::error::{Error, ErrorCode};

    struct SeesNothing;

    impl Visibility for SeesNothing {
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
        with_visibility(SharedVisibility(Some(Arc::new(SeesNothing))), || {
            assert_eq!(sees(), (false, false, false));
            with_visibility(SharedVisibility::default(), || assert_eq!(sees(), (true, true, true)));
            assert_eq!(sees(), (false, false, false));
        });
        assert_eq!(sees(), (true, true, true));
    }
}
