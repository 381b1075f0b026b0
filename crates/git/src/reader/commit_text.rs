//! Parses commit objects. libgit2 would read commits of any size.

use crate::limits::MAX_PARENTS;
use crate::store::history::cut;
use git2::Oid;

const MAX_SUBJECT_BYTES: usize = 500;
const MAX_NAME_BYTES: usize = 256;

/// A parsed commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommitText {
    pub(super) tree: Oid,
    pub(super) parents: Vec<Oid>,
    pub(super) author: String,
    /// Seconds since 1970, of the committer.
    pub(super) time: i64,
    pub(super) subject: String,
}

impl CommitText {
    /// `None` if the bytes are not a commit, or it has too many parents.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let mut lines = bytes.split(|byte| *byte == b'\n');
        let tree = id(lines.next()?.strip_prefix(b"tree ")?)?;
        let mut parsed = Self { tree, parents: Vec::new(), author: String::new(), time: 0, subject: String::new() };
        for line in lines.by_ref().take_while(|line| !line.is_empty()) {
            if let Some(parent) = line.strip_prefix(b"parent ") {
                parsed.parents.push(id(parent)?);
            } else if let Some(author) = line.strip_prefix(b"author ") {
                parsed.author = name(author);
            } else if let Some(committer) = line.strip_prefix(b"committer ") {
                parsed.time = seconds(committer).unwrap_or_default();
            }
        }
        let is_blank = |line: &&[u8]| line.iter().all(u8::is_ascii_whitespace);
        let subject: Vec<&[u8]> = lines.skip_while(is_blank).take_while(|line| !is_blank(line)).collect();
        parsed.subject = cut(subject.join(&b' ').trim_ascii(), MAX_SUBJECT_BYTES);
        (parsed.parents.len() <= MAX_PARENTS).then_some(parsed)
    }
}

fn id(digits: &[u8]) -> Option<Oid> {
    let digits = str::from_utf8(digits).ok().filter(|digits| digits.len() == 40)?;
    Oid::from_str(digits).ok()
}

fn name(person: &[u8]) -> String {
    let end = person.iter().position(|byte| *byte == b'<').unwrap_or(person.len());
    cut(person.get(..end).unwrap_or_default().trim_ascii(), MAX_NAME_BYTES)
}

fn seconds(person: &[u8]) -> Option<i64> {
    let start = person.iter().rposition(|byte| *byte == b'>')? + 1;
    let rest = str::from_utf8(person.get(start..)?).ok()?;
    rest.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::CommitText;

    const TREE: &str = "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n";

    #[test]
    fn malformed_commits_are_refused_or_read_without_their_broken_parts() {
        let parse = |rest: &str| CommitText::parse(format!("{TREE}{rest}").as_bytes());
        assert_eq!(CommitText::parse(b""), None);
        assert_eq!(CommitText::parse(b"tree 4b82\n"), None);
        assert_eq!(parse("parent x\n\n"), None);
        let long = "parent 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n".repeat(2000);
        assert_eq!(parse(&long), None);
        let bare = parse("").unwrap();
        assert_eq!((bare.time, bare.author.as_str(), bare.subject.as_str()), (0, "", ""));
        let full = parse("author Ann B <a@b> 5 +0100\ncommitter C <c> 7 +0000\n\n\nOne\ntwo\n\nbody\n").unwrap();
        assert_eq!((full.time, full.author.as_str(), full.subject.as_str()), (7, "Ann B", "One two"));
        let hostile = parse("author <><>\ncommitter > 99999999999999999999 x\n\n").unwrap();
        assert_eq!((hostile.time, hostile.author.as_str()), (0, ""));
    }
}
