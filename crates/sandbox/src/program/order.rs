//! What is asked for, and what is said about it: the JSON between JavaScript and the supervisor.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// One program to run. Every path is absolute.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Order {
    /// The launcher and the library that it loads: what this process is made of.
    pub launcher: PathBuf,
    pub library: PathBuf,
    pub program: PathBuf,
    pub args: Vec<String>,
    /// All of its environment.
    pub env: BTreeMap<String, String>,
    /// Where it starts.
    pub folder: PathBuf,
    /// The file that it reads as its standard input.
    pub input: PathBuf,
    pub walls: Walls,
    pub limits: Limits,
}

/// What the program may reach.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Walls {
    /// Where it is written why the program could not be started. Nobody else may write there.
    pub failure: PathBuf,
    /// Beside what every program of the system needs.
    pub readable: Vec<PathBuf>,
    /// Real folders that are not the system's, wherever they lie: of these nothing is readable unless it is named above.
    pub hidden: Vec<PathBuf>,
    pub writable: Vec<PathBuf>,
    /// What one process may map, write into one file, and compute.
    pub memory_bytes: u64,
    pub file_bytes: u64,
    pub cpu_seconds: u64,
}

/// What the program may use with all that it starts.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Limits {
    pub timeout_ms: u64,
    pub cpu_ms: u64,
    pub memory_bytes: u64,
    /// Processes and threads.
    pub tasks: u64,
    /// Of what lies in the writable folders.
    pub disk_bytes: u64,
    pub files: u64,
    /// Kept of each of the two outputs.
    pub output_bytes: usize,
}

/// Why it is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum End {
    Exit,
    Signal,
    Timeout,
    Cpu,
    Memory,
    Tasks,
    Disk,
    Cancelled,
    NotStarted,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    pub end: End,
    /// The exit code, or the number of the signal.
    pub code: Option<i32>,
    /// Why it could not be started.
    pub reason: Option<String>,
    pub stdout: Text,
    pub stderr: Text,
    pub wall_ms: u64,
    pub cpu_ms: u64,
    /// The most that was seen at once.
    pub memory_bytes: u64,
    /// Something could not be ended in time.
    pub has_survivors: bool,
}

/// The beginning and the end of an output.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Text {
    pub head: String,
    pub tail: String,
    /// How much was in between.
    pub left_out: u64,
}
