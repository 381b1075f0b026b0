//! An on-disk cache of package bytecode, for later kernels. Losing a file costs milliseconds only.

use std::sync::{Arc, OnceLock};
use tgp_sandbox::BytecodeStore;
use tgp_vfs::{DiskVfs, JailPath, Vfs};

const FOLDER: &str = "bytecode";
const ENDING: &str = "bin";
/// Most files; the oldest are removed.
const MAX_FILES: usize = 64;
/// Most bytes in total.
const MAX_BYTES: u64 = 64 << 20;
/// A larger file is ignored, as we never write one.
const LARGEST: u64 = 32 << 20;

/// The cache; empty until it is opened, since workers start before the private folder is known.
#[derive(Debug, Default)]
pub struct BytecodeFiles(OnceLock<Arc<DiskVfs>>);

impl BytecodeFiles {
    pub fn open(&self, private: Arc<DiskVfs>) {
        self.0.get_or_init(|| private);
    }

    /// Removes the oldest files to make room for one of `bytes`.
    fn make_room(private: &DiskVfs, folder: &JailPath, bytes: u64) {
        let mut files = private.list_with_fingerprints(folder).unwrap_or_default();
        files.retain(|file| file.path.extension() == Some(ENDING));
        // A file that is too new to have a fingerprint is the newest.
        files.sort_unstable_by_key(|file| std::cmp::Reverse((file.fingerprint.is_none(), file.fingerprint)));
        let (mut count, mut total) = (1, bytes);
        for file in files {
            count += 1;
            total += private.size_of(&file.path).ok().flatten().unwrap_or_default();
            if count > MAX_FILES || total > MAX_BYTES {
                // A failed removal is retried next time.
                let _ = private.remove(&file.path);
            }
        }
    }
}

impl BytecodeStore for BytecodeFiles {
    fn read(&self, name: &str) -> Option<Vec<u8>> {
        let path = JailPath::parse(FOLDER).and_then(|folder| folder.join(name)).ok()?;
        let private = self.0.get()?;
        private.size_of(&path).ok().flatten().filter(|bytes| *bytes <= LARGEST)?;
        private.read_bytes(&path).ok()
    }

    fn write(&self, name: &str, content: &[u8]) {
        let (Some(private), Ok(folder)) = (self.0.get(), JailPath::parse(FOLDER)) else { return };
        let Ok(path) = folder.join(name) else { return };
        Self::make_room(private, &folder, content.len() as u64);
        // Without a file, the next kernel compiles again.
        let _ = private.restore(&path, content);
    }
}

#[cfg(test)]
mod tests {
    use super::{BytecodeFiles, FOLDER, LARGEST, MAX_BYTES, MAX_FILES};
    use std::path::Path;
    use std::sync::Arc;
    use std::time::{Duration, SystemTime};
    use tgp_sandbox::BytecodeStore;
    use tgp_vfs::DiskVfs;

    fn open(folder: &Path) -> BytecodeFiles {
        let files = BytecodeFiles::default();
        files.open(Arc::new(DiskVfs::open(folder).unwrap()));
        files
    }

    /// Writes a file of another time and size.
    fn plant(folder: &Path, name: &str, age: Duration, bytes: u64) {
        let folder = folder.join(FOLDER);
        std::fs::create_dir_all(&folder).unwrap();
        let file = std::fs::File::create(folder.join(name)).unwrap();
        file.set_len(bytes).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder.join(FOLDER)).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn it_is_empty_until_it_is_opened() {
        let (folder, files) = (tempfile::tempdir().unwrap(), BytecodeFiles::default());
        files.write("a.bin", b"one");
        assert_eq!(files.read("a.bin"), None);
        files.open(Arc::new(DiskVfs::open(folder.path()).unwrap()));
        files.write("a.bin", b"one");
        assert_eq!(files.read("a.bin").as_deref(), Some(&b"one"[..]));
    }

    #[test]
    fn a_written_file_is_read_back_and_a_missing_one_is_none() {
        let folder = tempfile::tempdir().unwrap();
        open(folder.path()).write("a.bin", b"\xff\x00one");
        assert_eq!(open(folder.path()).read("a.bin").as_deref(), Some(&b"\xff\x00one"[..]));
        assert_eq!(open(folder.path()).read("b.bin"), None);
        assert_eq!(names(folder.path()), ["a.bin"], "no temporary file stays");
        plant(folder.path(), "huge.bin", Duration::ZERO, LARGEST + 1);
        assert_eq!(open(folder.path()).read("huge.bin"), None);
    }

    #[test]
    fn the_oldest_files_are_removed_beyond_the_limits() {
        let folder = tempfile::tempdir().unwrap();
        for age in 0..=MAX_FILES as u64 {
            plant(folder.path(), &format!("{age:03}.bin"), Duration::from_secs(10 + age), 1);
        }
        plant(folder.path(), "README", Duration::from_secs(9999), 1);
        open(folder.path()).write("new.bin", b"x");
        let kept = names(folder.path());
        assert_eq!(kept.len(), MAX_FILES + 1);
        assert!(kept.contains(&"000.bin".to_owned()) && kept.contains(&"README".to_owned()));
        assert!(!kept.contains(&format!("{:03}.bin", MAX_FILES - 1)));
        plant(folder.path(), "large.bin", Duration::from_secs(5), MAX_BYTES);
        open(folder.path()).write("newer.bin", b"x");
        assert_eq!(names(folder.path()), ["README", "new.bin", "newer.bin"]);
    }
}
