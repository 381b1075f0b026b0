//! Finds the importers of a file, and rewrites imports when a file moves.

use super::import_resolver::{ImportResolver, Resolved, Target};
use crate::kernel::tool_paths::{TOOLS, is_tool_source};
use std::sync::Arc;
use tgp_base::error::Error;
use tgp_compile::{Compiler, Reference};
use tgp_vfs::{JailPath, Vfs};

/// The prefix of absolute specifiers of tools.
const FROM_ANYWHERE: &str = "/lib/";

/// Finds and rewrites imports.
pub struct Relink {
    files: Arc<dyn Vfs>,
    compiler: Arc<Compiler>,
    resolver: Arc<ImportResolver>,
}

/// A file that imports another one.
pub struct Importer {
    pub path: JailPath,
    pub text: String,
    /// Its text after the other file has moved.
    pub relinked: String,
}

/// The dependents of a file.
#[derive(Default)]
pub struct Dependents {
    pub importers: Vec<Importer>,
    /// Files that contain its path other than in an import: `tgp.exec_tool('tools/…')`, or a note.
    pub mentions: Vec<String>,
}

impl Relink {
    pub fn new(files: Arc<dyn Vfs>, compiler: Arc<Compiler>, resolver: Arc<ImportResolver>) -> Self {
        Self { files, compiler, resolver }
    }

    /// The tools that depend on `from`, with their current text and their text after a move to `to`. Ignores files that
    /// do not compile.
    pub fn dependents(&self, from: &JailPath, to: &JailPath) -> Result<Dependents, Error> {
        let mut found = Dependents::default();
        for path in self.files.list(&JailPath::parse(TOOLS)?)? {
            if path == *from || !is_tool_source(&path) {
                continue;
            }
            let Ok(text) = self.files.read(&path) else { continue };
            let mut edits = Vec::new();
            for reference in self.references(&path, &text) {
                let leads = self.resolver.resolve(path.as_str(), &reference.specifier)?.resolved;
                if leads == Resolved::Found(Target::File(from.clone())) {
                    let name = self.specifier(&path, &reference.specifier, from, to);
                    edits.push((reference, name));
                }
            }
            if !edits.is_empty() {
                found.importers.push(Importer { relinked: edited(&text, edits), path, text });
            } else if text.contains(from.as_str()) {
                found.mentions.push(path.as_str().to_owned());
            }
        }
        Ok(found)
    }

    /// The text of the file at `from` after a move to `to`, with its relative imports adjusted.
    pub fn moved(&self, from: &JailPath, to: &JailPath, text: &str) -> Result<String, Error> {
        if !is_tool_source(from) || from.parent() == to.parent() {
            return Ok(text.to_owned());
        }
        let mut edits = Vec::new();
        for reference in self.references(from, text) {
            if !reference.specifier.starts_with('.') {
                continue;
            }
            if let Resolved::Found(Target::File(target)) =
                self.resolver.resolve(from.as_str(), &reference.specifier)?.resolved
            {
                let name = self.specifier(to, &reference.specifier, &target, &target);
                edits.push((reference, name));
            }
        }
        Ok(edited(text, edits))
    }

    fn references(&self, path: &JailPath, text: &str) -> Vec<Reference> {
        self.compiler.references(path.as_str(), text).unwrap_or_default()
    }

    /// The specifier of `to` in `importer`, in the style of `old`, the specifier of `from`.
    fn specifier(&self, importer: &JailPath, old: &str, from: &JailPath, to: &JailPath) -> String {
        let is_whole = from.file_name().is_some_and(|name| old.ends_with(name));
        let below_tools = to.as_str().strip_prefix("tools/");
        let whole = match below_tools.filter(|_| old.starts_with(FROM_ANYWHERE)) {
            Some(below) => format!("{FROM_ANYWHERE}{below}"),
            None => relative(importer, to),
        };
        if is_whole {
            return whole;
        }
        let short = whole.rsplit_once('.').map_or(whole.as_str(), |(stem, _)| stem).to_owned();
        // Without its extension, the specifier may mean another existing file.
        let means = self.resolver.resolve(importer.as_str(), &short).map(|found| found.resolved);
        match means {
            Ok(Resolved::Missing) => short,
            Ok(Resolved::Found(Target::File(file))) if file == *to => short,
            Ok(_) | Err(_) => whole,
        }
    }
}

