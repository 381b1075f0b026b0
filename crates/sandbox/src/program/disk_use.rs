//! Disk usage of folders, to detect a program that fills the disk.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

const BLOCK_BYTES: u64 = 512;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct DiskUse {
    pub bytes: u64,
    pub files: u64,
}

/// The usage of the folders; stops once it exceeds `most`. Links are not followed; files deleted meanwhile do not count.
pub fn measure(folders: &[PathBuf], most: &DiskUse) -> DiskUse {
    let mut used = DiskUse::default();
    let mut open: Vec<PathBuf> = folders.to_vec();
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(folder) else { continue };
        for entry in entries.flatten() {
            let Ok(about) = entry.metadata() else { continue };
            used.files = used.files.saturating_add(1);
            used.bytes = used.bytes.saturating_add(about.blocks().saturating_mul(BLOCK_BYTES));
            if about.is_dir() {
                open.push(entry.path());
            }
            if used.files > most.files || used.bytes > most.bytes {
                return used;
            }
        }
    }
    used
}

#[cfg(test)]
mod tests {
    use super::{DiskUse, measure};

    #[test]
    fn nested_files_count_and_links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("inner")).unwrap();
        std::fs::write(folder.path().join("inner/a"), vec![1; 100_000]).unwrap();
        std::os::unix::fs::symlink("/usr", folder.path().join("out")).unwrap();
        let used = measure(&[folder.path().to_owned()], &DiskUse { bytes: u64::MAX, files: u64::MAX });
        assert_eq!(used.files, 3);
        assert!((100_000..1_000_000).contains(&used.bytes));
        assert_eq!(measure(&[folder.path().to_owned()], &DiskUse { bytes: u64::MAX, files: 1 }).files, 2);
    }
}
