//! The files of a picture: the tools with their links, or the neighbourhood of one file.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use tgp_base::error::{Error, ErrorCode};
use tgp_graph::GraphError;

/// Most files of a picture.
const MAX_NODES: usize = 150;
const LINKS: &str =
    "MATCH (a:File)-[r:IMPORTS|CALLS|TESTED_BY]->(b:File) RETURN a.path AS a, type(r) AS kind, b.path AS b LIMIT 5000";
const TOOLS: &str = "MATCH (t:Tool) RETURN t.path AS path LIMIT 5000";

/// What a file is, by its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeKind {
    Tool,
    File,
    /// The file that the picture is about.
    Subject,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub path: String,
    pub kind: NodeKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LinkKind {
    Imports,
    Calls,
    TestedBy,
}

/// A link between two nodes, by their positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    pub from: usize,
    pub to: usize,
    pub kind: LinkKind,
}

#[derive(Debug)]
pub struct Picture {
    pub nodes: Vec<Node>,
    pub links: Vec<Link>,
    /// Files that are not shown because there are too many.
    pub more: usize,
}

/// Runs a query of the graph.
type Rows<'f> = &'f dyn Fn(&str) -> Result<Vec<Value>, GraphError>;

impl LinkKind {
    fn of(name: &str) -> Option<Self> {
        match name {
            "IMPORTS" => Some(Self::Imports),
            "CALLS" => Some(Self::Calls),
            "TESTED_BY" => Some(Self::TestedBy),
            _ => None,
        }
    }

    pub const fn label(self) -> &'static str {
        match self {
            Self::Imports => "imports",
            Self::Calls => "calls",
            Self::TestedBy => "tested by",
        }
    }
}

impl Picture {
    /// # Errors
    /// `NotFound` if the graph does not have the file at `path`, and the errors of queries.
    pub fn of(rows: Rows<'_>, path: Option<&str>) -> Result<Self, Error> {
        let tools: BTreeSet<String> = rows(TOOLS)?.iter().filter_map(|row| text(row, "path")).collect();
        let links: Vec<(String, LinkKind, String)> = rows(LINKS)?
            .iter()
            .filter_map(|row| Some((text(row, "a")?, LinkKind::of(&text(row, "kind")?)?, text(row, "b")?)))
            .collect();
        let (shown, more) = match path {
            Some(path) => {
                require(rows, path)?;
                neighbourhood(path, &links)
            }
            None => everything(&tools, &links),
        };
        let places: BTreeMap<&str, usize> = shown.iter().enumerate().map(|(at, path)| (path.as_str(), at)).collect();
        let mut kept: Vec<Link> = links
            .iter()
            .filter_map(|(a, kind, b)| {
                Some(Link { from: *places.get(a.as_str())?, to: *places.get(b.as_str())?, kind: *kind })
            })
            .collect();
        kept.sort_unstable();
        kept.dedup();
        let kind = |name: &str| match path {
            Some(subject) if subject == name => NodeKind::Subject,
            _ if tools.contains(name) => NodeKind::Tool,
            _ => NodeKind::File,
        };
        let nodes = shown.iter().map(|path| Node { kind: kind(path), path: path.clone() }).collect();
        Ok(Self { nodes, links: kept, more })
    }
}

fn text(row: &Value, name: &str) -> Option<String> {
    row.get(name)?.as_str().map(str::to_owned)
}

fn require(rows: Rows<'_>, path: &str) -> Result<(), Error> {
    let quoted = Value::from(path).to_string();
    if rows(&format!("MATCH (f:File {{path: {quoted}}}) RETURN f.path AS path"))?.is_empty() {
        let message = format!("The file '{path}' does not exist in this commit.");
        return Err(Error::new(ErrorCode::NotFound, message).with("field", "path"));
    }
    Ok(())
}

/// The tools, and the files that they are linked with; those with the most links first if there are too many.
fn everything(tools: &BTreeSet<String>, links: &[(String, LinkKind, String)]) -> (Vec<String>, usize) {
    let mut counts: BTreeMap<&str, usize> = tools.iter().map(|path| (path.as_str(), 0)).collect();
    for (a, _, b) in links {
        for path in [a, b] {
            *counts.entry(path).or_default() += 1;
        }
    }
    let mut paths: Vec<(&str, usize)> = counts.into_iter().collect();
    paths.sort_by_key(|(_, links)| std::cmp::Reverse(*links));
    let more = paths.len().saturating_sub(MAX_NODES);
    paths.truncate(MAX_NODES);
    let mut shown: Vec<String> = paths.into_iter().map(|(path, _)| path.to_owned()).collect();
    shown.sort();
    (shown, more)
}

