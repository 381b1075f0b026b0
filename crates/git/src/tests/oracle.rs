//! Tests that the `git` program agrees with our results.

use super::test_repository::{TestRepository, git, open as open_store, options};
use crate::file_change::FileChange;
use crate::store_options::StoreOptions;
use crate::{GitError, IndexState};
use std::fs;
use std::path::Path;
use std::process::Command;
use tgp_base::error::{ErrorCode, PartError};

#[test]
fn the_first_commit_creates_the_branch() {
    let test = TestRepository::new();
    assert_eq!(test.store.head().unwrap(), None);
    let committed = test.forge("tools/add.ts", b"export default 1\n");
    assert_eq!(committed.index, IndexState::Current);
    assert_eq!(test.store.head().unwrap(), committed.id);
    assert_eq!(test.git(&["rev-parse", "refs/heads/main"]).trim(), committed.id.unwrap().as_str());
    assert_eq!(
        test.git(&["log", "--format=%s|%an|%ae|%cn|%ce"]),
        "Forge: tools/add.ts|TGP Agent|agent@tgp.local|TGP Agent|agent@tgp.local\n"
    );
    assert_eq!(test.git(&["reflog", "--format=%gs"]), "commit (initial): Forge: tools/add.ts\n");
    test.is_sound();
}

#[test]
fn content_is_stored_byte_by_byte() {
    let test = TestRepository::new();
    let all: Vec<u8> = (0..=255).cycle().take(70_000).collect();
    let cases: [(&str, &[u8]); 7] = [
        ("empty", b""),
        ("crlf.ts", b"a\r\nb\r\n\nc"),
        ("deep/er/and/er/x.ts", b"x"),
        ("späth/日本 🦀.ts", "ü\u{feff}".as_bytes()),
        ("bytes.bin", &all),
        ("-dash", b"--"),
        ("a b/'quote", b"q"),
    ];
    for (path, content) in cases {
        test.forge(path, content);
    }
    for (path, content) in cases {
        assert_eq!(test.blob(path), content, "{path}");
    }
    assert_eq!(test.git(&["rev-list", "--count", "HEAD"]), "7\n");
    test.is_sound();
}

#[test]
fn a_commit_without_changes_is_not_made() {
    let test = TestRepository::new();
    let nothing = test.store.commit("Remove: x", &[FileChange { path: "x", content: None }]).unwrap();
    assert_eq!((nothing.id, test.store.head().unwrap()), (None, None));
    let first = test.forge("a", b"1");
    assert_eq!(test.forge("a", b"1").id, None);
    assert_eq!(test.store.commit("empty", &[]).unwrap().id, None);
    assert_eq!(test.store.head().unwrap(), first.id);
    test.is_sound();
}

#[test]
fn several_files_are_one_commit_and_removals_prune() {
    let test = TestRepository::new();
    test.forge("a/b/c", b"1");
    test.forge("d", b"2");
    test.remove("a/b/c");
    assert_eq!(test.git(&["ls-tree", "-r", "--name-only", "HEAD"]), "d\n");
    fs::write(test.root().join("e"), "3").unwrap();
    fs::remove_file(test.root().join("d")).unwrap();
    let changes = [FileChange { path: "d", content: None }, FileChange { path: "e", content: Some(b"3") }];
    test.store.commit("Refactor: d", &changes).unwrap();
    assert_eq!(test.git(&["show", "--format=", "--name-status", "--no-renames"]), "D\td\nA\te\n");
    test.remove("e");
    assert_eq!(test.git(&["ls-tree", "-r", "HEAD"]), "");
    test.is_sound();
}

#[test]
fn executable_bits_of_committed_files_are_kept() {
    let test = TestRepository::new();
    test.forge("run.sh", b"1");
    test.git(&["update-index", "--chmod=+x", "run.sh"]);
    test.git(&["checkout-index", "-f", "run.sh"]);
    test.git(&["commit", "-qm", "chmod"]);
    test.forge("run.sh", b"2");
    assert!(test.git(&["ls-tree", "HEAD", "run.sh"]).starts_with("100755 "));
    test.is_sound();
}

