//! A restricted YAML parser: one document, no anchors, tags, directives or duplicate keys.

use super::fault::{Fault, shown};
use super::node::{Content, MAX_DEPTH, MAX_NODES, Member, Node, Place};
use super::plain_scalar::plain_scalar;
use granit_parser::{Event, Options, Parser, ScalarStyle, Span};
use serde_json::Value;
use std::collections::HashMap;

/// The longest file.
pub(crate) const MAX_BYTES: usize = 1 << 20;

/// Parses a YAML document.
///
/// # Errors
/// For the first syntax error or unsupported feature.
pub(crate) fn parse_yaml(text: &str) -> Result<Node, Fault> {
    if text.len() > MAX_BYTES {
        let limit = MAX_BYTES >> 20;
        return Err(Fault::new(&Place::Line(1), format!("The file is longer than {limit} MiB. Write fewer rules.")));
    }
    let mut builder = Builder::default();
    for next in Parser::new_from_str_with_options(text, options()) {
        let (event, span) = next.map_err(|error| {
            let place = Place::Line(error.marker().line().max(1));
            Fault::new(&place, format!("This is not valid YAML: {}.", shown(&error.info())))
        })?;
        builder.take(event, span)?;
    }
    builder.root.ok_or_else(|| Fault::new(&Place::Line(1), "The file is empty. Begin it with 'version: 1'."))
}

fn options() -> Options {
    granit_parser::options! {
        disallow_directives: true,
        emit_comments: false,
        strict_indentation: false,
        // The builder limits nesting as well; these limits bound the parser's own stacks.
        flow_nesting_limit: MAX_DEPTH + 1,
        block_nesting_limit: MAX_DEPTH + 1,
    }
}

/// An unfinished list or map.
enum Open {
    List { place: Place, items: Vec<Node> },
    Map { place: Place, members: Vec<Member>, seen: HashMap<String, usize>, key: Option<(String, Place)> },
}

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    root: Option<Node>,
    nodes: usize,
    documents: usize,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Fault> {
        let line = span.start.line().max(1);
        let place = Place::Line(line);
        match event {
            Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => Ok(()),
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(Fault::new(&place, "A second document begins here. A policy must be one document."));
                }
                Ok(())
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) | Event::Anchor(..) => Err(refused_anchor(&place)),
            Event::Scalar(_, _, anchor, tag) if anchor != 0 || tag.is_some() => Err(refused_property(&place, anchor)),
            Event::SequenceStart(_, anchor, tag) | Event::MappingStart(_, anchor, tag)
                if anchor != 0 || tag.is_some() =>
            {
                Err(refused_property(&place, anchor))
            }
            Event::Scalar(text, style, ..) => {
                if let Some(Open::Map { key: key @ None, seen, .. }) = self.open.last_mut() {
                    if let Some(first) = seen.insert(text.to_string(), line) {
                        let name = shown(&text);
                        return Err(Fault::new(
                            &place,
                            format!("The key '{name}' is a duplicate (first in line {first})."),
                        ));
                    }
                    *key = Some((text.into_owned(), place));
                    return Ok(());
                }
                let value = match style {
                    ScalarStyle::Plain => {
                        plain_scalar(&text).map_err(|why| Fault::new(&place, format!("'{}' {why}.", shown(&text))))?
                    }
                    ScalarStyle::SingleQuoted
                    | ScalarStyle::DoubleQuoted
                    | ScalarStyle::Literal
                    | ScalarStyle::Folded => Value::String(text.into_owned()),
                };
                self.close(Node { place, content: Content::Scalar(value) })
            }
            Event::SequenceStart(..) => self.begin(Open::List { place, items: Vec::new() }, line),
            Event::MappingStart(..) => {
                let (members, seen) = (Vec::new(), HashMap::new());
                self.begin(Open::Map { place, members, seen, key: None }, line)
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::List { place, items }) => self.close(Node { place, content: Content::List(items) }),
                Some(Open::Map { place, members, .. }) => self.close(Node { place, content: Content::Map(members) }),
                None => Ok(()),
            },
            // Events of later parser versions.
            _ => Err(Fault::new(&place, "This part of YAML is not accepted in a policy.")),
        }
    }

    fn begin(&mut self, open: Open, line: usize) -> Result<(), Fault> {
        if let Some(Open::Map { key: None, .. }) = self.open.last() {
            return Err(Fault::new(&Place::Line(line), "A key must be a word, not a list or a map."));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(Fault::new(
                &Place::Line(line),
                format!("Lists and maps are nested more than {MAX_DEPTH} deep here. Policies are flat."),
            ));
        }
        self.open.push(open);
        Ok(())
    }

    fn close(&mut self, node: Node) -> Result<(), Fault> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(Fault::new(&node.place, format!("The file has more than {MAX_NODES} values.")));
        }
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(Open::List { items, .. }) => items.push(node),
            Some(Open::Map { members, key, .. }) => {
                if let Some((key, place)) = key.take() {
                    members.push(Member { key, place, value: node });
                }
            }
        }
        Ok(())
    }
}

fn refused_anchor(place: &Place) -> Fault {
    Fault::new(place, "Anchors ('&') and aliases ('*') are not accepted. Write the value out, or put it in quotes.")
}

fn refused_property(place: &Place, anchor: usize) -> Fault {
    if anchor != 0 {
        return refused_anchor(place);
    }
    Fault::new(place, "Tags ('!') are not accepted. Remove the tag, or put the value in quotes.")
}
