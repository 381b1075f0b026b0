//! Attacks on the jail of [`DiskVfs`]: symlinks, races, hard links, devices and failed writes.

use super::durable_file::{Durability, replace};
use super::{DiskVfs, JailPath, TEMP_PREFIX, Vfs, VfsError, Violation};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempDir;
use tgp_base::error::PartError;

const SECRET: &str = "outside";

/// A root, and beside it a directory with a secret, a sibling whose name starts like the root's.
struct Fixture {
    dir: TempDir,
    vfs: DiskVfs,
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("root-outside")).unwrap();
        fs::write(dir.path().join("root-outside/secret"), SECRET).unwrap();
        let vfs = DiskVfs::open(&dir.path().join("root")).unwrap();
        Self { dir, vfs }
    }

    fn root(&self) -> PathBuf {
        self.dir.path().join("root")
    }

    fn outside(&self) -> PathBuf {
        self.dir.path().join("root-outside")
    }

    fn secret_is_untouched(&self) {
        let names: Vec<_> = fs::read_dir(self.outside()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["secret"]);
        assert_eq!(fs::read_to_string(self.outside().join("secret")).unwrap(), SECRET);
    }

    fn all_refuse(&self, text: &str) {
        let path = path(text);
        let results = [
            self.vfs.read(&path).err(),
            self.vfs.write(&path, "x").err(),
            self.vfs.remove(&path).err(),
            self.vfs.exists(&path).err(),
        ];
        for error in results {
            let error = error.unwrap();
            assert!(matches!(error, VfsError::SecurityViolation { .. }), "{text}: {error}");
            assert!(!error.to_string().contains(self.dir.path().to_str().unwrap()), "{error}");
        }
        self.secret_is_untouched();
    }
}

fn path(text: &str) -> JailPath {
    JailPath::parse(text).unwrap()
}

fn violation<T>(result: &Result<T, VfsError>) -> Option<Violation> {
    match result {
        Err(VfsError::SecurityViolation { violation, .. }) => Some(*violation),
        _ => None,
    }
}

fn fifo(at: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(at).status().unwrap().success());
}

#[test]
fn a_symlink_to_a_file_outside_is_refused() {
    let fixture = Fixture::new();
    symlink(fixture.outside().join("secret"), fixture.root().join("absolute")).unwrap();
    symlink("../root-outside/secret", fixture.root().join("relative")).unwrap();
    symlink("relative", fixture.root().join("chain")).unwrap();
    for name in ["absolute", "relative", "chain"] {
        fixture.all_refuse(name);
    }
    assert_eq!(violation(&fixture.vfs.read(&path("chain"))), Some(Violation::LeavesRoot));
}

#[test]
fn a_symlink_to_a_directory_outside_is_refused() {
    let fixture = Fixture::new();
    symlink("../root-outside", fixture.root().join("dir")).unwrap();
    symlink("/", fixture.root().join("slash")).unwrap();
    fixture.all_refuse("dir/secret");
    fixture.all_refuse("slash/etc/passwd");
    assert!(violation(&fixture.vfs.write(&path("dir/new"), "x")).is_some());
    assert!(violation(&fixture.vfs.write(&path("dir/new/deep"), "x")).is_some());
    assert!(violation(&fixture.vfs.list(&path("dir"))).is_some());
    assert_eq!(fixture.vfs.list(&JailPath::root()).unwrap(), []);
    fixture.secret_is_untouched();
}

#[test]
fn a_symlink_loop_is_refused() {
    let fixture = Fixture::new();
    symlink("b", fixture.root().join("a")).unwrap();
    symlink("a", fixture.root().join("b")).unwrap();
    fixture.all_refuse("a");
    fixture.all_refuse("a/x");
}

