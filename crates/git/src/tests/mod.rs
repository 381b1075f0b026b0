//! The repository as a whole, judged by the real `git`.

mod oracle;
mod rivals;
pub(super) mod test_repository;