#[test]
fn staged_changes_stay_staged_and_uncommitted() {
    let test = TestRepository::new();
    test.forge("a", b"1");
    fs::write(test.root().join("staged"), "s").unwrap();
    fs::write(test.root().join("untracked"), "u").unwrap();
    test.git(&["add", "staged"]);
    test.forge("b", b"2");
    assert_eq!(test.git(&["status", "--porcelain"]), "A  staged\n?? untracked\n");
    assert_eq!(test.git(&["ls-tree", "-r", "--name-only", "HEAD"]), "a\nb\n");
    test.git(&["commit", "-qm", "by hand"]);
    assert_eq!(test.git(&["ls-tree", "-r", "--name-only", "HEAD"]), "a\nb\nstaged\n");
}

#[test]
fn a_conflicted_path_is_resolved_by_writing_it() {
    let test = TestRepository::new();
    test.forge("a", b"base");
    test.git(&["switch", "-qc", "other"]);
    test.forge("a", b"theirs");
    test.git(&["switch", "-q", "main"]);
    test.forge("a", b"ours");
    let merged = Command::new("git").args(["merge", "-q", "other"]).current_dir(test.root()).output().unwrap();
    assert!(!merged.status.success());
    test.forge("a", b"both");
    assert_eq!(test.git(&["ls-files", "-u"]), "");
    assert_eq!(test.blob("a"), b"both");
}

#[test]
fn commits_go_to_the_branch_that_is_checked_out() {
    let test = TestRepository::new();
    test.forge("a", b"1");
    test.git(&["switch", "-qc", "feature"]);
    let store = test.reopen();
    let id = store.commit("Forge: b", &[FileChange { path: "b", content: Some(b"2") }]).unwrap().id.unwrap();
    assert_eq!(test.git(&["rev-parse", "feature"]).trim(), id.as_str());
    assert_ne!(test.git(&["rev-parse", "main"]).trim(), id.as_str());
    test.git(&["switch", "-q", "--detach"]);
    let error = store.commit("Forge: c", &[FileChange { path: "c", content: Some(b"3") }]).unwrap_err();
    assert!(matches!(error, GitError::DetachedHead));
    assert_eq!(store.head().unwrap(), Some(id));
}

#[test]
fn an_existing_repository_is_used_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "-q", "-b", "trunk"]);
    fs::write(dir.path().join("old"), "old").unwrap();
    git(dir.path(), &["add", "."]);
    git(dir.path(), &["commit", "-qm", "old"]);
    let config = fs::read(dir.path().join(".git/config")).unwrap();
    let store = open_store(dir.path(), options()).unwrap();
    store.commit("Forge: new", &[FileChange { path: "new", content: Some(b"n") }]).unwrap();
    assert_eq!(git(dir.path(), &["log", "--format=%s", "trunk"]), "Forge: new\nold\n");
    assert_eq!(fs::read(dir.path().join(".git/config")).unwrap(), config);
    git(dir.path(), &["pack-refs", "--all"]);
    git(dir.path(), &["gc", "-q"]);
    store.commit("Forge: packed", &[FileChange { path: "packed", content: Some(b"p") }]).unwrap();
    assert_eq!(git(dir.path(), &["rev-list", "--count", "HEAD"]), "3\n");
    git(dir.path(), &["fsck", "--full", "--strict"]);
}

#[test]
fn an_empty_repository_gets_the_configured_branch() {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "-q", "-b", "trunk"]);
    let store = open_store(dir.path(), options()).unwrap();
    store.commit("Forge: a", &[FileChange { path: "a", content: Some(b"1") }]).unwrap();
    assert_eq!(git(dir.path(), &["branch", "--show-current"]), "main\n");
}

