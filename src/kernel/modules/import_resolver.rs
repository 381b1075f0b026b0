//! Import resolution and its restrictions, shared by runs and type checks.

use crate::kernel::tool_paths::import_endings;
use std::sync::Arc;
use tgp_compile::{ImportTarget, RestrictedImport, restricted_import, without_scheme};
use tgp_vfs::{JailPath, Vfs, VfsError};

/// The packages that tools may import.
#[derive(Debug, Clone)]
pub struct AllowedPackages(Arc<[String]>);

impl AllowedPackages {
    /// The same list as in the compiler's lint options.
    pub fn new(names: &[String]) -> Self {
        Self(names.into())
    }

    /// What `specifier` means in the module `importer`; `None` if tools may not import it.
    pub fn named(&self, importer: &str, specifier: &str) -> Option<ImportTarget<'_>> {
        ImportTarget::new(importer, specifier, &self.0)
    }

    /// The explanation for a forbidden import.
    pub fn restricted(&self, importer: &str, specifier: &str) -> RestrictedImport {
        restricted_import(importer, specifier, &self.0)
    }
}

/// A module that a tool may load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A file of the root.
    File(JailPath),
    /// A module of the standard library.
    Std { path: String, source: &'static str },
    /// A package of the application, or a file of it.
    Package { name: String, specifier: String, path: String },
}

impl Target {
    /// The module's name within a run.
    pub fn path(&self) -> &str {
        match self {
            Self::File(path) => path.as_str(),
            Self::Std { path, .. } | Self::Package { path, .. } => path,
        }
    }
}

/// The result of resolving an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolved {
    Found(Target),
    /// It may be imported but does not exist.
    Missing,
    /// Tools may not import it.
    Forbidden,
}

/// The result of resolving an import, and the missing files that would change it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolution {
    pub resolved: Resolved,
    pub absent: Vec<JailPath>,
}

pub struct ImportResolver {
    files: Arc<dyn Vfs>,
    packages: AllowedPackages,
}

impl ImportResolver {
    pub fn new(files: Arc<dyn Vfs>, packages: AllowedPackages) -> Self {
        Self { files, packages }
    }

    /// Resolves `specifier` in the module `importer`.
    pub fn resolve(&self, importer: &str, specifier: &str) -> Result<Resolution, VfsError> {
        let at_once = |resolved| Ok(Resolution { resolved, absent: Vec::new() });
        match self.packages.named(importer, specifier) {
            Some(ImportTarget::Std { path, source }) => at_once(Resolved::Found(Target::Std { path, source })),
            Some(ImportTarget::Package(name)) => {
                let specifier = without_scheme(specifier);
                at_once(Resolved::Found(Target::Package {
                    name: name.to_owned(),
                    specifier: specifier.to_owned(),
                    path: format!("node_modules/{specifier}"),
                }))
            }
            Some(ImportTarget::File(base)) if JailPath::parse(&base).is_ok() => self.find(&base),
            Some(ImportTarget::File(_)) | None => at_once(Resolved::Forbidden),
        }
    }

    /// The explanation for a forbidden import.
    pub fn restricted(&self, importer: &str, specifier: &str) -> RestrictedImport {
        self.packages.restricted(importer, specifier)
    }

    /// The file of `base`, with an optional extension added.
    fn find(&self, base: &str) -> Result<Resolution, VfsError> {
        let mut absent = Vec::new();
        for ending in import_endings() {
            let Ok(candidate) = JailPath::parse(&format!("{base}{ending}")) else { continue };
            if self.files.exists(&candidate)? {
                return Ok(Resolution { resolved: Resolved::Found(Target::File(candidate)), absent });
            }
            absent.push(candidate);
        }
        Ok(Resolution { resolved: Resolved::Missing, absent })
    }
}

#[cfg(test)]
mod tests {
    use super::{AllowedPackages, ImportResolver, Resolution, Resolved};
    use std::sync::Arc;
    use tgp_vfs::{JailPath, MemoryVfs, Vfs};

    fn resolver(files: &[&str]) -> ImportResolver {
        let vfs = MemoryVfs::new();
        for file in files {
            vfs.write(&JailPath::parse(file).unwrap(), "").unwrap();
        }
        ImportResolver::new(Arc::new(vfs), AllowedPackages::new(&["zod".to_owned(), "@scope/kit".to_owned()]))
    }

    #[test]
    fn only_allowed_specifiers_are_resolved() {
        let resolver =
            resolver(&["tools/a/c.ts", "tools/lib/c.ts", "tools/x/y/index.cts", "data.json", "tools/a/index.js"]);
        let resolved = |specifier: &str| resolver.resolve("tools/a/b.ts", specifier).unwrap().resolved;
        for (specifier, path) in [
            ("./c", "tools/a/c.ts"),
            ("../lib/c.ts", "tools/lib/c.ts"),
            ("/lib/x/y", "tools/x/y/index.cts"),
            ("../../data.json", "data.json"),
            (".", "tools/a/index.js"),
            ("zod", "node_modules/zod"),
            ("zod/v4", "node_modules/zod/v4"),
            ("@scope/kit/deep/er", "node_modules/@scope/kit/deep/er"),
            ("node:zod", "node_modules/zod"),
            ("@tgp/std", "@tgp/std/index.ts"),
            ("@tgp/std/csv", "@tgp/std/csv.ts"),
        ] {
            let Resolved::Found(target) = resolved(specifier) else { panic!("{specifier}") };
            assert_eq!(target.path(), path, "{specifier}");
        }
        for outside in [
            "../../../etc/passwd",
            "/lib/../../x",
            "fs",
            "node:fs",
            "/etc/passwd",
            "file:///x",
            "",
            "zodiac",
            "@scope",
            "@scope/other",
            "zod/../fs",
            "zod//x",
            "@tgp/std/none",
            "@tgp/std/../csv",
            "zod/./x",
            "zod/x\\y",
            "zod/node_modules/fs",
            "ZOD",
        ] {
            assert_eq!(resolved(outside), Resolved::Forbidden, "{outside}");
        }
    }

    #[test]
    fn a_missing_import_lists_every_path_that_was_tried() {
        let resolver = resolver(&["tools/b.js"]);
        let Resolution { resolved, absent } = resolver.resolve("tools/a.ts", "./none").unwrap();
        assert_eq!((resolved, absent.len()), (Resolved::Missing, 14));
        let found = resolver.resolve("tools/a.ts", "./b").unwrap();
        let absent: Vec<&str> = found.absent.iter().map(JailPath::as_str).collect();
        assert_eq!(absent, ["tools/b", "tools/b.ts", "tools/b.mts", "tools/b.cts"]);
    }
}
