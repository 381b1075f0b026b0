//! Where the sandbox worker is: beside this very library.

use crate::kernel::WorkerFiles;
use process_path::get_dylib_path;
use serde::Serialize;
use std::path::PathBuf;
use tgp_base::error::{Error, ErrorCode};

const EXECUTABLE: &str = if cfg!(windows) { "tgp-sandbox.exe" } else { "tgp-sandbox" };
const SNAPSHOT: &str = "tgp.snapshot";
const LOCALES: &str = "tgp.icu";

/// What starts a program behind walls.
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
        .ok_or_else(|| Error::new(ErrorCode::Io, "The native library cannot tell where it is. Reinstall @tgp/core."))
}

pub fn locate() -> Result<WorkerFiles, Error> {
    let library = library()?;
    let locales = library.with_file_name(LOCALES);
    if !locales.exists() {
        let message = format!(
            "{} is missing: tools cannot run without the data of languages and time zones. Deploy it beside the native \
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
