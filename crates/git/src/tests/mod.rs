//! The repository as a whole, judged by the real `git`.

mod oracle;
mod rivals;
mod sharing;
pub(super) mod test_repository;
