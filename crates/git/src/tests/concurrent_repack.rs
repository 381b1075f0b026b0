//! No object is lost if `git` repacks while this kernel packs or merges, at each point where one of them removes copies.
//!
//! `git repack` lists the packs, starts `git pack-objects`, which decides which unreachable objects it makes loose, and then
//! removes the listed packs. The tests stop it before and after `git pack-objects`.

use super::test_repository::{TestRepository, limits};
use crate::exchange_deadline::{ExchangeDeadline, Halt};
use crate::objects::pack;
use crate::store::pack_merging;
use crate::store::packing::{self, Round};
use git2::{ObjectType, Oid, Repository};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// As `git gc` without and with packs of unreachable objects.
const MODES: [&[&str]; 2] =
    [&["-A", "--unpack-unreachable=2.weeks.ago"], &["--cruft", "--cruft-expiration=2.weeks.ago"]];
const UNREACHABLE: usize = 1_100;
const STEPS: [&str; 2] = ["listed", "packed"];
const TIMEOUT: Duration = Duration::from_secs(60);

/// A `git repack` that waits before and after `git pack-objects`.
struct SteppedRepack {
    child: Child,
    dir: TempDir,
}

impl SteppedRepack {
    fn start(test: &TestRepository, mode: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let programs = PathBuf::from(test.git(&["--exec-path"]).trim());
        let script = format!(
            "#!/bin/sh\nunset GIT_EXEC_PATH\nstep() {{ touch '{0}/'$1; while [ ! -e '{0}/after-'$1 ]; do sleep 0.01; done; }}\n\
             [ \"$1\" = pack-objects ] || exec '{1}/git' \"$@\"\n\
             step listed\n'{1}/git' \"$@\"\ncode=$?\nstep packed\nexit $code\n",
            dir.path().display(),
            programs.display()
        );
        let git = dir.path().join("git");
        fs::write(&git, script).unwrap();
        fs::set_permissions(&git, fs::Permissions::from_mode(0o755)).unwrap();
        let mut command = Command::new(programs.join("git"));
        command.args(["repack", "-q", "-d", "-l"]).args(mode).current_dir(test.root());
        Self { child: command.env("GIT_EXEC_PATH", dir.path()).spawn().unwrap(), dir }
    }

    /// Waits until `git` has stopped at this step.
    fn reach(&mut self, step: &str) {
        let start = Instant::now();
        while !self.dir.path().join(step).exists() {
            assert!(start.elapsed() < TIMEOUT && self.child.try_wait().unwrap().is_none(), "git does not reach {step}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn resume_after(&self, step: &str) {
        fs::write(self.dir.path().join(format!("after-{step}")), "").unwrap();
    }

    /// Lets `git` run to its end.
    fn finish(mut self) -> bool {
        STEPS.iter().for_each(|step| self.resume_after(step));
        self.child.wait().unwrap().success()
    }
}

impl Drop for SteppedRepack {
    fn drop(&mut self) {
        // A test that failed.
        let _ = self.child.kill();
        STEPS.iter().for_each(|step| self.resume_after(step));
        let _ = self.child.wait();
    }
}

/// A repository with commits, and many unreachable objects that are loose.
fn repository() -> (TestRepository, Vec<Oid>) {
    let test = TestRepository::new();
    for number in 0..8 {
        test.forge(&format!("tools/t{number}.ts"), format!("export default () => {number}\n").as_bytes());
    }
    let odb = Repository::open(test.root()).unwrap();
    let odb = odb.odb().unwrap();
    let write = |number| odb.write(ObjectType::Blob, format!("export const number = {number};\n").as_bytes()).unwrap();
    let unreachable = (0..UNREACHABLE).map(write).collect();
    (test, unreachable)
}

fn assert_complete(test: &TestRepository, unreachable: &[Oid], at: &str) {
    let repository = Repository::open(test.root()).unwrap();
    let lost = unreachable.iter().filter(|id| repository.find_blob(**id).is_err()).count();
    assert_eq!(lost, 0, "{at}: lost of {}", unreachable.len());
    assert_eq!(test.git(&["fsck", "--full", "--strict", "--no-dangling"]), "", "{at}");
}

fn pack_round(test: &TestRepository) -> Round {
    packing::round(&Repository::open(test.root()).unwrap(), &limits(), &Halt::default()).unwrap()
}

fn loose_paths(test: &TestRepository) -> Vec<(Oid, PathBuf)> {
    packing::loose_objects(&test.git_dir().join("objects")).unwrap()
}

fn keep_files(test: &TestRepository) -> usize {
    let packs = fs::read_dir(test.git_dir().join("objects/pack")).unwrap();
    packs.filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|kind| kind == "keep")).count()
}

fn deadline() -> ExchangeDeadline {
    ExchangeDeadline::new(TIMEOUT, &Halt::default())
}

