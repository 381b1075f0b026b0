//! Integration tests of the repository, verified with the `git` program.

mod concurrent_writers;
mod oracle;
mod sharing;
pub(super) mod test_repository;
