//! Texts of pull requests: description, parameters, findings, and how to try a tool.

use super::run_examples::{RunExample, RunExamples};
use crate::kernel::secret_scan::SecretScan;
use std::fmt::Write;
use std::sync::Arc;
use tgp_compile::{Compiler, Diagnostic, LintOptions, Severity};
use tgp_git::{Describe, PullRequestText};
use tgp_vfs::{DiskVfs, JailPath, Vfs};

const MAX_TEXT: usize = 2000;
const MAX_TITLE: usize = 200;
const EXAMPLE: &str = "@example";

pub struct PullRequestDescriber {
    vfs: Arc<DiskVfs>,
    compiler: Arc<Compiler>,
    lint: LintOptions,
    examples: Arc<RunExamples>,
}

impl PullRequestDescriber {
    pub const fn new(
        vfs: Arc<DiskVfs>,
        compiler: Arc<Compiler>,
        lint: LintOptions,
        examples: Arc<RunExamples>,
    ) -> Self {
        Self { vfs, compiler, lint, examples }
    }

    fn section(&self, path: &str) -> String {
        let source = JailPath::parse(path).and_then(|parsed| self.vfs.read(&parsed));
        let heading = format!("## {}", code(path));
        let Ok(source) = source else { return format!("{heading}\n\nRemoved.\n") };
        // The file on disk may differ from the committed one.
        if SecretScan::new(&self.compiler, &self.lint).holds_secret(path, source.as_bytes()) {
            return format!("{heading}\n\nNot shown: the file in the workspace has uncommitted changes.\n");
        }
        let findings = self.compiler.check(path, &source, &self.lint).diagnostics;
        let mut text = format!("{heading}\n\n{}\n", description(&source));
        if let Some(parameters) = parameters(&source) {
            let _ = write!(text, "\n**Parameters**\n\n```ts\n{parameters}\n```\n");
        }
        let _ = write!(text, "\n**Checks**\n\n{}\n", findings_list(&findings));
        if let Some(example) = written_example(&source) {
            let _ = write!(text, "\n**Example**\n\n```ts\n{example}\n```\n");
        }
        if let Some(RunExample { args, result }) = self.examples.of(path) {
            let _ = write!(
                text,
                "\n**A run of this version** (text and large numbers left out)\n\n```\narguments: {args}\nresult:    {result}\n```\n"
            );
        }
        let _ = write!(
            text,
            "\n**Try it**\n\n```js\nconst {{ result }} = await kernel.exec('{path}', {{ /* arguments as above */ }});\n```\n"
        );
        text
    }
}

impl PullRequestDescriber {
    fn is_gone(&self, path: &str) -> bool {
        JailPath::parse(path).is_ok_and(|path| self.vfs.exists(&path).is_ok_and(|exists| !exists))
    }
}

impl Describe for PullRequestDescriber {
    fn describe(&self, paths: &[String]) -> PullRequestText {
        let sections: Vec<String> = paths.iter().map(|path| self.section(path)).collect();
        let title = match paths {
            removed if !removed.is_empty() && removed.iter().all(|path| self.is_gone(path)) => {
                format!("Remove: {}", removed.join(", ").chars().take(MAX_TITLE).collect::<String>())
            }
            [one] => format!("Forge: {one}"),
            [first, rest @ ..] => format!("Forge: {first} and {} more", rest.len()),
            [] => "Nothing left to merge".to_owned(),
        };
        let body = format!(
            "{}\nForged by an agent with TGP. Merging it makes the tool available to every instance.\n",
            sections.join("\n")
        );
        PullRequestText { title, body }
    }
}

fn findings_list(findings: &[Diagnostic]) -> String {
    if findings.is_empty() {
        return "No findings.".to_owned();
    }
    let line = |finding: &Diagnostic| {
        let severity = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Advice => "advice",
        };
        format!("- {severity}, line {}: {}", finding.line, code(&finding.message))
    };
    findings.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The lines of the first doc comment.
fn comment(source: &str) -> Vec<&str> {
    let comment = source.split_once("/**").and_then(|(_, rest)| rest.split_once("*/"));
    let lines = comment.map_or("", |(comment, _)| comment).lines();
    lines.map(|line| line.trim().trim_start_matches('*').trim()).collect()
}

/// The `@example` of the first doc comment, up to the next tag.
fn written_example(source: &str) -> Option<String> {
    let lines = comment(source);
    let start = lines.iter().position(|line| line.starts_with(EXAMPLE))?;
    let (first, rest) = lines.get(start..)?.split_first()?;
    let rest = rest.iter().copied().take_while(|line| !line.starts_with('@'));
    let text = std::iter::once(first.trim_start_matches(EXAMPLE)).chain(rest).collect::<Vec<_>>().join("\n");
    // A code fence would end the surrounding one.
    let text: String = text.replace("```", "").trim().chars().take(MAX_TEXT).collect();
    Some(text).filter(|text| !text.is_empty())
}

