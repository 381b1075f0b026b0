//! The lock file of `git gc`, by the rules of `git`: it is stale after 12 hours, or if its process on this computer has ended.

use crate::regular_file;
use std::fs;
use std::path::Path;
use std::time::Duration;

const NAME: &str = "gc.pid";
const STALE_AFTER: Duration = Duration::from_hours(12);
/// A number and the name of a computer.
const MAX_BYTES: u64 = 1024;

/// Whether `git gc` runs in this repository, perhaps on another computer.
pub(super) fn is_held(common_dir: &Path) -> bool {
    let path = common_dir.join(NAME);
    let Ok(file) = fs::symlink_metadata(&path) else { return false };
    // An unknown age counts as recent.
    let is_recent =
        file.modified().ok().and_then(|modified| modified.elapsed().ok()).is_none_or(|age| age <= STALE_AFTER);
    is_recent && !has_ended(&path)
}

/// Whether the file names a process of this computer that does not exist. An unreadable file may be of another version of `git`.
fn has_ended(path: &Path) -> bool {
    let Ok(bytes) = regular_file::read(path, MAX_BYTES) else { return false };
    let text = String::from_utf8_lossy(&bytes);
    let mut words = text.split_ascii_whitespace();
    let (Some(Ok(process)), Some(host)) = (words.next().map(str::parse), words.next()) else { return false };
    host_name().is_some_and(|own| own == host) && !is_alive(process)
}

/// `None` where it is not known without a call of a library: locks are then stale by their age alone.
fn host_name() -> Option<String> {
    let bytes = regular_file::read(Path::new("/proc/sys/kernel/hostname"), MAX_BYTES).ok()?;
    Some(String::from_utf8_lossy(&bytes).trim_end().to_owned())
}

#[cfg(unix)]
fn is_alive(process: i32) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};
    let Some(process) = Pid::from_raw(process).filter(|_| process > 0) else { return true };
    test_kill_process(process) != Err(Errno::SRCH)
}

#[cfg(not(unix))]
const fn is_alive(_: i32) -> bool {
    true
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::{STALE_AFTER, host_name, is_held};
    use std::fs::{self, File};
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_lock_is_stale_by_age_or_the_end_of_its_process_on_this_computer() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!is_held(dir.path()), "no file");
        let (own, host) = (std::process::id(), host_name().unwrap());
        // Above the largest id of Linux.
        let ended = 1 << 30;
        for (text, expected) in [
            (format!("{own} {host}"), true),
            (format!("{ended} {host}"), false),
            (format!("{ended} another-computer"), true),
            (format!("{own} another-computer"), true),
            ("1 ".to_owned() + &host, true),
            (format!("-1 {host}"), true),
            (format!("0 {host}"), true),
            (format!("{ended}"), true),
            (String::new(), true),
            ("x".repeat(5000), true),
        ] {
            let path = dir.path().join("gc.pid");
            fs::write(&path, &text).unwrap();
            assert_eq!(is_held(dir.path()), expected, "{text}");
            let old = SystemTime::now() - STALE_AFTER - Duration::from_mins(1);
            File::options().write(true).open(&path).unwrap().set_modified(old).unwrap();
            assert!(!is_held(dir.path()), "{text}, old");
        }
    }
}
