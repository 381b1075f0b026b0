//! The request for a program and the report about it: the JSON between JavaScript and the supervisor.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A request to run one program. All paths are absolute.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProgramRequest {
    /// The launcher and the library that it loads, as in this process.
    pub launcher: PathBuf,
    pub library: PathBuf,
    pub program: PathBuf,
    pub args: Vec<String>,
    /// Its whole environment.
    pub env: BTreeMap<String, String>,
    /// Its working folder.
    pub folder: PathBuf,
    /// The file for its standard input.
    pub input: PathBuf,
    pub confinement: ProgramConfinement,
    pub limits: ProgramLimits,
}

/// Files and resources that the program may use.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProgramConfinement {
    /// File for the reason why the program could not be started. No other process may write to it.
    pub failure: PathBuf,
    /// Readable paths, beside those that all system programs need.
    pub readable: Vec<PathBuf>,
    /// Canonical folders that do not belong to the system, even if they lie in its folders: nothing in them is readable unless named
    /// above.
    pub hidden: Vec<PathBuf>,
    pub writable: Vec<PathBuf>,
    /// Limits per process: data, size of a file, and CPU time.
    pub memory_bytes: u64,
    pub file_bytes: u64,
    pub cpu_seconds: u64,
}

/// Limits of the program and all its descendants.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ProgramLimits {
    pub timeout_ms: u64,
    pub cpu_ms: u64,
    pub memory_bytes: u64,
    /// Processes and threads.
    pub tasks: u64,
    /// Of the content of the writable folders.
    pub disk_bytes: u64,
    pub files: u64,
    /// Bytes kept of each of the two outputs.
    pub output_bytes: usize,
}

/// Why the program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum ProgramEnd {
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
pub struct ProgramReport {
    pub end: ProgramEnd,
    /// The exit code, or the number of the signal.
    pub code: Option<i32>,
    /// Why it could not be started.
    pub reason: Option<String>,
    pub stdout: OutputText,
    pub stderr: OutputText,
    pub wall_ms: u64,
    pub cpu_ms: u64,
    /// Peak memory.
    pub memory_bytes: u64,
    /// Whether some process could not be killed in time.
    pub has_survivors: bool,
}

/// The beginning and the end of an output.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OutputText {
    pub head: String,
    pub tail: String,
    /// Number of bytes left out in between.
    pub left_out: u64,
}
