//! Locale data of ICU, in a file beside the library: mapped, so that all processes have the same pages.

use memmap2::Mmap;
use std::fs::File;
use std::io::{Error, ErrorKind};
use std::path::Path;
use std::sync::OnceLock;

static DATA: OnceLock<Mmap> = OnceLock::new();

/// Maps the file. Comes before V8 is made ready, and before a worker's walls are up.
pub fn load(path: &Path) -> Result<(), Error> {
    #[cfg(test)]
    let path = if path.exists() { path } else { Path::new(BUILT) };
    if DATA.get().is_none() {
        let data = map(path)?;
        DATA.get_or_init(|| data);
    }
    Ok(())
}

/// What was loaded.
pub fn data() -> Option<&'static [u8]> {
    #[cfg(test)]
    load(Path::new(BUILT)).unwrap();
    DATA.get().map(|data| &**data)
}

fn map(path: &Path) -> Result<Mmap, Error> {
    let file = File::open(path)?;
    // SAFETY: as of the library itself, nobody writes into the file of a running program: it is replaced.
    let data = unsafe { Mmap::map(&file) }?;
    // ICU looks at the beginning alone.
    if data.len().to_string() == env!("TGP_LOCALE_BYTES") { Ok(data) } else { Err(ErrorKind::InvalidData.into()) }
}

/// Where `build.rs` has written the file.
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
