//! The local exclude file of `git status`, `info/exclude`.

use crate::regular_file;
use git2::Repository;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Maximum size of an exclude file.
const MAX_EXCLUDE_BYTES: u64 = 4 << 20;

const BEGIN: &str = "# tgp: tools that wait on other branches";
const END: &str = "# tgp: end";

/// Adds missing patterns to the exclude file.
pub(crate) fn add_patterns(info: &Path, patterns: &[String]) -> io::Result<()> {
    let file = info.join("exclude");
    let present = match regular_file::read_linked(&file, MAX_EXCLUDE_BYTES) {
        Ok(text) => String::from_utf8_lossy(&text).into_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        // `git` would ignore such a file too.
        Err(error) if matches!(error.kind(), io::ErrorKind::FileTooLarge | io::ErrorKind::InvalidInput) => {
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    let missing: Vec<_> = patterns.iter().filter(|pattern| !present.lines().any(|line| line == *pattern)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    fs::create_dir_all(info)?;
    let mut file = match regular_file::open(&file, File::options().append(true).create(true)) {
        // The target of a symbolic link is not changed.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => return Ok(()),
        opened => opened?,
    };
    if !present.is_empty() && !present.ends_with('\n') {
        writeln!(file)?;
    }
    missing.iter().try_for_each(|pattern| writeln!(file, "{pattern}"))
}

/// Replaces our section of the exclude file.
pub(super) fn set_others<'p>(repository: &Repository, paths: impl Iterator<Item = &'p str>) -> io::Result<()> {
    let file = repository.commondir().join("info").join("exclude");
    let present = match regular_file::read_linked(&file, MAX_EXCLUDE_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        result => String::from_utf8_lossy(&result?).into_owned(),
    };
    let mut text: String = without_section(&present).into_iter().map(|line| format!("{line}\n")).collect();
    let patterns: Vec<String> = paths.map(pattern).collect();
    if !patterns.is_empty() {
        text.push_str(&format!("{BEGIN}\n{}\n{END}\n", patterns.join("\n")));
    }
    if text == present {
        return Ok(());
    }
    fs::create_dir_all(repository.commondir().join("info"))?;
    let temporary = file.with_extension("tgp");
    fs::write(&temporary, text)?;
    fs::rename(temporary, file)
}

fn without_section(text: &str) -> Vec<&str> {
    let mut is_ours = false;
    let is_kept = |line: &&str| {
        let was_ours = is_ours;
        is_ours = (is_ours || *line == BEGIN) && *line != END;
        !was_ours && !is_ours
    };
    text.lines().filter(is_kept).collect()
}

/// A pattern that matches exactly this path.
fn pattern(path: &str) -> String {
    let mut pattern = "/".to_owned();
    for c in path.chars() {
        if "*?[\\ ".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::{BEGIN, END, pattern, without_section};

    #[test]
    fn only_our_section_is_replaced() {
        let text = format!("mine\n{BEGIN}\n/tools/a.ts\n{END}\n*.log\n");
        assert_eq!(without_section(&text), ["mine", "*.log"]);
        assert_eq!(without_section("a\nb\n"), ["a", "b"]);
        assert_eq!(without_section(&format!("a\n{BEGIN}\ntorn")), ["a"]);
    }

    #[test]
    fn a_pattern_matches_one_path() {
        assert_eq!(pattern("tools/a b[1]*.ts"), r"/tools/a\ b\[1]\*.ts");
    }
}
