//! Concurrent writes.

use super::{OneFile, WriteDeps, WritePath};
use crate::kernel::check_config::CheckMode;
use crate::kernel::checks::{CheckDeps, Checks};
use crate::kernel::commit_note::CommitNote;
use crate::kernel::config::{Config, GitWriteStrategy};
use crate::kernel::door::{Door, Records};
use crate::kernel::files::changes::{Patch, WholeText};
use crate::kernel::history::{
    Exchange, GitHome, History, HistoryDeps, Persisted, ProcessControl, RunExamples, Written,
};
use crate::kernel::host_functions::{Answer, CallingRun, HostFunctions, RunEnding};
use crate::kernel::modules::{AllowedPackages, ImportResolver};
use crate::kernel::private_files::PrivateFiles;
use crate::kernel::secret_scan::SecretScan;
use crate::kernel::test_first::{TestFirst, TestFirstDeps};
use crate::kernel::tools::{RegistryFiles, Tools};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::mode::Mode;
use tgp_compile::{Compiler, LintOptions};
use tgp_state::ExemptGlobs;
use tgp_vfs::{DiskVfs, JailPath, MemoryVfs, RootQuota, Usage, Vfs};

const PATH: &str = "tools/a.ts";
const TEXT: &str = "/** Says one. */\nexport default function one(): number {\n  return 1;\n}\n";

type OnRequest = Box<dyn Fn(usize, &str) + Send + Sync>;

/// A type checker without findings, with a callback for the n-th request.
struct Checker {
    requests: Mutex<usize>,
    then: Mutex<Option<OnRequest>>,
}

impl HostFunctions for Checker {
    fn names(&self) -> Arc<Vec<String>> {
        Arc::default()
    }
    fn call(&self, _: CallingRun, _: &str, args_json: String, answer: Answer) {
        let count = {
            let mut requests = self.requests.lock();
            *requests += 1;
            *requests
        };
        if let Some(then) = &*self.then.lock() {
            then(count, &args_json);
        }
        answer(Ok(r#"{"diagnostics":[]}"#.to_owned()));
    }
    fn finish(&self, _: CallingRun, _: RunEnding, _: Answer) {}
}

struct Fixture {
    _folder: tempfile::TempDir,
    root: Arc<DiskVfs>,
    history: Arc<History>,
    writes: WritePath,
    checker: Arc<Checker>,
}

fn fixture() -> Fixture {
    fixture_with(&Config::default())
}

fn fixture_with(config: &Config) -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let root_dir = folder.path().join("root");
    let root = Arc::new(DiskVfs::open(&root_dir).unwrap());
    let compiler = Arc::new(Compiler::new());
    let examples = Arc::new(RunExamples::default());
    let ending = ProcessControl::default();
    let GitHome { store, publisher, .. } =
        GitHome::open(config, folder.path(), &root_dir, &root, &compiler, &examples, &ending).unwrap();
    let files = Arc::clone(&root) as Arc<dyn Vfs>;
    let resolver = Arc::new(ImportResolver::new(Arc::clone(&files), AllowedPackages::new(&[])));
    let checker = Arc::new(Checker { requests: Mutex::new(0), then: Mutex::new(None) });
    let checks = Arc::new(Checks::new(CheckDeps {
        files: Arc::clone(&files),
        compiler: Arc::clone(&compiler),
        resolver,
        functions: Arc::clone(&checker) as Arc<dyn HostFunctions>,
        lint: LintOptions::default(),
        mode: CheckMode::Strict,
    }));
    let private = PrivateFiles(Arc::new(MemoryVfs::new()));
    let secrets = SecretScan::new(&compiler, &LintOptions::default());
    let registry = RegistryFiles { tools: files, meta: Arc::clone(&root), shared_meta: None, private };
    let tools = Arc::new(Tools::open(registry, compiler, None, Arc::clone(&root)));
    let exchange = Exchange::new(publisher, Arc::clone(&tools), Arc::clone(&examples));
    let history = Arc::new(History::new(HistoryDeps {
        git: store,
        exchange,
        files: Arc::clone(&root),
        tools: Arc::clone(&tools),
        strategy: GitWriteStrategy::Direct,
        secrets,
        halt: ending.halt,
        witness: Door::open(Records::Nothing),
    }));
    let quota = RootQuota::new(Usage { bytes: 1 << 30, files: 1 << 20 });
    let deps = WriteDeps {
        root: Arc::clone(&root),
        quota,
        checks,
        tools,
        history: Arc::clone(&history),
        examples,
        tests: Arc::new(TestFirst::new(TestFirstDeps {
            mode: Mode::Explore,
            exempt: ExemptGlobs::default(),
            files: Arc::clone(&root) as Arc<dyn Vfs>,
            door: Door::open(Records::Nothing),
            private: PrivateFiles(Arc::clone(&root) as Arc<dyn Vfs>),
        })),
        reuse: None,
    };
    Fixture { _folder: folder, root, history, writes: WritePath::new(deps), checker }
}

impl Fixture {
    fn on_request(&self, then: impl Fn(usize, &str) + Send + Sync + 'static) {
        *self.checker.requests.lock() = 0;
        *self.checker.then.lock() = Some(Box::new(then));
    }

    fn write(&self, text: &str) -> Written {
        self.write_at(PATH, text)
    }

    fn write_at(&self, path: &str, text: &str) -> Written {
        done(|done| self.writes.change(path, &WholeText(text), &CommitNote::default(), |written, ()| written, done))
            .unwrap()
    }

