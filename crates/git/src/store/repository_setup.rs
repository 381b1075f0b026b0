//! Opening or creating the repository of a root, deaf to whatever Git configuration the user has.

use super::access::{Access, is_refusal};
use super::special_files;
use crate::branches::references::branch_reference;
use crate::durability::repository_lock::RepositoryLock;
use crate::git_error::GitError;
use crate::limits::Limits;
use crate::objects::object_reader::{self, ReadObject};
use crate::objects::raw_tree;
use crate::objects::trees::Trees;
use crate::regular_file;
use crate::store_options::StoreOptions;
use crate::work_tree::checkout::is_plain;
use crate::work_tree::exclude_file;
use git2::{Config, ConfigLevel, ErrorCode, ObjectType, Reference, Repository, RepositoryInitOptions, Signature};
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Whether objects and references are on the disk before a handle goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flush {
    Each,
    /// The redo log stands in for them.
    Logged,
}

impl Flush {
    /// Settings for this library alone, beside the ones that `git` reads: the name of their file, and its text.
    const fn settings(self) -> (&'static str, &'static str) {
        match self {
            // What is packed for a push may be large; what that takes of memory need not be.
            Self::Each => (
                "tgp-config",
                "[core]\n\tfsyncObjectFiles = true\n\tautocrlf = false\n\tlogAllRefUpdates = true\n\
                 [pack]\n\twindowMemory = 32m\n\tdeltaCacheSize = 16m\n",
            ),
            Self::Logged => (
                "tgp-config-logged",
                "[core]\n\tfsyncObjectFiles = false\n\tautocrlf = false\n\tlogAllRefUpdates = true\n",
            ),
        }
    }
}

/// Opens the repository at exactly `root`, or creates one there. A repository that merely surrounds `root` is none of
/// ours: an application's `.tgp` directory gets its own.
pub(crate) fn open_or_init(root: &Path, options: &StoreOptions, wait: Duration) -> Result<Repository, GitError> {
    if !Reference::is_valid_name(&branch_reference(&options.branch)) {
        return Err(GitError::BadBranch { name: options.branch.clone() });
    }
    Signature::now(&options.author_name, &options.author_email).map_err(|_| GitError::BadAuthor)?;
    let git_dir = root.join(".git");
    // A `.git` file belongs to a linked work tree, which exists already.
    let access = Access::of(&git_dir);
    let repository = if git_dir.is_file() || access == Access::ReadOnly {
        open(root, Flush::Each)?
    } else {
        open_or_init_locked(root, &git_dir, options, wait)?
    };
    if repository.is_bare() {
        return Err(GitError::Bare);
    }
    if access == Access::ReadOnly {
        return Ok(repository);
    }
    exclude_file::add_patterns(&repository.commondir().join("info"), &options.exclude)
        .map_err(GitError::io("write the repository's exclude file"))?;
    Ok(repository)
}

/// Several processes may start on an empty root at once; only one of them creates the repository.
fn open_or_init_locked(
    root: &Path,
    git_dir: &Path,
    options: &StoreOptions,
    wait: Duration,
) -> Result<Repository, GitError> {
    if !git_dir.exists() && special_files::check_folder(root).is_ok() && Repository::open_bare(root).is_ok() {
        return Err(GitError::Bare);
    }
    fs::create_dir_all(git_dir).map_err(|error| {
        if is_refusal(&error) {
            GitError::NothingToRead
        } else {
            GitError::io("create the repository's directory")(error)
        }
    })?;
    let _lock = RepositoryLock::acquire(git_dir, wait)?;
    if matches!(fs::symlink_metadata(git_dir.join("HEAD")), Err(error) if error.kind() == io::ErrorKind::NotFound) {
        return init(root, options);
    }
    restore_head(git_dir, &options.branch)?;
    let repository = open(root, Flush::Each)?;
    adopt_unborn(&repository, &options.branch)?;
    Ok(repository)
}

