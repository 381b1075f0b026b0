//! Integration tests of the repository, verified with the `git` program.

#[cfg(unix)]
mod concurrent_repack;
mod concurrent_writers;
mod oracle;
mod sharing;
pub(super) mod test_repository;
