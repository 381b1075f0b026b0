//! Names for things that cross threads and processes.

use serde::{Deserialize, Serialize};

/// One run of one tool. Unique within a process for as long as the process lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct RunId(pub u64);

/// One question of a guest to the host, unique within its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct CallId(pub u32);
