//! Which folders of the host agents and tools may be given.
//!
//! What an agent writes must never be executed outside the sandbox. In the application's own folder it would be: by the next
//! start (`package.json`, `tgp.config.*`), by the next import (`node_modules`), by the next command. So the root is a folder of
//! its own, told by where it really is and by what stands in it.

use crate::kernel::config::{Config, refused};
use crate::kernel::shared_folder::is_temporary;
use std::path::{Path, PathBuf};
use tgp_base::error::Error;
use tgp_vfs::{entry_names, is_application_marker, resolve_host_path};

const ROOT: &str = "rootDir";
const ALLOWED: &str = "fs.allowedDirs";

/// Folders that nothing but what is in them belongs into: around and in them, everything is somebody's.
struct Homes {
    /// Where the configuration is, and where the process runs.
    application: Vec<PathBuf>,
    /// Of the user and of the system.
    shared: Vec<PathBuf>,
}

impl Homes {
    #[expect(clippy::disallowed_methods, reason = "only compared with: nothing there is opened")]
    fn of(base_dir: &Path) -> Self {
        let application = [Some(base_dir.to_owned()), std::env::current_dir().ok()];
        let shared = [std::env::home_dir(), Some(std::env::temp_dir())];
        let real =
            |paths: [Option<PathBuf>; 2]| paths.into_iter().flatten().map(|path| resolve_host_path(&path)).collect();
        Self { application: real(application), shared: real(shared) }
    }
}

/// Refuses a root or an allowed folder in which what is written would be executed. Returns what the user should know. A
/// folder that nobody asked for is left out instead.
pub fn check_folders(config: &mut Config, base_dir: &Path) -> Result<Vec<String>, Error> {
    let homes = Homes::of(base_dir);
    let root = resolve_host_path(&base_dir.join(&config.root_dir));
    let mut warnings = check_root(config, &root, &homes)?;
    let mut folders = config.fs.allowed_dirs.iter().map(|name| resolve_host_path(&base_dir.join(name)));
    let checked = folders.try_for_each(|folder| check_allowed(&folder, &root, &homes));
    match checked {
        Err(error) if config.fs.has_default_dirs() => {
            let left_out = config.fs.allowed_dirs.drain(..).collect::<String>();
            warnings.push(format!("Tools cannot use '{left_out}', where they may write by default: {}", error.message));
        }
        checked => checked?,
    }
    Ok(warnings)
}

fn check_root(config: &Config, root: &Path, homes: &Homes) -> Result<Vec<String>, Error> {
    if holds_any(root, &homes.application) {
        return Err(refused(
            ROOT,
            "is the application's own folder, or one around it: agents write there, and what they write would be executed at \
             the next start. Name a folder of its own, such as './.tgp', and move the folder tools/ there",
        ));
    }
    if holds_any(root, &homes.shared) {
        return Err(refused(
            ROOT,
            "is the home folder, the folder of temporary files or one around them. Name a folder of its own, such as './.tgp'",
        ));
    }
    if is_inside_machinery(root) {
        return Err(refused(ROOT, "lies in node_modules or .git. Name a folder of its own, such as './.tgp'"));
    }
    let names = entry_names(root);
    let found = marks_in(&names);
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let listed = found.join(", ");
    // What came from a remote is there for all who cloned it: it stays, as nothing executes it and no agent can write it.
    if config.git.repo.is_some() && names.iter().any(|name| name == ".git") {
        let warning = format!(
            "The root holds {listed}. Agents cannot write these and nothing here executes them; do not run commands in \
             that folder."
        );
        return Ok(vec![warning]);
    }
    let why = format!(
        "holds {listed}, as an application's own folder does: agents write there, and what they write would be executed. Name a \
         folder of its own, such as './.tgp', and move the folder tools/ there"
    );
    Err(refused(ROOT, &why).with("found", found))
}

fn check_allowed(folder: &Path, root: &Path, homes: &Homes) -> Result<(), Error> {
    if folder.starts_with(root) {
        return Err(refused(
            ALLOWED,
            "must not be rootDir or lie in it: tools are written by write_file and kept in Git. Name a folder beside it",
        ));
    }
    // Anybody's files are in the folder of temporary ones; tools cannot touch those that an application is known by.
    let looks_like_one = !is_temporary(folder) && !marks_in(&entry_names(folder)).is_empty();
    let is_application = holds_any(folder, &homes.application) || looks_like_one;
    if is_application || is_inside_machinery(folder) {
        return Err(refused(
            ALLOWED,
            "must not hold the application's own folder, one around it, or one with package.json or node_modules: tools write \
             there, and what they write would be executed. Name a folder that holds only data",
        ));
    }
    Ok(())
}

/// Whether a folder is one of the others or around it.
fn holds_any(folder: &Path, others: &[PathBuf]) -> bool {
    others.iter().any(|other| other.starts_with(folder))
}

fn is_inside_machinery(folder: &Path) -> bool {
    folder.components().any(|part| {
        let name = part.as_os_str();
        name.eq_ignore_ascii_case("node_modules") || name.eq_ignore_ascii_case(".git")
    })
}

fn marks_in(names: &[String]) -> Vec<String> {
    names.iter().filter(|name| is_application_marker(name)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::{Homes, check_allowed, check_root};
    use crate::kernel::Config;
    use std::path::{Path, PathBuf};

    fn homes() -> Homes {
        Homes {
            application: vec![PathBuf::from("/srv/app"), PathBuf::from("/srv/cwd")],
            shared: vec![PathBuf::from("/home/me"), PathBuf::from("/var/temporary")],
        }
    }

    #[test]
    fn a_root_is_beside_or_below_what_is_somebody_s() {
        let refused = |root: &str| check_root(&Config::default(), Path::new(root), &homes()).is_err();
        for root in [
            "/",
            "/srv",
            "/srv/app",
            "/srv/cwd",
            "/home",
            "/home/me",
            "/var/temporary",
            "/srv/app/node_modules/x",
            "/x/.git/y",
        ] {
            assert!(refused(root), "{root}");
        }
        for root in ["/srv/app/.tgp", "/srv/application", "/home/me/tools", "/var/temporary/x", "/data/agent"] {
            assert!(!refused(root), "{root}");
        }
    }

    #[test]
    fn a_folder_to_write_in_is_neither_the_application_nor_the_root() {
        let root = Path::new("/srv/app/.tgp");
        let refused = |folder: &str| check_allowed(Path::new(folder), root, &homes()).is_err();
        for folder in
            ["/", "/srv", "/srv/app", "/srv/app/.tgp", "/srv/app/.tgp/tools", "/srv/app/node_modules", "/srv/cwd"]
        {
            assert!(refused(folder), "{folder}");
        }
        for folder in ["/srv/app/data", "/data", "/var/temporary/exchange", "/tmp"] {
            assert!(!refused(folder), "{folder}");
        }
        let around = Path::new("/data/agent/.tgp");
        assert!(check_allowed(Path::new("/data"), around, &homes()).is_ok(), "around a root that is elsewhere");
    }
}
