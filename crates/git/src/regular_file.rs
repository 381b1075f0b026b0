//! Bounded access to regular files that others may have created.
//!
//! A symbolic link in their place would redirect a write, and a pipe would block a reader forever.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Opens the regular file at `path`; `InvalidInput` for anything else.
pub(super) fn open(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    #[cfg(unix)]
    open_without_blocking(options, libc::O_NOFOLLOW);
    #[cfg(not(unix))]
    if std::fs::symlink_metadata(path).is_ok_and(|there| !there.is_file()) {
        return Err(not_regular());
    }
    match options.open(path) {
        #[cfg(unix)]
        Err(error) if error.raw_os_error() == Some(libc::ELOOP) => Err(not_regular()),
        result => result.and_then(require_regular),
    }
}

/// As [`read`], but follows symbolic links.
pub(super) fn read_linked(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut options = File::options();
    #[cfg(unix)]
    open_without_blocking(&mut options, 0);
    read_open(&mut options.read(true).open(path).and_then(require_regular)?, most)
}

#[cfg(unix)]
fn open_without_blocking(options: &mut OpenOptions, flags: i32) {
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags | libc::O_NONBLOCK);
}

fn require_regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) }
}

/// Reads the regular file at `path`; `FileTooLarge` if it has more than `most` bytes.
pub(super) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut file = open(path, File::options().read(true))?;
    read_open(&mut file, most)
}

/// Reads the rest of an open file; `FileTooLarge` if it has more than `most` bytes.
pub(super) fn read_open(file: &mut File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}

/// Whether a library may read `path` completely: it is missing, or a regular file of at most `most` bytes.
pub(super) fn is_harmless(path: &Path, most: u64) -> bool {
    match std::fs::metadata(path) {
        Ok(there) => there.is_file() && there.len() <= most,
        Err(error) => matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
    }
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")
}

#[cfg(test)]
#[cfg(unix)]
#[expect(clippy::disallowed_methods, reason = "std cannot make a pipe")]
mod tests {
    use super::{is_harmless, open, read, read_linked};
    use std::fs::{self, File};
    use std::io::ErrorKind;

    #[test]
    fn links_pipes_directories_and_long_files_are_refused_without_blocking() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("plain"), "12345").unwrap();
        std::os::unix::fs::symlink(at("plain"), at("link")).unwrap();
        std::os::unix::fs::symlink(at("nowhere"), at("dangling")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(at("pipe")).status().unwrap();
        assert!(made.success());
        fs::create_dir(at("dir")).unwrap();
        for name in ["link", "dangling", "pipe", "dir", "/dev/zero"] {
            assert_eq!(read(&at(name), 9).unwrap_err().kind(), ErrorKind::InvalidInput, "{name}");
        }
        for name in ["pipe", "dir", "/dev/zero"] {
            assert_eq!(read_linked(&at(name), 9).unwrap_err().kind(), ErrorKind::InvalidInput, "{name}");
            assert!(!is_harmless(&at(name), 9), "{name}");
        }
        assert_eq!(read_linked(&at("link"), 9).unwrap(), b"12345");
        let writing = open(&at("link"), File::options().write(true).create(true).truncate(true));
        assert_eq!(writing.unwrap_err().kind(), ErrorKind::InvalidInput);
        assert_eq!(read(&at("plain"), 5).unwrap(), b"12345");
        assert_eq!(read(&at("plain"), 4).unwrap_err().kind(), ErrorKind::FileTooLarge);
        assert_eq!(read(&at("none"), 4).unwrap_err().kind(), ErrorKind::NotFound);
        assert!(is_harmless(&at("plain"), 5) && is_harmless(&at("none"), 5) && !is_harmless(&at("plain"), 4));
    }
}