/// The file, all that depends on it, and all that it depends on; nearest first.
fn neighbourhood(path: &str, links: &[(String, LinkKind, String)]) -> (Vec<String>, usize) {
    let mut found = vec![path.to_owned()];
    let mut more = 0;
    for is_up in [true, false] {
        let mut next: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (a, kind, b) in links {
            // A test depends on its tool, against the direction of the link.
            let (dependent, needed) = if *kind == LinkKind::TestedBy { (b, a) } else { (a, b) };
            let (from, to) = if is_up { (needed, dependent) } else { (dependent, needed) };
            next.entry(from).or_default().push(to);
        }
        let mut seen = BTreeSet::from([path]);
        let mut waiting = VecDeque::from([path]);
        while let Some(at) = waiting.pop_front() {
            for to in next.get(at).into_iter().flatten() {
                if !seen.insert(to) {
                    continue;
                }
                waiting.push_back(to);
                if found.iter().any(|known| known == to) {
                    continue;
                }
                if found.len() < MAX_NODES {
                    found.push((*to).to_owned());
                } else {
                    more += 1;
                }
            }
        }
    }
    (found, more)
}

#[cfg(test)]
pub(super) mod tests {
    use super::{LINKS, LinkKind, MAX_NODES, NodeKind, Picture, TOOLS};
    use serde_json::{Value, json};

    pub fn picture(tools: &[&str], links: &[(&str, &str, &str)], path: Option<&str>) -> Picture {
        let rows = |query: &str| {
            Ok(match query {
                TOOLS => tools.iter().map(|path| json!({ "path": path })).collect(),
                LINKS => links.iter().map(|(a, kind, b)| json!({ "a": a, "kind": kind, "b": b })).collect(),
                _ if query.contains("missing") => Vec::<Value>::new(),
                _ => vec![json!({ "path": path })],
            })
        };
        Picture::of(&rows, path).unwrap()
    }

    #[test]
    fn a_picture_of_one_file_has_what_it_depends_on_and_what_depends_on_it() {
        let links = [
            ("tools/b.ts", "IMPORTS", "tools/a.ts"),
            ("tools/c.ts", "CALLS", "tools/b.ts"),
            ("tools/a.ts", "IMPORTS", "tools/lib.ts"),
            ("tools/a.ts", "TESTED_BY", "tools/a.test.ts"),
            ("tools/b.ts", "IMPORTS", "tools/other.ts"),
            ("tools/x.ts", "IMPORTS", "tools/y.ts"),
        ];
        let shown = picture(&["tools/a.ts", "tools/b.ts"], &links, Some("tools/a.ts"));
        let mut paths: Vec<_> = shown.nodes.iter().map(|node| node.path.as_str()).collect();
        paths.sort_unstable();
        assert_eq!(paths, ["tools/a.test.ts", "tools/a.ts", "tools/b.ts", "tools/c.ts", "tools/lib.ts"]);
        assert_eq!(shown.nodes[0].kind, NodeKind::Subject);
        assert_eq!(shown.links.len(), 4);
        assert!(shown.links.iter().any(|link| link.kind == LinkKind::TestedBy));
        let missing = Picture::of(&|_| Ok(Vec::new()), Some("missing")).unwrap_err();
        assert_eq!(missing.code, tgp_base::error::ErrorCode::NotFound);
    }

    #[test]
    fn a_large_picture_shows_the_most_connected_files() {
        let names: Vec<String> = (0..MAX_NODES + 10).map(|n| format!("tools/t{n}.ts")).collect();
        let tools: Vec<&str> = names.iter().map(String::as_str).collect();
        let links = [(tools[MAX_NODES + 9], "CALLS", tools[MAX_NODES + 8])];
        let shown = picture(&tools, &links, None);
        assert_eq!((shown.nodes.len(), shown.more, shown.links.len()), (MAX_NODES, 10, 1));
    }
}
