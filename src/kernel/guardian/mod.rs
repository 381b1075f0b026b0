//! The guardian: contradictions between the records of the workspace, invariants, reviews of plans, and the halt.

mod assertions;
mod contradictions;
mod file_records;
mod graph_rows;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod guardian;
mod halts;

mod plan_review;
mod report;
mod self_inquiry;

pub use guardian::{Guardian, GuardianDeps};
pub use halts::Reconciled;
pub use plan_review::ReviewDecision;
pub use report::GuardianReport;
pub use self_inquiry::SelfInquiry;