    fn patch(&self, search: &str, replace: &str) -> Result<Written, Error> {
        let change = Patch { search, replace };
        done(|done| self.writes.change(PATH, &change, &CommitNote::default(), |written, _| written, done))
    }

    fn text(&self) -> String {
        self.root.read(&JailPath::parse(PATH).unwrap()).unwrap()
    }
}

fn done<T: Send + 'static>(start: impl FnOnce(Box<dyn FnOnce(Result<T, Error>) + Send>)) -> Result<T, Error> {
    let (sender, receiver) = std::sync::mpsc::channel();
    start(Box::new(move |result| sender.send(result).unwrap()));
    receiver.recv_timeout(Duration::from_secs(60)).unwrap()
}

#[test]
fn a_concurrent_change_is_kept_and_the_write_is_checked_again() {
    let fixture = fixture();
    fixture.write(TEXT);
    let root = Arc::clone(&fixture.root);
    fixture.on_request(move |count, _| {
        if count == 1 {
            let path = JailPath::parse(PATH).unwrap();
            let text = root.read(&path).unwrap().replace("Says one", "Says it again");
            root.write(&path, &text).unwrap();
        }
    });
    let written = fixture.patch("return 1", "return 2").unwrap();
    assert!(written.commit.is_some(), "{:?}", written.problem);
    assert_eq!(fixture.text(), TEXT.replace("Says one", "Says it again").replace("return 1", "return 2"));
    // The new text twice, and the concurrent text, which is kept.
    assert_eq!(*fixture.checker.requests.lock(), 3);
}

#[test]
fn the_repository_is_not_locked_while_types_are_checked() {
    let fixture = fixture();
    fixture.write(TEXT);
    let (root, history) = (Arc::clone(&fixture.root), Arc::clone(&fixture.history));
    fixture.on_request(move |count, _| {
        let path = JailPath::parse(PATH).unwrap();
        // A held repository lock would deadlock here.
        drop(history.begin().whole().unwrap());
        root.write(&path, &TEXT.replace("one.", &format!("{count}."))).unwrap();
    });
    let error = fixture.patch("return 1", "return 2").unwrap_err();
    assert_eq!(error.code, ErrorCode::GitConflict);
    assert!(error.message.contains("Read it again"), "{}", error.message);
    assert!(fixture.text().contains("return 1"), "nothing of it is written");
}

#[test]
fn concurrent_changes_of_one_file_are_all_made() {
    let fixture = fixture();
    fixture.write(&TEXT.replace("Says", "Says 0 1 2 3 4 5 6 7 8 9"));
    std::thread::scope(|scope| {
        for number in 0..10 {
            let fixture = &fixture;
            scope.spawn(move || fixture.patch(&format!(" {number}"), "").unwrap());
        }
    });
    assert_eq!(fixture.text(), TEXT);
}

#[test]
fn the_next_write_begins_after_the_turn_and_not_after_its_commit() {
    let fixture = fixture();
    let mut turn = fixture.history.begin().whole().unwrap();
    turn.commit("Nothing", &[]).unwrap();
    let (begun, next) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let history = &fixture.history;
        scope.spawn(move || {
            drop(history.begin());
            begun.send(()).unwrap();
        });
        assert!(next.recv_timeout(Duration::from_millis(100)).is_err(), "it has not ended yet");
        drop(turn);
        next.recv_timeout(Duration::from_secs(60)).unwrap();
    });
}

#[test]
fn disk_and_history_agree_when_one_of_two_writes_changes_nothing() {
    let fixture = fixture();
    let other = TEXT.replace("return 1", "return 2");
    for _ in 0..40 {
        fixture.write(TEXT);
        std::thread::scope(|scope| {
            scope.spawn(|| fixture.write(TEXT));
            scope.spawn(|| fixture.write(&other));
        });
        let commit = fixture.history.file_history(Some(PATH), Some(1)).unwrap().remove(0).commit;
        let committed = fixture.history.text_at(&JailPath::parse(PATH).unwrap(), &commit).unwrap();
        assert_eq!(fixture.text(), committed);
    }
}

#[test]
fn meta_json_has_every_tool_after_an_exchange_that_failed_after_pulling() {
    let folder = tempfile::tempdir().unwrap();
    let remote = folder.path().join("remote.git");
    let mut options = git2::RepositoryInitOptions::new();
    git2::Repository::init_opts(&remote, options.bare(true).initial_head("main")).unwrap();
    let mut config = Config::default();
    config.git.repo = Some(remote.to_str().unwrap().to_owned());
    let fixture = fixture_with(&config);
    assert_eq!(fixture.write_at("tools/first.ts", TEXT).persisted, Persisted::Yes);
    let other = fixture_with(&config);
    // Committed, and not pushed yet.
    for path in ["tools/ours.ts", PATH] {
        let text = WholeText(TEXT);
        fixture.writes.commit(&OneFile::new(path, &text).unwrap(), &CommitNote::default()).unwrap();
    }
    assert_eq!(other.write(&TEXT.replace("one", "two")).persisted, Persisted::Yes);
    assert_eq!(fixture.history.sync().unwrap_err().code, ErrorCode::GitConflict);
    fixture.history.stop(None);
    let repository = git2::Repository::open_bare(&remote).unwrap();
    let meta = repository.revparse_single("main:meta.json").unwrap().into_blob().unwrap();
    let meta = String::from_utf8(meta.content().to_vec()).unwrap();
    for path in ["tools/first.ts", "tools/ours.ts", PATH] {
        assert!(meta.contains(path), "{path} is not in {meta}");
    }
}