/// The relative specifier of `to` in `importer`.
fn relative(importer: &JailPath, to: &JailPath) -> String {
    let own: Vec<&str> = importer.segments().collect();
    let target: Vec<&str> = to.segments().collect();
    let folders = own.len().saturating_sub(1).min(target.len().saturating_sub(1));
    let shared = own.iter().zip(&target).take(folders).take_while(|(one, other)| one == other).count();
    let ups = own.len().saturating_sub(1).saturating_sub(shared);
    let down = target.get(shared..).unwrap_or_default().join("/");
    if ups == 0 { format!("./{down}") } else { format!("{}{down}", "../".repeat(ups)) }
}

/// The text with specifiers replaced.
fn edited(text: &str, mut edits: Vec<(Reference, String)>) -> String {
    edits.sort_by_key(|(reference, _)| reference.bytes.start);
    // Positions do not count a byte order mark.
    let mark = text.len() - text.strip_prefix('\u{FEFF}').unwrap_or(text).len();
    let mut new = text.to_owned();
    for (reference, name) in edits.iter().rev() {
        let place = reference.bytes.start + mark..reference.bytes.end + mark;
        let Some(written) = new.get(place.clone()) else { continue };
        let quoted = match written.chars().next() {
            Some(quote @ ('\'' | '"' | '`')) => format!("{quote}{name}{quote}"),
            // A directive in a comment.
            Some(_) | None => written.replacen(&reference.specifier, name, 1),
        };
        new.replace_range(place, &quoted);
    }
    new
}

#[cfg(test)]
mod tests {
    use super::{Relink, relative};
    use crate::kernel::modules::{AllowedPackages, ImportResolver};
    use std::sync::Arc;
    use tgp_compile::Compiler;
    use tgp_vfs::{JailPath, MemoryVfs, Vfs};

    fn path(text: &str) -> JailPath {
        JailPath::parse(text).unwrap()
    }

    fn relink(files: &[(&str, &str)]) -> Relink {
        let vfs = MemoryVfs::new();
        for (name, text) in files {
            vfs.write(&path(name), text).unwrap();
        }
        let vfs: Arc<dyn Vfs> = Arc::new(vfs);
        let resolver = Arc::new(ImportResolver::new(Arc::clone(&vfs), AllowedPackages::new(&[])));
        Relink::new(vfs, Arc::new(Compiler::new()), resolver)
    }

    #[test]
    fn relative_specifiers_go_up_and_down() {
        for (importer, to, name) in [
            ("tools/a.ts", "tools/b.ts", "./b.ts"),
            ("tools/x/a.ts", "tools/b.ts", "../b.ts"),
            ("tools/x/y/a.ts", "tools/x/z/b.ts", "../z/b.ts"),
            ("tools/a.ts", "data/b.json", "../data/b.json"),
            ("tools/x/x.ts", "tools/x/x/x.ts", "./x/x.ts"),
        ] {
            assert_eq!(relative(&path(importer), &path(to)), name);
        }
    }

    #[test]
    fn every_kind_of_import_follows_a_move() {
        let importer = "import { a } from './lib/a';\nimport type { T } from \"./lib/a.ts\";\nexport * from '/lib/lib/a';\n\
                        type U = import('./lib/a').T;\nconst later = () => import(`./lib/a`);\nimport './lib/other';\n";
        let relink = relink(&[
            ("tools/i.ts", importer),
            ("tools/lib/a.ts", "import './other';\nexport const a = 1;\n"),
            ("tools/lib/other.ts", ""),
            ("tools/runs.ts", "export default () => tgp.exec_tool('tools/lib/a.ts', {})\n"),
            ("tools/broken.ts", "import './lib/a'; {"),
        ]);
        let (from, to) = (path("tools/lib/a.ts"), path("tools/deep/er/b.ts"));
        let found = relink.dependents(&from, &to).unwrap();
        assert_eq!(found.importers.len(), 1);
        assert_eq!(
            found.importers[0].relinked,
            "import { a } from './deep/er/b';\nimport type { T } from \"./deep/er/b.ts\";\nexport * from '/lib/deep/er/b';\n\
             type U = import('./deep/er/b').T;\nconst later = () => import(`./deep/er/b`);\nimport './lib/other';\n"
        );
        assert_eq!(found.mentions, ["tools/runs.ts"]);
        let text = "\u{feff}import './other';\nimport '/lib/lib/other';\n";
        assert_eq!(
            relink.moved(&from, &to, text).unwrap(),
            "\u{feff}import '../../lib/other';\nimport '/lib/lib/other';\n"
        );
    }

    #[test]
    fn an_extension_is_kept_if_the_short_specifier_means_another_file() {
        let relink = relink(&[("tools/i.ts", "import './a'"), ("tools/a.js", ""), ("tools/b.ts", "")]);
        let found = relink.dependents(&path("tools/a.js"), &path("tools/b.js")).unwrap();
        assert_eq!(found.importers[0].relinked, "import './b.js'");
    }
}