#[test]
fn a_symlink_inside_is_read_but_never_written() {
    let fixture = Fixture::new();
    fixture.vfs.write(&path("real/file"), "text").unwrap();
    symlink("real/file", fixture.root().join("link")).unwrap();
    symlink("real", fixture.root().join("dir")).unwrap();
    symlink("nowhere", fixture.root().join("dangling")).unwrap();
    for link in ["link", "dir/file"] {
        assert_eq!(fixture.vfs.read(&path(link)).unwrap(), "text");
        assert!(fixture.vfs.exists(&path(link)).unwrap());
        assert_eq!(violation(&fixture.vfs.write(&path(link), "x")), Some(Violation::Symlink));
        assert_eq!(violation(&fixture.vfs.remove(&path(link))), Some(Violation::Symlink));
    }
    assert!(!fixture.vfs.exists(&path("dangling")).unwrap());
    assert!(matches!(fixture.vfs.read(&path("dangling")), Err(VfsError::NotFound { .. })));
    assert!(violation(&fixture.vfs.write(&path("dangling"), "x")).is_some());
    assert_eq!(fixture.vfs.list(&JailPath::root()).unwrap(), [path("real/file")]);
    assert_eq!(fixture.vfs.read(&path("real/file")).unwrap(), "text");
}

#[test]
fn a_symlink_does_not_open_the_git_directory() {
    let fixture = Fixture::new();
    fs::create_dir(fixture.root().join(".git")).unwrap();
    fs::write(fixture.root().join(".git/config"), "token").unwrap();
    symlink(".git/config", fixture.root().join("file")).unwrap();
    symlink(".git", fixture.root().join("dir")).unwrap();
    assert_eq!(violation(&fixture.vfs.read(&path("file"))), Some(Violation::Git));
    assert_eq!(violation(&fixture.vfs.read(&path("dir/config"))), Some(Violation::Git));
    assert!(violation(&fixture.vfs.list(&path("dir"))).is_some());
    assert_eq!(fixture.vfs.list(&JailPath::root()).unwrap(), []);
}

/// Repeats `attack` while `dir`, which contains `secret`, is swapped with a symlink to the outside, until the attack was
/// allowed and refused many times. `attack` returns whether it was allowed.
#[cfg(target_os = "linux")]
fn while_swapping(fixture: &Fixture, attack: impl Fn() -> bool) {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    const TIMES: usize = 100;
    struct Stop<'a>(&'a AtomicBool);
    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let (dir, link, stop) = (fixture.root().join("dir"), fixture.root().join("link"), AtomicBool::new(false));
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("secret"), "inside").unwrap();
    symlink("../root-outside", &link).unwrap();
    std::thread::scope(|scope| {
        let _stop = Stop(&stop);
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                renameat_with(CWD, &dir, CWD, &link, RenameFlags::EXCHANGE).unwrap();
                std::thread::sleep(Duration::from_micros(20));
            }
        });
        let (mut inside, mut refused) = (0, 0);
        let start = Instant::now();
        while inside < TIMES || refused < TIMES {
            assert!(start.elapsed() < Duration::from_secs(60), "the race was not hit: {inside} {refused}");
            if attack() { inside += 1 } else { refused += 1 }
        }
    });
    fixture.secret_is_untouched();
}

#[test]
#[cfg(target_os = "linux")]
fn a_read_through_a_directory_swapped_in_a_race_stays_inside() {
    let fixture = Fixture::new();
    while_swapping(&fixture, || fixture.vfs.read(&path("dir/secret")).map(|text| assert_eq!(text, "inside")).is_ok());
}

#[test]
#[cfg(target_os = "linux")]
fn a_write_through_a_directory_swapped_in_a_race_stays_inside() {
    let fixture = Fixture::new();
    while_swapping(&fixture, || fixture.vfs.write(&path("dir/secret"), "inside").is_ok());
}

#[test]
fn a_hard_link_is_not_read_and_writing_leaves_its_other_name_alone() {
    let fixture = Fixture::new();
    fs::hard_link(fixture.outside().join("secret"), fixture.root().join("link")).unwrap();
    assert_eq!(violation(&fixture.vfs.read(&path("link"))), Some(Violation::HardLink));
    fixture.vfs.write(&path("link"), "own").unwrap();
    assert_eq!(fixture.vfs.read(&path("link")).unwrap(), "own");
    fixture.secret_is_untouched();
}

