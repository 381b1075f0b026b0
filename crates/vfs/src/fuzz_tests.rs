//! Fuzz tests of path parsing and mounts.

use super::{JailPath, MemoryVfs, MountTable, Traversal, Vfs};
use std::path::{Component, Path};
use std::sync::Arc;
use tgp_base::error::{ErrorCode, PartError};
use tgp_fuzzing::{for_all, texts};

const PIECES: &[&str] = &[
    "/",
    "/",
    "..",
    ".",
    "a",
    "b.ts",
    "tools",
    "lib",
    "tmp",
    "\\",
    "\0",
    "C:",
    "~",
    " ",
    ".git",
    "git~1",
    "nul",
    "%2e",
    "\u{202e}",
    "\u{200b}",
    "é",
    "e\u{301}",
    "\n",
    ":",
    ".tgp-tmp-",
    "COM1",
    "//",
    "/./",
    "/../",
];

#[test]
fn a_parsed_path_is_normalised_and_stays_below_the_root() {
    for_all(file!(), &texts(PIECES, 12), |text| match JailPath::parse(&text) {
        Ok(path) => {
            assert_eq!(JailPath::parse(path.as_str()).unwrap(), path);
            let components = Path::new(path.as_str()).components().collect::<Vec<_>>();
            assert!(components.iter().all(|component| matches!(component, Component::Normal(_))), "{components:?}");
            assert_eq!(components.len(), path.segments().count());
            let again = path.parent().map(|parent| parent.join(path.file_name().unwrap_or_default()).unwrap());
            assert!(again.is_none_or(|again| again == path));
        }
        Err(error) => assert!(matches!(error.code(), ErrorCode::SecurityViolation | ErrorCode::Validation)),
    });
}

#[test]
fn a_joined_path_stays_below_its_base() {
    for_all(file!(), &(texts(PIECES, 4), texts(PIECES, 8)), |(base, relative)| {
        let Ok(base) = JailPath::parse(&base) else { return };
        let Ok(joined) = base.join(&relative) else { return };
        assert!(joined.starts_with(base.as_str()), "{joined}");
    });
}

#[test]
fn no_path_lets_a_guest_write_outside_writable_mounts() {
    for_all(file!(), &texts(PIECES, 10), |text| {
        for traversal in [Traversal::Refused, Traversal::Inside] {
            let root = Arc::new(MemoryVfs::new());
            let scratch = Arc::new(MemoryVfs::new());
            root.write(&JailPath::parse("tools/a").unwrap(), "kept").unwrap();
            let table = MountTable::new(traversal)
                .read_only("", root.clone(), JailPath::root())
                .read_only("/lib", root.clone(), JailPath::parse("tools").unwrap())
                .read_write("/tmp", scratch.clone());
            let written = table.write(&text, "new").is_ok();
            assert_eq!(root.list(&JailPath::root()).unwrap(), [JailPath::parse("tools/a").unwrap()]);
            assert_eq!(root.read(&JailPath::parse("tools/a").unwrap()).unwrap(), "kept");
            assert_eq!(scratch.list(&JailPath::root()).unwrap().len(), usize::from(written));
            if written {
                assert_eq!(table.read(&text).unwrap(), "new");
            }
        }
    });
}
