//! Conformance tests: every [`Vfs`] implementation runs the same scenarios.

use super::{DiskVfs, JailPath, MemoryVfs, Vfs, VfsError, Violation};

const LIMIT: usize = 1000;

fn path(text: &str) -> JailPath {
    JailPath::parse(text).unwrap()
}

fn listed(vfs: &dyn Vfs, dir: &str) -> Vec<String> {
    vfs.list(&path(dir)).unwrap().iter().map(ToString::to_string).collect()
}

fn a_read_returns_the_written_text(vfs: &dyn Vfs) {
    for content in ["", "export default 1\n", "\u{feff}späth 日本 🦀\r\n\0"] {
        vfs.write(&path("tools/deep/er/a.ts"), content).unwrap();
        assert_eq!(vfs.read(&path("./tools//deep/er/a.ts")).unwrap(), content);
    }
    assert!(vfs.exists(&path("tools/deep/er/a.ts")).unwrap());
}

fn missing_files_are_not_found(vfs: &dyn Vfs) {
    vfs.write(&path("a/file"), "x").unwrap();
    for missing in ["b", "a/b", "b/c", "a/file/below"] {
        assert!(matches!(vfs.read(&path(missing)), Err(VfsError::NotFound { .. })), "{missing}");
        assert!(!vfs.exists(&path(missing)).unwrap(), "{missing}");
        vfs.remove(&path(missing)).unwrap();
        assert_eq!(listed(vfs, missing), [""; 0], "{missing}");
    }
    assert_eq!(vfs.read(&path("a/file")).unwrap(), "x");
}

fn file_operations_refuse_directories(vfs: &dyn Vfs) {
    vfs.write(&path("dir/file"), "x").unwrap();
    for dir in ["", "dir"] {
        assert!(matches!(vfs.read(&path(dir)), Err(VfsError::NotAFile { .. })), "{dir}");
        assert!(matches!(vfs.write(&path(dir), "y"), Err(VfsError::NotAFile { .. })), "{dir}");
        assert!(matches!(vfs.remove(&path(dir)), Err(VfsError::NotAFile { .. })), "{dir}");
        assert!(!vfs.exists(&path(dir)).unwrap(), "{dir}");
    }
    assert_eq!(listed(vfs, ""), ["dir/file"]);
}

fn a_file_cannot_be_a_parent_directory(vfs: &dyn Vfs) {
    vfs.write(&path("file"), "x").unwrap();
    for below in ["file/a", "file/a/b"] {
        assert!(matches!(vfs.write(&path(below), "y"), Err(VfsError::NotADirectory { .. })), "{below}");
    }
    assert!(matches!(vfs.list(&path("file")), Err(VfsError::NotADirectory { .. })));
    assert_eq!(vfs.read(&path("file")).unwrap(), "x");
}

fn lists_are_sorted_recursive_and_by_segment(vfs: &dyn Vfs) {
    for file in ["tools/b.ts", "tools/a/z.ts", "tools/a.ts", "tools-old/x", ".hidden", "ä"] {
        vfs.write(&path(file), "x").unwrap();
    }
    assert_eq!(listed(vfs, ""), [".hidden", "tools-old/x", "tools/a.ts", "tools/a/z.ts", "tools/b.ts", "ä"]);
    assert_eq!(listed(vfs, "tools"), ["tools/a.ts", "tools/a/z.ts", "tools/b.ts"]);
    assert_eq!(listed(vfs, "tools/a"), ["tools/a/z.ts"]);
}

fn removing_a_file_removes_empty_directories(vfs: &dyn Vfs) {
    vfs.write(&path("a/b/c"), "x").unwrap();
    vfs.write(&path("a/d"), "x").unwrap();
    vfs.remove(&path("a/b/c")).unwrap();
    assert_eq!(listed(vfs, ""), ["a/d"]);
    vfs.remove(&path("a/d")).unwrap();
    vfs.write(&path("a"), "a file where a directory was").unwrap();
    assert_eq!(listed(vfs, ""), ["a"]);
}

fn files_over_the_size_limit_are_refused(vfs: &dyn Vfs) {
    let full = "x".repeat(LIMIT);
    vfs.write(&path("f"), &full).unwrap();
    assert!(matches!(vfs.write(&path("f"), &"y".repeat(LIMIT + 1)), Err(VfsError::TooLarge { limit: LIMIT, .. })));
    assert!(matches!(vfs.write(&path("new/g"), &"y".repeat(LIMIT + 1)), Err(VfsError::TooLarge { .. })));
    assert_eq!(vfs.read(&path("f")).unwrap(), full);
    assert_eq!(listed(vfs, ""), ["f"]);
}

fn git_directories_are_refused(vfs: &dyn Vfs) {
    for text in [".git", ".git/config", ".GIT/hooks/pre-commit", "sub/.git/config", "git~1/config"] {
        let path = path(text);
        let results = [
            vfs.read(&path).err(),
            vfs.write(&path, "x").err(),
            vfs.remove(&path).err(),
            vfs.exists(&path).err(),
            vfs.list(&path).err(),
        ];
        for error in results {
            assert!(matches!(error, Some(VfsError::SecurityViolation { violation: Violation::Git, .. })), "{text}");
        }
    }
    vfs.write(&path(".gitignore"), "x").unwrap();
    assert_eq!(listed(vfs, ""), [".gitignore"]);
}

fn parallel_writers_and_removers_never_tear_a_file(vfs: &dyn Vfs) {
    let texts: Vec<String> = ('a'..='d').map(|letter| letter.to_string().repeat(LIMIT)).collect();
    let shared = path("dir/shared");
    std::thread::scope(|scope| {
        for text in &texts {
            scope.spawn(|| {
                for round in 0..20 {
                    vfs.write(&shared, text).unwrap();
                    if let Ok(read) = vfs.read(&shared) {
                        assert!(texts.contains(&read));
                    }
                    if round % 3 == 0 {
                        vfs.remove(&shared).unwrap();
                    }
                }
            });
        }
    });
    assert!(listed(vfs, "").iter().all(|file| file == "dir/shared"));
}

macro_rules! conformance {
    ($($scenario:ident)*) => {
        mod memory {
            $(#[test] fn $scenario() { super::$scenario(&super::MemoryVfs::new().with_max_file_bytes(super::LIMIT)); })*
        }
        mod disk {
            $(#[test] fn $scenario() {
                let root = tempfile::tempdir().unwrap();
                super::$scenario(&super::DiskVfs::open(root.path()).unwrap().with_max_file_bytes(super::LIMIT));
            })*
        }
    };
}

conformance! {
    a_read_returns_the_written_text
    missing_files_are_not_found
    file_operations_refuse_directories
    a_file_cannot_be_a_parent_directory
    lists_are_sorted_recursive_and_by_segment
    removing_a_file_removes_empty_directories
    files_over_the_size_limit_are_refused
    git_directories_are_refused
    parallel_writers_and_removers_never_tear_a_file
}
