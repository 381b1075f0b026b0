//! Texts that are expensive to check: many unknown names, and files that re-export each other.

use super::{ExportCheck, MAX_BYTES, MAX_FILES, MAX_FINDINGS};
use crate::kernel::modules::{AllowedPackages, ImportResolver};
use std::cell::Cell;
use std::fmt::Write;
use std::sync::Arc;
use tgp_compile::{Compiler, Diagnostic, LintOptions, Severity};
use tgp_vfs::{JailPath, MemoryVfs, Vfs};

const TOOL: &str = "tools/t.ts";

/// The findings in `tools`, and the number of files and bytes read.
fn checked(files: &Arc<MemoryVfs>, tools: &[&str]) -> (Vec<Vec<Diagnostic>>, usize, usize) {
    let compiler = Compiler::new();
    let resolver = ImportResolver::new(Arc::clone(files) as Arc<dyn Vfs>, AllowedPackages::new(&[]));
    let (reads, bytes) = (Cell::new(0), Cell::new(0));
    let read = |path: &JailPath| {
        let text = files.read(path)?;
        reads.set(reads.get() + 1);
        bytes.set(bytes.get() + text.len());
        Ok(text)
    };
    let check = ExportCheck::new(&compiler, &resolver, &read);
    let found = tools
        .iter()
        .map(|text| {
            let verdict = compiler.check(TOOL, text, &LintOptions::default());
            check.findings(TOOL, &verdict, Severity::Error)
        })
        .collect();
    (found, reads.get(), bytes.get())
}

fn write(files: &MemoryVfs, path: &str, text: &str) {
    files.write(&JailPath::parse(path).unwrap(), text).unwrap();
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, at| {
        writeln!(text, "{}", line(at)).unwrap();
        text
    })
}

#[test]
fn findings_are_limited() {
    let files = Arc::new(MemoryVfs::new());
    write(&files, "tools/lib.ts", &lines(8_000, |at| format!("export const {}{at} = {at};", "a".repeat(60))));
    let tool = lines(8_000, |at| format!("import {{ {}{at} }} from './lib';", "b".repeat(60)));
    let (found, reads, _) = checked(&files, &[&tool]);
    assert_eq!((found[0].len(), reads), (MAX_FINDINGS, 1));
}

#[test]
fn re_exports_are_read_once_and_up_to_the_limits() {
    let files = Arc::new(MemoryVfs::new());
    // Every file re-exports all others.
    let all = lines(600, |at| format!("export * from './f{at}';"));
    for at in 0..600 {
        write(&files, &format!("tools/f{at}.ts"), &format!("{all}export const own{at} = 1;\n"));
    }
    let tool = lines(600, |at| format!("import {{ wrong{at} }} from './f{at}';"));
    let (found, reads, _) = checked(&files, &[&tool, &tool]);
    assert!(reads <= MAX_FILES, "{reads}");
    assert!(found.iter().all(Vec::is_empty), "beyond the limits nothing is reported");

    let files = Arc::new(MemoryVfs::new());
    let large = format!("export const one = 1;\n/*{}*/\n", "x".repeat(1 << 19));
    for at in 0..40 {
        write(&files, &format!("tools/f{at}.ts"), &large);
    }
    let tool = lines(40, |at| format!("import {{ one as one{at} }} from './f{at}';"));
    let (_, _, bytes) = checked(&files, &[&tool]);
    assert!(bytes <= MAX_BYTES + large.len(), "{bytes}");
}

#[test]
fn re_exported_names_are_collected_up_to_a_limit() {
    let files = Arc::new(MemoryVfs::new());
    write(&files, "tools/names.ts", &lines(30_000, |at| format!("export const n{at} = 1;")));
    for at in 0..200 {
        write(&files, &format!("tools/f{at}.ts"), "export * from './names';\n");
    }
    let tool = lines(200, |at| format!("import {{ wrong{at} }} from './f{at}';"));
    let (found, _, _) = checked(&files, &[&tool]);
    assert_eq!(found[0].len(), 1, "only the first was checked");
}

#[test]
fn tools_that_share_files_are_all_checked() {
    let files = Arc::new(MemoryVfs::new());
    write(&files, "tools/lib.ts", "export const right = 1;\n");
    write(&files, "tools/all.ts", "export * from './lib';\nexport * from './lib';\nexport * from './all';\n");
    let (found, reads, _) = checked(
        &files,
        &["import { right, wrong } from './all';", "import { wrong } from './lib';", "import { right } from './all';"],
    );
    assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 0]);
    assert_eq!(reads, 2);
}

#[test]
fn export_star_does_not_re_export_the_default() {
    let files = Arc::new(MemoryVfs::new());
    write(&files, "tools/lib.ts", "export default 1;\nexport const right = 1;\n");
    write(&files, "tools/all.ts", "export * from './lib';\n");
    write(&files, "tools/named.ts", "export * from './lib';\nexport { default } from './lib';\n");
    let tools = ["import all, { right } from './all';", "import lib from './lib';", "import named from './named';"];
    let (found, _, _) = checked(&files, &tools);
    assert_eq!(found.iter().map(Vec::len).collect::<Vec<_>>(), [1, 0, 0]);
    assert!(found[0][0].message.contains("no default export"), "{}", found[0][0].message);
}
