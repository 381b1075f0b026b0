//! The files that a text references transitively: what a check or run of it would read.

use super::import_resolver::{ImportResolver, Resolved, Target};
use super::module_graph::MAX_MODULES;
use std::collections::BTreeSet;
use tgp_compile::Compiler;
use tgp_vfs::Vfs;

/// Most bytes to read, as in a type check.
const MAX_BYTES: usize = 4 << 20;

/// The files that a text references.
#[derive(Debug, Default)]
pub struct Referenced {
    /// Files of the root, sorted.
    pub files: Vec<String>,
    /// For each import without a file, the paths that were tried: the answer reveals that they do not exist.
    pub absent: Vec<Vec<String>>,
}

/// The files of the root that a text at `path` references by any import, type-only imports included; sorted, without
/// the file itself. Texts that do not compile have no references; nothing is read beyond the limits.
pub fn referenced_files(
    compiler: &Compiler,
    resolver: &ImportResolver,
    files: &dyn Vfs,
    path: &str,
    text: &str,
) -> Referenced {
    let mut absent = Vec::new();
    let mut found = BTreeSet::new();
    let mut open = vec![(path.to_owned(), text.to_owned())];
    let mut bytes = 0;
    while let Some((importer, text)) = open.pop() {
        bytes += text.len();
        if bytes > MAX_BYTES {
            break;
        }
        for reference in compiler.references(&importer, &text).unwrap_or_default() {
            let Ok(leads) = resolver.resolve(&importer, &reference.specifier) else { continue };
            // The text itself may not be in a file yet.
            let is_own = || leads.absent.iter().any(|place| place.as_str() == path);
            if leads.resolved == Resolved::Missing && absent.len() < MAX_MODULES && !is_own() {
                absent.push(leads.absent.iter().map(|path| path.as_str().to_owned()).collect());
            }
            let Resolved::Found(Target::File(file)) = leads.resolved else { continue };
            if found.len() >= MAX_MODULES || !found.insert(file.as_str().to_owned()) {
                continue;
            }
            if file.extension() != Some("json")
                && let Ok(text) = files.read(&file)
            {
                open.push((file.as_str().to_owned(), text));
            }
        }
    }
    found.remove(path);
    Referenced { files: found.into_iter().collect(), absent }
}

#[cfg(test)]
mod tests {
    use super::{Referenced, referenced_files};
    use crate::kernel::modules::{AllowedPackages, ImportResolver};
    use std::sync::Arc;
    use tgp_compile::Compiler;
    use tgp_vfs::{JailPath, MemoryVfs, Vfs};

    #[test]
    fn type_imports_broken_files_and_cycles_are_handled() {
        let files = Arc::new(MemoryVfs::new());
        for (path, text) in [
            ("tools/types.ts", "export type { Deep } from './deep';\n"),
            ("tools/deep.ts", "import back from './a';\nexport type Deep = 'secret';\n"),
            ("tools/broken.ts", "export const = ;"),
            ("tools/data.json", "{}"),
            ("tools/other.ts", "export default 1;"),
        ] {
            files.write(&JailPath::parse(path).unwrap(), text).unwrap();
        }
        let root = Arc::clone(&files) as Arc<dyn Vfs>;
        let resolver = ImportResolver::new(Arc::clone(&root), AllowedPackages::new(&[]));
        let text = "import type { Deep } from './types';\nimport b from './broken';\nimport d from './data.json';\nimport n from './none';\n";
        let Referenced { files: found, absent } =
            referenced_files(&Compiler::new(), &resolver, &*root, "tools/a.ts", text);
        assert_eq!((absent.len(), absent[0][1].as_str()), (1, "tools/none.ts"));
        assert_eq!(found, ["tools/broken.ts", "tools/data.json", "tools/deep.ts", "tools/types.ts"]);
    }
}
