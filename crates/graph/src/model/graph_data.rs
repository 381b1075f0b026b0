//! What a view consists of. Views of one repository share most of it.

use super::activity_layer::ActivityLayer;
use super::commit_state::CommitState;
use super::history::History;
use std::sync::Arc;

#[derive(Debug)]
pub struct GraphData {
    pub history: Arc<History>,
    pub state: Arc<CommitState>,
    pub activity: Arc<ActivityLayer>,
}