/// Stores a pack of all loose objects, as a packing round does before it removes them.
fn pack_loose(repository: &Repository, loose: &[(Oid, PathBuf)]) -> pack::OwnPack {
    let ids: Vec<Oid> = loose.iter().map(|(id, _)| *id).collect();
    pack::store(repository, &ids, &limits(), &deadline()).unwrap()
}

#[test]
fn git_starts_between_the_new_pack_and_the_removal_of_loose_objects() {
    for mode in MODES {
        for step in STEPS {
            let (test, unreachable) = repository();
            let handle = Repository::open(test.root()).unwrap();
            let loose = loose_paths(&test);
            let pack = pack_loose(&handle, &loose);
            let mut git = SteppedRepack::start(&test, mode);
            git.reach("listed");
            if step == "packed" {
                git.resume_after("listed");
                git.reach("packed");
            }
            assert_eq!(packing::remove_packed(&loose, &pack).unwrap(), loose.len());
            drop(pack);
            assert!(git.finish(), "{mode:?} {step}");
            assert_complete(&test, &unreachable, &format!("{mode:?} {step}"));
            assert_eq!(keep_files(&test), 0);
            assert!(test.try_git(&[&["repack", "-q", "-d", "-l"], mode].concat()));
            assert_complete(&test, &unreachable, &format!("{mode:?} {step}, repacked"));
        }
    }
}

#[test]
fn git_removes_a_pack_while_the_same_objects_are_packed_again() {
    for mode in MODES {
        for step in STEPS {
            let (test, unreachable) = repository();
            let handle = Repository::open(test.root()).unwrap();
            let dir = test.git_dir().join("objects/pack");
            let loose = loose_paths(&test);
            // The same objects are loose and in a pack, which `git` will remove.
            drop(pack_loose(&handle, &loose));
            let mut git = SteppedRepack::start(&test, mode);
            git.reach("listed");
            if step == "packed" {
                git.resume_after("listed");
                git.reach("packed");
            }
            let packs = count_packs(&dir);
            assert_eq!(pack_round(&test), Round::Packed(loose.len()), "{mode:?} {step}");
            assert_eq!(count_packs(&dir), packs + 1, "a new pack");
            assert!(git.finish(), "{mode:?} {step}");
            assert_complete(&test, &unreachable, &format!("{mode:?} {step}"));
        }
    }
}

fn count_packs(dir: &Path) -> usize {
    let packs = fs::read_dir(dir).unwrap();
    packs.filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|kind| kind == "idx")).count()
}

#[test]
fn packs_are_merged_while_git_repacks() {
    for (mode, step) in MODES.into_iter().zip(["packed", "packed"]).chain([(MODES[0], "listed")]) {
        let (test, unreachable) = repository();
        let handle = Repository::open(test.root()).unwrap();
        let loose = loose_paths(&test);
        for part in loose.chunks(loose.len().div_ceil(6)) {
            let pack = pack_loose(&handle, part);
            assert_eq!(packing::remove_packed(part, &pack).unwrap(), part.len());
        }
        let mut git = SteppedRepack::start(&test, mode);
        git.reach("listed");
        if step == "packed" {
            git.resume_after("listed");
            git.reach("packed");
        }
        assert!(pack_merging::merge(&handle, &limits(), &Halt::default()).unwrap() >= 6, "{mode:?} {step}");
        // `git` may miss a listed pack and fail.
        git.finish();
        assert_complete(&test, &unreachable, &format!("{mode:?} {step}"));
        // What `git` made loose is packed again, and merged.
        let mut git = SteppedRepack::start(&test, mode);
        git.reach("listed");
        let _packed = pack_round(&test);
        let _merged = pack_merging::merge(&handle, &limits(), &Halt::default()).unwrap();
        git.finish();
        assert_complete(&test, &unreachable, &format!("{mode:?} {step}, again"));
    }
}

#[test]
fn objects_stay_if_prune_packed_runs_between_the_steps() {
    let (test, unreachable) = repository();
    let handle = Repository::open(test.root()).unwrap();
    let loose = loose_paths(&test);
    let pack = pack_loose(&handle, &loose);
    test.git(&["prune-packed"]);
    assert_eq!(packing::remove_packed(&loose, &pack).unwrap(), loose.len());
    drop(pack);
    test.git(&["prune-packed"]);
    assert_complete(&test, &unreachable, "prune-packed");
}

#[test]
fn keep_files_of_killed_processes_are_removed_and_those_of_users_stay() {
    let (test, unreachable) = repository();
    let handle = Repository::open(test.root()).unwrap();
    let dir = test.git_dir().join("objects/pack");
    let loose = loose_paths(&test);
    std::mem::forget(pack_loose(&handle, &loose));
    fs::write(dir.join("pack-of-a-user.keep"), "").unwrap();
    fs::write(dir.join("pack-of-a-fetch.keep"), "fetch-pack 17 on host\n").unwrap();
    assert_eq!(keep_files(&test), 3);
    assert_eq!(pack_round(&test), Round::Packed(loose.len()));
    assert_eq!(keep_files(&test), 2);
    assert_complete(&test, &unreachable, "after a kill");
}
