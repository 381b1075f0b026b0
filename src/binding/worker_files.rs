//! Paths of the sandbox worker's files, which are beside this library.

use crate::kernel::WorkerFiles;
use process_path::get_dylib_path;
use serde::Serialize;
use std::path::PathBuf;
use tgp_base::error::{Error, ErrorCode};

const EXECUTABLE: &str = if cfg!(windows) { "tgp-sandbox.exe" } else { "tgp-sandbox" };
const SNAPSHOT: &str = "tgp.snapshot";
const LOCALES: &str = "tgp.icu";

/// The executable and library that start a sandboxed program.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ProgramLauncher {
    executable: PathBuf,
    library: PathBuf,
}

pub fn launcher() -> Result<ProgramLauncher, Error> {
    let library = library()?;
    Ok(ProgramLauncher { executable: library.with_file_name(EXECUTABLE), library })
}

fn library() -> Result<PathBuf, Error> {
    get_dylib_path()
        .ok_or_else(|| Error::new(ErrorCode::Io, "The path of the native library is not known. Reinstall @tgp/core."))
}

pub fn locate() -> Result<WorkerFiles, Error> {
    let library = library()?;
    let locales = library.with_file_name(LOCALES);
    if !locales.exists() {
        let message = format!(
            "{} is missing. Tools need this locale and time zone data to run. Deploy it beside the native \
             library, or reinstall @tgp/core.",
            locales.display()
        );
        return Err(Error::new(ErrorCode::Io, message));
    }
    Ok(WorkerFiles {
        executable: library.with_file_name(EXECUTABLE),
        snapshot: library.with_file_name(SNAPSHOT),
        locales,
        library,
    })
}