/// Names the current branch again where nothing is left of its name: a power cut, or a file system that failed, tore it. No
/// other branch was current unless a pull request waits, and the next write says so again.
pub(crate) fn restore_head(git_dir: &Path, branch: &str) -> Result<(), GitError> {
    let head = git_dir.join("HEAD");
    match fs::symlink_metadata(&head) {
        Ok(file) if file.is_file() && file.len() == 0 => {
            fs::write(&head, format!("ref: {}\n", branch_reference(branch)))
                .map_err(GitError::io("restore the current branch"))
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

fn open(root: &Path, flush: Flush) -> Result<Repository, GitError> {
    special_files::check(root)?;
    let repository = Repository::open(root).map_err(|error| GitError::git("open the repository", &error))?;
    // At once: what is read of the configuration is not read again.
    isolate(&repository, flush)?;
    Ok(repository)
}

fn init(root: &Path, options: &StoreOptions) -> Result<Repository, GitError> {
    let failed = |error: git2::Error| GitError::git("create the repository", &error);
    let mut init = RepositoryInitOptions::new();
    // Templates may carry hooks; none of the user's are wanted here.
    init.external_template(false).no_reinit(true).initial_head(&options.branch);
    let repository = Repository::init_opts(root, &init).map_err(failed)?;
    // For people who use `git` in here: the files are what was committed, byte by byte, and none is made executable.
    let local = repository.path().join("config");
    let plain = |mut config: Config| {
        config.set_bool("core.autocrlf", false)?;
        config.set_bool("core.fileMode", false)
    };
    Config::open(&local).and_then(plain).map_err(failed)?;
    isolate(&repository, Flush::Each)?;
    Ok(repository)
}

/// A repository without commits is as good as new: its first commit goes to the branch that was asked for.
fn adopt_unborn(repository: &Repository, branch: &str) -> Result<(), GitError> {
    let failed = |error: git2::Error| GitError::git("choose the first branch", &error);
    let unborn = matches!(repository.head(), Err(error) if error.code() == ErrorCode::UnbornBranch);
    if unborn && repository.references().map_err(failed)?.next().is_none() {
        repository.set_head(&branch_reference(branch)).map_err(failed)?;
    }
    Ok(())
}

/// Whether the remote is named as it should be.
pub(crate) fn has_remote(repository: &Repository, url: &str) -> bool {
    repository.config().and_then(|config| config.get_string("remote.origin.url")).is_ok_and(|known| known == url)
}

/// Names the remote for people who use `git` in here. The address holds no secret.
pub(crate) fn name_remote(repository: &Repository, url: &str, branch: &str) -> Result<(), GitError> {
    let name = || {
        let mut config = Config::open(&repository.commondir().join("config"))?;
        config.set_str("remote.origin.url", url)?;
        config.set_str("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")?;
        config.set_str(&format!("branch.{branch}.remote"), "origin")?;
        config.set_str(&format!("branch.{branch}.merge"), &branch_reference(branch))
    };
    name().map_err(|error| GitError::git("name the remote in the repository", &error))
}

/// Whether the repository at `root` cannot be read: its own data, not its settings or its owner.
pub(crate) fn is_damaged(root: &Path, limits: &Limits) -> bool {
    // Whoever put something in the place of a file has damaged nothing, and libgit2 would wait for it.
    if special_files::check(root).is_err() {
        return false;
    }
    let repository = match Repository::open(root) {
        Ok(repository) => repository,
        Err(error) => {
            let is_other = matches!(error.code(), ErrorCode::Owner) || error.class() == git2::ErrorClass::Config;
            return root.join(".git").exists() && !is_other;
        }
    };
    let head = match repository.head() {
        Err(error) if error.code() == ErrorCode::UnbornBranch => return false,
        head => head.and_then(|head| head.peel_to_commit()).map(|commit| commit.id()),
    };
    let Ok(head) = head else { return true };
    let trees = Trees::new(&repository, *limits);
    let read = || -> Result<(), GitError> {
        for change in trees.changes(None, trees.of(Some(head))?)?.all {
            let file = change.new.filter(|entry| entry.mode.is_some_and(is_file));
            if let Some(entry) = file
                && object_reader::read(&repository, entry.id, ObjectType::Blob, limits.file_bytes)?
                    == ReadObject::Missing
            {
                return Err(GitError::Incomplete);
            }
        }
        Ok(())
    };
    // Too much is not too little.
    !matches!(read(), Ok(()) | Err(GitError::RemoteLimit(_)))
}

const fn is_file(mode: i32) -> bool {
    is_plain(mode) || mode == raw_tree::LINK
}

/// Moves the repository's own data out of `root`, and returns its new name beside it.
pub(crate) fn put_aside(root: &Path) -> io::Result<String> {
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    let aside = format!("{name}.broken-git-{seconds}");
    fs::rename(root.join(".git"), root.with_file_name(&aside))?;
    Ok(aside)
}

/// A handle beside the first, for work that must not keep others waiting.
pub(crate) fn open_again(root: &Path, flush: Flush) -> Result<Repository, GitError> {
    open(root, flush)
}

const MAX_SETTINGS_BYTES: u64 = 4 << 10;

/// From here on only the repository's own configuration and ours count, not that of the user or the machine.
pub(crate) fn isolate(repository: &Repository, flush: Flush) -> Result<(), GitError> {
    let (name, settings) = flush.settings();
    let own = repository.path().join(name);
    if regular_file::read(&own, MAX_SETTINGS_BYTES).ok().as_deref() != Some(settings.as_bytes()) {
        let mut options = File::options();
        let file = regular_file::open(&own, options.write(true).create(true).truncate(true));
        let written = file.and_then(|mut file| file.write_all(settings.as_bytes()));
        // They are about writing.
        if Access::of(repository.path()) == Access::Writable {
            written.map_err(GitError::io("write the repository's settings"))?;
        }
    }
    let configure = || {
        let mut config = Config::new()?;
        config.add_file(&repository.commondir().join("config"), ConfigLevel::Local, false)?;
        config.add_file(&own, ConfigLevel::App, false)?;
        repository.set_config(&config)
    };
    configure().map_err(|error| GitError::git("configure the repository", &error))
}
