//! Opens or creates the repository of a root, independent of the user's Git configuration.

use super::access::{Access, is_refusal};
use super::repository_owner::{self, open_trusted};
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

/// Whether a handle flushes objects and references.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flush {
    Each,
    /// Not flushed; the redo log makes them durable.
    Logged,
}

impl Flush {
    /// The file name and content of the settings for this library, separate from those of `git`.
    const fn settings(self) -> (&'static str, &'static str) {
        match self {
            // Limits the memory for packing.
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

/// Opens the repository at exactly `root`, or creates it. A repository in a parent directory is not used: the `.tgp` directory
/// of an application gets its own.
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

/// Locked, because several processes may start on an empty root at once.
fn open_or_init_locked(
    root: &Path,
    git_dir: &Path,
    options: &StoreOptions,
    wait: Duration,
) -> Result<Repository, GitError> {
    if !git_dir.exists() && special_files::check_folder(root).is_ok() && repository_owner::is_bare(root) {
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

/// Restores an empty `HEAD` after a power cut or file system failure. Only with a pending pull request was another branch
/// current; the next write switches to it again.
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
    let repository = open_trusted(root).map_err(|error| GitError::git("open the repository", &error))?;
    // Immediately, because libgit2 caches the configuration.
    isolate(&repository, flush)?;
    Ok(repository)
}

fn init(root: &Path, options: &StoreOptions) -> Result<Repository, GitError> {
    let failed = |error: git2::Error| GitError::git("create the repository", &error);
    repository_owner::ignore_user_configuration();
    let mut init = RepositoryInitOptions::new();
    // Templates of the user may contain hooks.
    init.external_template(false).no_reinit(true).initial_head(&options.branch);
    let repository = Repository::init_opts(root, &init).map_err(failed)?;
    // For users of `git` in the root: files are not converted, and executable bits are ignored.
    let local = repository.path().join("config");
    let plain = |mut config: Config| {
        config.set_bool("core.autocrlf", false)?;
        config.set_bool("core.fileMode", false)
    };
    Config::open(&local).and_then(plain).map_err(failed)?;
    isolate(&repository, Flush::Each)?;
    Ok(repository)
}

/// Sets the configured branch in a repository without commits.
fn adopt_unborn(repository: &Repository, branch: &str) -> Result<(), GitError> {
    let failed = |error: git2::Error| GitError::git("choose the first branch", &error);
    let unborn = matches!(repository.head(), Err(error) if error.code() == ErrorCode::UnbornBranch);
    if unborn && repository.references().map_err(failed)?.next().is_none() {
        repository.set_head(&branch_reference(branch)).map_err(failed)?;
    }
    Ok(())
}

/// Whether the remote is configured correctly.
pub(crate) fn has_remote(repository: &Repository, url: &str) -> bool {
    repository.config().and_then(|config| config.get_string("remote.origin.url")).is_ok_and(|known| known == url)
}

/// Configures the remote for users of `git` in the root. The address contains no secret.
pub(crate) fn configure_remote(repository: &Repository, url: &str, branch: &str) -> Result<(), GitError> {
    let name = || {
        let mut config = Config::open(&repository.commondir().join("config"))?;
        config.set_str("remote.origin.url", url)?;
        config.set_str("remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")?;
        config.set_str(&format!("branch.{branch}.remote"), "origin")?;
        config.set_str(&format!("branch.{branch}.merge"), &branch_reference(branch))
    };
    name().map_err(|error| GitError::git("configure the remote in the repository", &error))
}

/// Whether the data of the repository at `root` is damaged. Wrong settings or owners are not damage.
pub(crate) fn is_damaged(root: &Path, limits: &Limits) -> bool {
    // Special files are not damage, and libgit2 would block on them.
    if special_files::check(root).is_err() {
        return false;
    }
    let repository = match open_trusted(root) {
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
    // An exceeded limit is not damage.
    !matches!(read(), Ok(()) | Err(GitError::RemoteLimit(_)))
}

const fn is_file(mode: i32) -> bool {
    is_plain(mode) || mode == raw_tree::LINK
}

/// Moves the `.git` directory out of `root` and returns its new name beside it.
pub(crate) fn put_aside(root: &Path) -> io::Result<String> {
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
    let aside = format!("{name}.broken-git-{seconds}");
    fs::rename(root.join(".git"), root.with_file_name(&aside))?;
    Ok(aside)
}

/// Opens a separate handle, for work that must not block others.
pub(crate) fn open_again(root: &Path, flush: Flush) -> Result<Repository, GitError> {
    open(root, flush)
}

const MAX_SETTINGS_BYTES: u64 = 4 << 10;

/// Restricts the configuration to that of the repository and ours, without user and system settings.
pub(crate) fn isolate(repository: &Repository, flush: Flush) -> Result<(), GitError> {
    let (name, settings) = flush.settings();
    let own = repository.path().join(name);
    if regular_file::read(&own, MAX_SETTINGS_BYTES).ok().as_deref() != Some(settings.as_bytes()) {
        let mut options = File::options();
        let file = regular_file::open(&own, options.write(true).create(true).truncate(true));
        let written = file.and_then(|mut file| file.write_all(settings.as_bytes()));
        // The settings affect only writing.
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
