//! Property tests with random and valid diffs.

use super::apply_diff::DiffChange;
use super::diff_text::parse_diff;
use super::plan::Change;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::sample::select;
use proptest::strategy::Strategy;
use tgp_base::error::ErrorCode;
use tgp_fuzzing::{for_all, texts};
use tgp_vfs::JailPath;

const MAX: usize = 4096;

const PIECES: &[&str] = &[
    "@@ -1,3 +1,4 @@\n",
    "@@ -1 +1 @@\n",
    "@@ -0,0 +1 @@\n",
    "@@ -99999999999999999999,1 +1 @@\n",
    "@@",
    "--- a/x\n",
    "+++ b/x\n",
    "--- /dev/null\n",
    "diff --git a/x b/x\n",
    " a\n",
    "-a\n",
    "+a\n",
    "-b\n",
    "+b\n",
    " \n",
    "\n",
    "\r\n",
    "\\ No newline at end of file\n",
    "<<<<<<< SEARCH\n",
    "=======\n",
    ">>>>>>> REPLACE\n",
    ":start_line:2\n",
    ":start_line:99999999999999999999\n",
    "-------\n",
    "```\n",
    "a\n",
    "b\n",
    "\t",
    "  ",
    "é",
    "\0",
];

const LINES: &[&str] = &["a", "b", "c", "", "  a", "\ta", "}", "é"];

fn lines() -> impl Strategy<Value = Vec<&'static str>> {
    vec(select(LINES), 0..12)
}

fn made(diff: &str, before: &str) -> Result<String, ErrorCode> {
    let change = DiffChange { diff, file_bytes: MAX };
    change.check().map_err(|error| error.code)?;
    let path = JailPath::parse("tools/x.ts").unwrap();
    change.make(&path, before).map(|(text, _)| text).map_err(|error| error.code)
}

#[test]
fn a_random_diff_is_refused_with_a_code_or_gives_a_bounded_text() {
    for_all(file!(), &(texts(PIECES, 24), texts(PIECES, 12)), |(diff, before)| match made(&diff, &before) {
        Ok(text) => assert!(text.len() <= 4 * MAX + before.len(), "{} bytes", text.len()),
        Err(code) => {
            assert!(matches!(code, ErrorCode::Validation | ErrorCode::NotFound | ErrorCode::Limit), "{code:?}");
        }
    });
}

/// One hunk over the whole text, as `git diff` with much context writes it.
fn whole(before: &[&str], after: &[&str]) -> String {
    let mut kept = before.iter().zip(after).take_while(|(old, new)| old == new).count();
    kept = kept.min(before.len()).min(after.len());
    let mut diff = format!("--- a/x\n+++ b/x\n@@ -1,{} +1,{} @@\n", before.len(), after.len());
    for line in &before[..kept] {
        diff.push_str(&format!(" {line}\n"));
    }
    for line in &before[kept..] {
        diff.push_str(&format!("-{line}\n"));
    }
    for line in &after[kept..] {
        diff.push_str(&format!("+{line}\n"));
    }
    diff
}

fn text(lines: &[&str]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_valid_diff_turns_the_old_text_into_the_new_one() {
    for_all(file!(), &(lines(), lines()), |(before, after)| {
        if before == after || before.is_empty() {
            return;
        }
        let diff = whole(&before, &after);
        assert_eq!(made(&diff, &text(&before)), Ok(text(&after)), "{diff}");
        // With the file's own line ends.
        let windows = text(&before).replace('\n', "\r\n");
        assert_eq!(made(&diff, &windows), Ok(text(&after).replace('\n', "\r\n")), "{diff}");
    });
}

#[test]
fn wrong_line_numbers_do_not_move_a_change() {
    let inputs = (vec(select(&["x", "y", "z"][..]), 0..6), any::<u16>());
    for_all(file!(), &inputs, |(around, line)| {
        let before = text(&[&around[..], &["the only one"], &around[..]].concat());
        let after = text(&[&around[..], &["another"], &around[..]].concat());
        let diff = format!("@@ -{line} +{line} @@\n-the only one\n+another\n");
        assert_eq!(made(&diff, &before), Ok(after));
    });
}

#[test]
fn a_parsed_diff_has_changes() {
    for_all(file!(), &texts(PIECES, 16), |diff| {
        if let Ok(hunks) = parse_diff(&diff) {
            assert!(!hunks.is_empty());
        }
    });
}