#[test]
fn fifos_sockets_and_devices_are_refused_without_waiting() {
    let fixture = Fixture::new();
    fifo(&fixture.root().join("fifo"));
    let _socket = std::os::unix::net::UnixListener::bind(fixture.root().join("socket")).unwrap();
    for name in ["fifo", "socket"] {
        assert!(matches!(fixture.vfs.read(&path(name)), Err(VfsError::NotAFile { .. })), "{name}");
        assert!(matches!(fixture.vfs.write(&path(name), "x"), Err(VfsError::NotAFile { .. })), "{name}");
        assert!(matches!(fixture.vfs.remove(&path(name)), Err(VfsError::NotAFile { .. })), "{name}");
        assert!(!fixture.vfs.exists(&path(name)).unwrap(), "{name}");
        assert!(matches!(fixture.vfs.write(&path(&format!("{name}/x")), ""), Err(VfsError::NotADirectory { .. })));
    }
    assert_eq!(fixture.vfs.list(&JailPath::root()).unwrap(), []);
}

#[test]
fn a_device_inside_is_refused() {
    let fixture = Fixture::new();
    let made = std::process::Command::new("mknod").arg(fixture.root().join("zero")).args(["c", "1", "5"]).status();
    // Only root may make devices.
    if made.is_ok_and(|status| status.success()) {
        assert!(matches!(fixture.vfs.read(&path("zero")), Err(VfsError::NotAFile { .. })));
    }
}

#[test]
fn large_and_binary_files_are_typed_errors() {
    let fixture = Fixture::new();
    let vfs = DiskVfs::open(&fixture.root()).unwrap().with_max_file_bytes(10);
    fs::write(fixture.root().join("large"), "x".repeat(11)).unwrap();
    fs::write(fixture.root().join("binary"), [0xff, 0xfe]).unwrap();
    assert!(matches!(vfs.read(&path("large")), Err(VfsError::TooLarge { limit: 10, .. })));
    assert!(matches!(vfs.read(&path("binary")), Err(VfsError::NotText { .. })));
}

#[test]
fn unportable_names_are_not_listed() {
    let fixture = Fixture::new();
    for name in ["back\\slash", "dot.", "nul", "good"] {
        fs::write(fixture.root().join(name), "x").unwrap();
    }
    fs::create_dir_all(fixture.root().join("sub/.git/objects")).unwrap();
    fs::write(fixture.root().join("sub/.git/objects/x"), "x").unwrap();
    assert_eq!(fixture.vfs.list(&JailPath::root()).unwrap(), [path("good")]);
}

#[test]
fn a_write_keeps_the_execute_bit_but_not_set_user_id() {
    let fixture = Fixture::new();
    let file = fixture.root().join("run");
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o4755)).unwrap();
    fixture.vfs.write(&path("run"), "new").unwrap();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o755);
}

#[test]
fn a_failed_write_leaves_the_old_file_and_nothing_else() {
    let fixture = Fixture::new();
    fixture.vfs.write(&path("d/f"), "old").unwrap();
    // A directory appeared at the target after the check, so the rename fails.
    let dir = cap_std::fs::Dir::open_ambient_dir(fixture.root(), cap_std::ambient_authority()).unwrap();
    assert!(replace(&dir, "d", b"new", None, Durability::Synced).is_err());
    let names: Vec<_> = fs::read_dir(fixture.root()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["d"]);
    assert_eq!(fixture.vfs.read(&path("d/f")).unwrap(), "old");
}

#[test]
fn temporary_files_are_hidden_and_removed_when_stale() {
    let fixture = Fixture::new();
    fs::create_dir(fixture.root().join("d")).unwrap();
    let (old, fresh) =
        (fixture.root().join(format!("d/{TEMP_PREFIX}1")), fixture.root().join(format!("d/{TEMP_PREFIX}2")));
    fs::write(&fresh, "x").unwrap();
    fs::write(&old, "x").unwrap();
    fs::File::options()
        .write(true)
        .open(&old)
        .unwrap()
        .set_modified(SystemTime::now() - Duration::from_hours(1))
        .unwrap();
    assert_eq!(fixture.vfs.list(&JailPath::root()).unwrap(), []);
    DiskVfs::open(&fixture.root()).unwrap();
    assert!(!old.exists());
    assert!(fresh.exists());
}

#[test]
fn a_root_that_cannot_be_created_is_an_io_error_without_its_path() {
    let fixture = Fixture::new();
    let error = DiskVfs::open(&fixture.outside().join("secret/root")).unwrap_err();
    assert_eq!(error.code(), tgp_base::error::ErrorCode::Io);
    assert!(!error.to_string().contains("root-outside"), "{error}");
}
