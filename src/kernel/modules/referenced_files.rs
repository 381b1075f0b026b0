//! Which files a text leads to: what a check of it or a run would read.

use super::import_resolver::{ImportResolver, Resolved, Target};
use super::module_graph::MAX_MODULES;
use std::collections::BTreeSet;
use tgp_compile::Compiler;
use tgp_vfs::Vfs;

/// Bytes that are looked at: as many as a check of types may have.
const MAX_BYTES: usize = 4 << 20;

/// The files of the root that a text at `path` leads to, by imports of any kind, also those that only types need; sorted, and the
/// file itself is none of them. What does not compile leads nowhere, and beyond the limits nothing is looked at.
pub fn referenced_files(
    compiler: &Compiler,
    resolver: &ImportResolver,
    files: &dyn Vfs,
    path: &str,
    text: &str,
) -> Vec<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![(path.to_owned(), text.to_owned())];
    let mut bytes = 0;
    while let Some((importer, text)) = open.pop() {
        bytes += text.len();
        if bytes > MAX_BYTES {
            break;
        }
        for reference in compiler.references(&importer, &text).unwrap_or_default() {
            let leads = resolver.resolve(&importer, &reference.specifier).map(|found| found.resolved);
            let Ok(Resolved::Found(Target::File(file))) = leads else { continue };
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
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::referenced_files;
    use crate::kernel::modules::{AllowedPackages, ImportResolver};
    use std::sync::Arc;
    use tgp_compile::Compiler;
    use tgp_vfs::{JailPath, MemoryVfs, Vfs};

    #[test]
    fn types_texts_that_do_not_compile_and_circles_are_followed_as_far_as_they_lead() {
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
        let text = "import type { Deep } from './types';\nimport b from './broken';\nimport d from './data.json';\n";
        let found = referenced_files(&Compiler::new(), &resolver, &*root, "tools/a.ts", text);
        assert_eq!(found, ["tools/broken.ts", "tools/data.json", "tools/deep.ts", "tools/types.ts"]);
    }
}
