//! Which files an agent may write.

use crate::error::{Error, ErrorCode};
use crate::vfs::JailPath;

/// The folder of the tools.
pub const TOOLS: &str = "tools";
/// The registry's own file, derived from the tools.
const META: &str = "meta.json";
/// Files that hold data and nothing else.
const DATA: [&str; 9] = ["json", "jsonl", "csv", "tsv", "txt", "md", "yaml", "yml", "sql"];

/// Refuses what is neither a tool nor plain data.
pub fn check_writable(path: &JailPath) -> Result<(), Error> {
    let refuse = |why: &str| {
        let message = format!("Security Violation: '{}' may not be written: {why}.", path.as_str());
        Err(Error::new(ErrorCode::SecurityViolation, message).with("path", path.as_str()))
    };
    if path.is_root() {
        return refuse("it is the root folder; name a file such as tools/reports/revenue.ts");
    }
    if path.segments().any(|segment| segment.starts_with('.')) {
        return refuse("names that begin with a dot are not for tools or data");
    }
    if path.as_str().eq_ignore_ascii_case(META) {
        return refuse("meta.json is the kernel's own; it follows the tools by itself");
    }
    if path.starts_with(TOOLS) {
        return Ok(());
    }
    let extension = path.extension().unwrap_or_default();
    if DATA.iter().any(|data| extension.eq_ignore_ascii_case(data)) {
        return Ok(());
    }
    refuse(
        "code belongs under tools/; outside it only data files are kept (json, jsonl, csv, tsv, txt, md, yaml, yml, sql)",
    )
}

#[cfg(test)]
mod tests {
    use super::check_writable;
    use crate::vfs::JailPath;

    #[test]
    fn tools_and_data_are_written_and_nothing_else() {
        let allowed = |text: &str| check_writable(&JailPath::parse(text).unwrap()).is_ok();
        for path in ["tools/a.ts", "tools/deep/er/b.js", "tools/data.bin", "data.json", "notes/plan.MD"] {
            assert!(allowed(path), "{path}");
        }
        for path in ["a.ts", "bin/tgp", "meta.json", "META.json", "toolsy/a.ts", ".gitattributes", "tools/.hidden/a.ts"]
        {
            assert!(!allowed(path), "{path}");
        }
    }
}
