//! ICU locale data in a file beside the library, memory-mapped so that all processes share its pages.

use memmap2::Mmap;
use std::fs::File;
use std::io::{Error, ErrorKind};
use std::path::Path;
use std::sync::OnceLock;

static DATA: OnceLock<Mmap> = OnceLock::new();

/// Maps the file. Must be called before V8 is initialised and before a worker enters its confinement.
pub fn load(path: &Path) -> Result<(), Error> {
    #[cfg(test)]
    let path = if path.exists() { path } else { Path::new(BUILT) };
    if DATA.get().is_none() {
        let data = map(path)?;
        DATA.get_or_init(|| data);
    }
    Ok(())
}

/// The loaded data.
pub fn data() -> Option<&'static [u8]> {
    #[cfg(test)]
    load(Path::new(BUILT)).unwrap();
    DATA.get().map(|data| &**data)
}

fn map(path: &Path) -> Result<Mmap, Error> {
    let file = File::open(path)?;
    // SAFETY: as with the library itself, the file of a running program is replaced, never written to.
    let data = unsafe { Mmap::map(&file) }?;
    // ICU checks the header only, so a truncated file is detected by its length.
    if data.len().to_string() == env!("TGP_LOCALE_BYTES") { Ok(data) } else { Err(ErrorKind::InvalidData.into()) }
}

/// The path of the file written by `build.rs`.
#[cfg(test)]
const BUILT: &str = concat!(env!("OUT_DIR"), "/tgp.icu");

#[cfg(test)]
mod tests {
    use super::{BUILT, map};
    use std::io::ErrorKind;
    use std::path::Path;

    #[test]
    fn a_file_that_is_missing_or_torn_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tgp.icu");
        assert_eq!(map(&path).unwrap_err().kind(), ErrorKind::NotFound);
        let whole = map(Path::new(BUILT)).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        assert_eq!(map(&path).unwrap_err().kind(), ErrorKind::InvalidData);
        std::fs::write(&path, "").unwrap();
        assert_eq!(map(&path).unwrap_err().kind(), ErrorKind::InvalidData);
    }
}
