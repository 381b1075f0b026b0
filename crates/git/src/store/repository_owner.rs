//! Opens only repositories that belong to this user or to root.
//!
//! Git trusts those of this user only. One that root owns, as in a layer of an image, cannot have been created by another user
//! either, unless every user may write to its directory.

#[cfg(unix)]
use super::user_configuration;
use crate::git_error::GitError;
use git2::Repository;
use std::path::Path;

/// Opens the repository at exactly `path`, without the configuration of the user and the system.
pub(crate) fn open_trusted(path: &Path) -> Result<Repository, git2::Error> {
    ignore_user_configuration();
    let repository = Repository::open(path)?;
    #[cfg(unix)]
    if !unix::is_trusted(&repository, path) {
        let (code, class) = (git2::ErrorCode::Owner, git2::ErrorClass::Config);
        return Err(git2::Error::new(code, class, "the repository belongs to another user"));
    }
    Ok(repository)
}

/// Refuses the repository at `path` with these Git directories, unless it is trusted. Its configuration is not read.
#[cfg_attr(not(unix), expect(unused_variables, reason = "libgit2 checks the owner"))]
pub(crate) fn check(path: &Path, git_dir: &Path, common_dir: &Path) -> Result<(), GitError> {
    ignore_user_configuration();
    #[cfg(unix)]
    if !unix::are_trusted(&[path, &path.join(".git"), git_dir, common_dir], path) {
        return Err(GitError::NotOwned);
    }
    #[cfg(not(unix))]
    Repository::open(path).map_err(|error| GitError::git("open the repository", &error))?;
    Ok(())
}

/// Whether `path` is a repository without a work tree.
pub(super) fn is_bare(path: &Path) -> bool {
    ignore_user_configuration();
    Repository::open_bare(path).is_ok()
}

/// Elsewhere libgit2 checks the owner itself, and needs the user's configuration for it.
pub(super) fn ignore_user_configuration() {
    #[cfg(unix)]
    user_configuration::ignore();
}

#[cfg(unix)]
mod unix {
    use super::user_configuration;
    use git2::Repository;
    use std::fs::{self, Metadata};
    use std::io;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    const ROOT: u32 = 0;
    const WRITABLE_BY_ALL: u32 = 0o002;

    /// The user of this process.
    pub(super) struct User {
        pub(super) id: u32,
        /// Who became root by `sudo`.
        pub(super) before_sudo: Option<u32>,
    }

    impl User {
        fn current() -> Self {
            let id = rustix::process::geteuid().as_raw();
            #[expect(clippy::disallowed_methods, reason = "sudo says there who called it; Git reads it as well")]
            let sudo = std::env::var("SUDO_UID").ok().and_then(|id| id.parse().ok());
            Self { id, before_sudo: sudo.filter(|_| id == ROOT) }
        }

        pub(super) fn trusts(&self, owner: u32, mode: u32) -> bool {
            owner == self.id || Some(owner) == self.before_sudo || (owner == ROOT && mode & WRITABLE_BY_ALL == 0)
        }

        fn trusts_path(&self, path: &Path) -> bool {
            match fs::metadata(path) {
                Ok(found) => self.trusts(found.uid(), found.mode()),
                Err(error) => error.kind() == io::ErrorKind::NotFound,
            }
        }
    }

    /// Checks the work tree, the `.git` file of a linked work tree and the Git directory, as Git does.
    pub(super) fn is_trusted(repository: &Repository, path: &Path) -> bool {
        let user = User::current();
        let link = path.join(".git");
        let is_link = fs::symlink_metadata(&link).as_ref().is_ok_and(Metadata::is_file);
        let work_tree = repository.workdir();
        let mut checked = work_tree.into_iter().chain(is_link.then_some(link.as_path())).chain([repository.path()]);
        checked.all(|path| user.trusts_path(path))
            || user_configuration::is_safe_directory(work_tree.unwrap_or_else(|| repository.path()))
    }

    /// Whether all of `paths` that exist are trusted, or the user trusts `directory`.
    pub(super) fn are_trusted(paths: &[&Path], directory: &Path) -> bool {
        let user = User::current();
        paths.iter().all(|path| user.trusts_path(path)) || user_configuration::is_safe_directory(directory)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::unix::User;

    #[test]
    fn this_user_and_root_are_trusted_unless_all_users_may_write_there() {
        let user = User { id: 1000, before_sudo: None };
        for (owner, mode, expected) in [
            (1000, 0o700, true),
            (1000, 0o777, true),
            (0, 0o755, true),
            (0, 0o2775, true),
            (0, 0o2777, false),
            (0, 0o1777, false),
            (1001, 0o700, false),
            (65534, 0o755, false),
        ] {
            assert_eq!(user.trusts(owner, mode), expected, "{owner} {mode:o}");
        }
    }

    #[test]
    fn root_trusts_the_user_who_called_sudo_and_no_other() {
        let root = User { id: 0, before_sudo: Some(1000) };
        assert!(root.trusts(1000, 0o755));
        assert!(root.trusts(0, 0o777));
        assert!(!root.trusts(1001, 0o755));
        assert!(!User { id: 0, before_sudo: None }.trusts(1000, 0o755));
    }
}
