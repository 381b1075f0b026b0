//! Checks on `rootDir` and `fs.allowedDirs`.
//!
//! What an agent writes must never be executed outside the sandbox. In the application's folder it would be: by the
//! next start (`package.json`, `tgp.config.*`), import (`node_modules`) or command. So the root must be a separate
//! folder, judged by its real path and its content.

use crate::kernel::config::{Config, refused};
use crate::kernel::shared_folder::is_temporary;
use std::path::{Path, PathBuf};
use tgp_base::error::Error;
use tgp_vfs::{entry_names, is_application_marker, resolve_host_path};

const ROOT: &str = "rootDir";
const ALLOWED: &str = "fs.allowedDirs";

/// Folders that the root and the allowed folders must not be or contain.
struct Homes {
    /// The folder of the configuration, and the working directory.
    application: Vec<PathBuf>,
    /// The user's home folder and the folder of temporary files.
    shared: Vec<PathBuf>,
}

impl Homes {
    #[expect(clippy::disallowed_methods, reason = "only for comparison: nothing there is opened")]
    fn of(base_dir: &Path) -> Self {
        let application = [Some(base_dir.to_owned()), std::env::current_dir().ok()];
        let shared = [std::env::home_dir(), Some(std::env::temp_dir())];
        let real =
            |paths: [Option<PathBuf>; 2]| paths.into_iter().flatten().map(|path| resolve_host_path(&path)).collect();
        Self { application: real(application), shared: real(shared) }
    }
}

/// Refuses a root or an allowed folder whose files the host would execute. A default folder is removed instead. Returns
/// warnings for the user.
pub fn check_folders(config: &mut Config, base_dir: &Path) -> Result<Vec<String>, Error> {
    let homes = Homes::of(base_dir);
    let root = resolve_host_path(&base_dir.join(&config.root_dir));
    let mut warnings = check_root(config, &root, &homes)?;
    let mut folders = config.fs.allowed_dirs.iter().map(|name| resolve_host_path(&base_dir.join(name)));
    let checked = folders.try_for_each(|folder| check_allowed(&folder, &root, &homes));
    match checked {
        Err(error) if config.fs.has_default_dirs() => {
            let left_out = config.fs.allowed_dirs.drain(..).collect::<String>();
            warnings.push(format!("Tools cannot use '{left_out}', the default folder to write to: {}", error.message));
        }
        checked => checked?,
    }
    Ok(warnings)
}

fn check_root(config: &Config, root: &Path, homes: &Homes) -> Result<Vec<String>, Error> {
    if holds_any(root, &homes.application) {
        return Err(refused(
            ROOT,
            "is the application's folder, or contains it: the application would execute files that agents write there. Use a \
             separate folder, such as './.tgp', and move the folder tools/ there",
        ));
    }
    if holds_any(root, &homes.shared) {
        return Err(refused(
            ROOT,
            "is the home folder or the folder of temporary files, or contains one of them. Use a separate folder, such as './.tgp'",
        ));
    }
    if is_inside_machinery(root) {
        return Err(refused(ROOT, "is inside node_modules or .git. Use a separate folder, such as './.tgp'"));
    }
    let names = entry_names(root);
    let found = marks_in(&names);
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let listed = found.join(", ");
    // Files of a cloned remote are allowed: agents cannot write them and nothing here executes them.
    if config.git.repo.is_some() && names.iter().any(|name| name == ".git") {
        let warning = format!(
            "The root contains {listed}. Agents cannot write these files, and TGP does not execute them; do not run commands in \
             that folder."
        );
        return Ok(vec![warning]);
    }
    let why = format!(
        "contains {listed}, so it looks like an application's folder, which would execute files that agents write there. Use a \
         separate folder, such as './.tgp', and move the folder tools/ there"
    );
    Err(refused(ROOT, &why).with("found", found))
}

fn check_allowed(folder: &Path, root: &Path, homes: &Homes) -> Result<(), Error> {
    if folder.starts_with(root) {
        return Err(refused(
            ALLOWED,
            "must not be rootDir or inside it: tools are written with write_file and stored in Git. Use a folder beside it",
        ));
    }
    // Any program's files are in the folder of temporary files; tools cannot write application files there.
    let looks_like_one = !is_temporary(folder) && !marks_in(&entry_names(folder)).is_empty();
    let is_application = holds_any(folder, &homes.application) || looks_like_one;
    if is_application || is_inside_machinery(folder) {
        return Err(refused(
            ALLOWED,
            "must not be or contain the application's folder, or contain package.json or node_modules: files that tools write \
             there would be executed. Use a folder that contains only data",
        ));
    }
    Ok(())
}

/// Whether a folder is one of the others, or contains one.
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
    fn the_root_must_be_a_separate_folder() {
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
    fn an_allowed_folder_is_neither_the_application_nor_the_root() {
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