#[test]
fn a_root_inside_an_application_gets_its_own_repository() {
    let app = tempfile::tempdir().unwrap();
    git(app.path(), &["init", "-q", "-b", "main"]);
    fs::write(app.path().join("app.js"), "1").unwrap();
    git(app.path(), &["add", "."]);
    git(app.path(), &["commit", "-qm", "app"]);
    let root = app.path().join("nested/.tgp");
    let store = open_store(&root, options()).unwrap();
    store.commit("Forge: a", &[FileChange { path: "a", content: Some(b"1") }]).unwrap();
    assert_eq!(git(app.path(), &["log", "--format=%s"]), "app\n");
    assert_eq!(git(&root, &["log", "--format=%s"]), "Forge: a\n");
}

#[test]
fn a_bare_repository_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "-q", "--bare"]);
    assert!(matches!(open_store(dir.path(), options()), Err(GitError::Bare)));
    assert!(!dir.path().join(".git").exists());
}

#[test]
fn a_linked_work_tree_works() {
    let test = TestRepository::new();
    test.forge("a", b"1");
    let linked = tempfile::tempdir().unwrap();
    let root = linked.path().join("tree");
    test.git(&["worktree", "add", "-q", "-b", "linked", root.to_str().unwrap()]);
    let store = open_store(&root, options()).unwrap();
    super::test_repository::forge(&root, &store, "b", b"2");
    assert_eq!(git(&root, &["status", "--porcelain"]), "");
    assert_eq!(git(&root, &["log", "--format=%s"]), "Forge: b\nForge: a\n");
    test.is_sound();
}

#[test]
fn invalid_options_and_paths_are_typed_errors() {
    let test = TestRepository::new();
    let open = |options| open_store(&test.root(), options).unwrap_err();
    for branch in ["", "a..b", "a b", "x.lock", "/x"] {
        let error = open(StoreOptions { branch: branch.to_owned(), ..options() });
        assert_eq!(error.code(), ErrorCode::Config, "{branch}");
    }
    for name in ["", "<>"] {
        assert!(
            matches!(open(StoreOptions { author_name: name.to_owned(), ..options() }), GitError::BadAuthor),
            "{name}"
        );
    }
    for path in ["", "/etc/x", "../x", ".git/config", "a/.git/x", "a//b", "a\0b"] {
        let error = test.store.commit("x", &[FileChange { path, content: Some(b"x") }]).unwrap_err();
        assert!(matches!(error, GitError::BadPath { .. } | GitError::Git { .. }), "{path}: {error}");
    }
    assert_eq!(test.store.head().unwrap(), None);
    test.is_sound();
}

#[test]
fn temporary_files_are_hidden_from_git_status() {
    let test = TestRepository::new();
    fs::write(test.root().join(".tgp-tmp-0"), "half").unwrap();
    fs::write(test.git_dir().join("info/exclude"), "mine").unwrap();
    test.reopen();
    assert_eq!(fs::read_to_string(test.git_dir().join("info/exclude")).unwrap(), "mine\n.tgp-tmp-*\n");
    test.reopen();
    assert_eq!(fs::read_to_string(test.git_dir().join("info/exclude")).unwrap(), "mine\n.tgp-tmp-*\n");
    test.is_sound();
}

#[test]
fn a_repository_of_another_user_is_a_typed_error() {
    let test = TestRepository::new();
    // Only root can give files away.
    let given_away = Command::new("chown").args(["-R", "12345"]).arg(test.root()).output().unwrap().status.success();
    if given_away {
        let error = open_store(&test.root(), options()).unwrap_err();
        assert!(matches!(error, GitError::NotOwned), "{error}");
        assert!(error.to_string().contains("safe.directory"));
        assert!(!error.to_string().contains(test.root().to_str().unwrap()));
    }
}

const CHILD_ROOT: &str = "TGP_TEST_HOSTILE_ROOT";