/// The first doc comment as text, without examples.
fn description(source: &str) -> String {
    let mut is_example = false;
    let is_text = |line: &&str| {
        if line.starts_with('@') {
            is_example = line.starts_with(EXAMPLE);
        }
        !is_example
    };
    let text = comment(source).into_iter().filter(is_text).collect::<Vec<_>>().join("\n");
    let text: String = text.trim().chars().take(MAX_TEXT).collect();
    if text.is_empty() { "No description.".to_owned() } else { plain(&text) }
}

/// Untrusted text as inline code, without Markdown, HTML or mentions.
fn code(text: &str) -> String {
    let text: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let text: String = text.trim().chars().take(MAX_TEXT).collect();
    format!("`{}`", unmentioned(&text.replace('`', "'")))
}

/// Untrusted text with Markdown and HTML escaped.
fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut begins_line = true;
    for letter in unmentioned(&text.replace('`', "'")).chars() {
        // A list, a heading's underline, or a command of the hosting service, such as `/approve`.
        if begins_line && (matches!(letter, '/' | '-' | '+' | '=') || letter.is_ascii_digit()) {
            shown.push('\u{200b}');
        }
        begins_line = matches!(letter, '\n' | '\r') || (begins_line && letter.is_whitespace());
        if matches!(letter, '\\' | '<' | '>' | '[' | ']' | '*' | '_' | '#' | '!' | '|' | '~' | '&') {
            shown.push('\\');
        }
        shown.push(letter);
    }
    shown
}

/// The text with mentions disabled by a zero-width space after the `@`.
fn unmentioned(text: &str) -> String {
    text.replace('@', "@\u{200b}")
}

/// The source of the default export's parameter list.
fn parameters(source: &str) -> Option<String> {
    let (_, after) = source.split_once("export default")?;
    let (_, list) = after.split_once('(')?;
    let mut depth = 1_usize;
    let mut text = String::new();
    for c in list.chars().take(MAX_TEXT) {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(text.trim().replace('`', "'")).filter(|text| !text.is_empty());
        }
        text.push(c);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Diagnostic, Severity, description, findings_list, parameters, written_example};

    #[test]
    fn tool_text_is_escaped_and_mentions_are_disabled() {
        let finding = |message: &str| Diagnostic {
            rule: "no-emails".to_owned(),
            standard: None,
            severity: Severity::Error,
            message: message.to_owned(),
            line: 3,
            column: 1,
            end_line: 3,
            end_column: 2,
            help: None,
            fix: None,
        };
        let shown = findings_list(&[finding("Import of '@user`\n# <img src=x>' is forbidden")]);
        assert_eq!(shown, "- error, line 3: `Import of '@\u{200b}user' # <img src=x>' is forbidden`");
        let source = "/** See [here](https://x.example) <b>now</b> # and ![x](y) @user. */";
        let shown = description(source);
        assert_eq!(
            shown,
            r"See \[here\](https://x.example) \<b\>now\</b\> \# and \!\[x\](y) @".to_owned() + "\u{200b}user."
        );
    }

    #[test]
    fn lines_of_tool_text_are_not_commands_lists_or_headings() {
        let source = "/**\n * Adds 1 - 1 / 2.\n * /approve\n *\n * - x\n * + x\n * 1. x\n * ===\n * > x\n * # x\n */";
        let shown = description(source);
        let lines: Vec<&str> = shown.lines().filter(|line| !line.is_empty()).collect();
        assert_eq!(
            lines,
            [
                "Adds 1 - 1 / 2.",
                "\u{200b}/approve",
                "\u{200b}- x",
                "\u{200b}+ x",
                "\u{200b}1. x",
                "\u{200b}===",
                r"\> x",
                r"\# x",
            ]
        );
    }

    #[test]
    fn description_parameters_and_example_are_extracted() {
        let source =
            "/**\n * Adds VAT for @bob.\n */\nexport default function vat(args: { net: number; rate: [number] }) {}";
        assert_eq!(description(source), "Adds VAT for @\u{200b}bob.");
        assert_eq!(parameters(source).as_deref(), Some("args: { net: number; rate: [number] }"));
        assert_eq!(parameters("export default () => 1"), None);
        assert_eq!(parameters("return ("), None);
        assert_eq!(description("return 1"), "No description.");
        let source = "/**\n * Adds.\n * @example add({ a: 1 })\n * // 2\n * ```\n * @param a one\n */";
        assert_eq!(written_example(source).as_deref(), Some("add({ a: 1 })\n// 2"));
        assert_eq!(description(source), "Adds.\n@\u{200b}param a one");
        assert_eq!(written_example("/** Adds. */"), None);
    }
}
