//! Results of test files.

pub mod test_outcome;
pub mod test_record;
pub mod test_report;