/// The part of the next tests that runs in its own process, because libgit2 reads HOME once.
#[test]
#[ignore = "started by the tests below with another HOME"]
fn child_with_another_home() {
    let Some(root) = std::env::var_os(CHILD_ROOT) else { return };
    let root = Path::new(&root);
    let store = open_store(root, options()).unwrap();
    super::test_repository::forge(root, &store, "a/crlf.txt", b"one\r\ntwo\n");
    super::test_repository::forge(root, &store, "ignored.log", b"log\r\n");
}

fn run_with_home(home: &Path, root: &Path) -> std::process::Output {
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "tests::oracle::child_with_another_home", "--nocapture"])
        .env("HOME", home)
        .env("XDG_CONFIG_HOME", home.join("xdg"))
        .env(CHILD_ROOT, root)
        .output()
        .unwrap()
}

#[test]
fn a_hostile_user_configuration_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (home, root) = (dir.path().join("home"), dir.path().join("root"));
    fs::create_dir_all(home.join("template/hooks")).unwrap();
    fs::create_dir_all(home.join("hooks")).unwrap();
    fs::create_dir_all(home.join("elsewhere")).unwrap();
    fs::write(home.join("template/hooks/pre-commit"), "#!/bin/sh\nexit 1\n").unwrap();
    fs::write(home.join("ignore"), "*.log\n").unwrap();
    fs::write(home.join("attributes"), "* text eol=crlf filter=evil\n").unwrap();
    let marker = dir.path().join("executed");
    let evil = format!("touch {}", marker.display());
    for name in ["pre-commit", "post-commit", "reference-transaction", "post-index-change", "commit-msg"] {
        let hook = home.join("hooks").join(name);
        fs::write(&hook, format!("#!/bin/sh\n{evil}\n")).unwrap();
        assert!(Command::new("chmod").arg("+x").arg(&hook).status().unwrap().success());
    }
    let config = format!(
        "[user]\nname = Wrong\nemail = wrong@example.org\n[core]\nautocrlf = true\neol = crlf\nbare = true\n\
         worktree = {home}/elsewhere\nhooksPath = {home}/hooks\nexcludesFile = {home}/ignore\n\
         attributesFile = {home}/attributes\nfsmonitor = {evil}\nsharedRepository = 0777\n\
         [commit]\ngpgsign = true\n[gpg]\nprogram = {evil}\n\
         [init]\ndefaultBranch = wrong\ntemplateDir = {home}/template\ndefaultObjectFormat = sha256\n\
         [filter \"evil\"]\nclean = {evil}\nsmudge = {evil}\nrequired = true\n",
        home = home.display()
    );
    fs::write(home.join(".gitconfig"), config).unwrap();
    let output = run_with_home(&home, &root);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!marker.exists(), "something of the configuration was executed");
    assert_eq!(git(&root, &["branch", "--show-current"]), "main\n");
    assert_eq!(git(&root, &["cat-file", "blob", "HEAD:a/crlf.txt"]), "one\r\ntwo\n");
    assert_eq!(git(&root, &["log", "--format=%an|%G?"]), "TGP Agent|N\nTGP Agent|N\n");
    assert_eq!(git(&root, &["status", "--porcelain"]), "");
    assert!(!root.join(".git/hooks/pre-commit").exists());
    assert!(!git(&root, &["reflog", "--format=%gn"]).contains("Wrong"));
    git(&root, &["fsck", "--full", "--strict"]);
}

#[test]
fn a_broken_user_configuration_is_ignored() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(".gitconfig"), "[broken\n").unwrap();
    let output = run_with_home(dir.path(), &dir.path().join("root"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_broken_configuration_of_the_repository_is_a_typed_error() {
    let test = TestRepository::new();
    fs::write(test.git_dir().join("config"), "[broken\n").unwrap();
    let error = open_store(&test.root(), options()).unwrap_err();
    assert!(matches!(error, GitError::BadConfiguration), "{error}");
}
