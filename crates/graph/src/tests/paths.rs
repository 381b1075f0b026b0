//! `impact` and `history`.

use super::fixture::{FakeRepository, Fixture, change, facts, id, small, small_view};
use crate::{ChangeStatus, GraphError};
use tgp_base::error::{ErrorCode, PartError};

fn pairs(list: &[crate::Dependent]) -> Vec<(&str, usize)> {
    list.iter().map(|entry| (entry.path.as_str(), entry.distance)).collect()
}

#[test]
fn impact_lists_what_depends_on_a_file() {
    let view = small_view();
    let core = view.impact("tools/core.ts", &|_| true).unwrap();
    assert!(core.exists && !core.truncated);
    assert_eq!(pairs(&core.importers), [("tools/a.ts", 1), ("tools/b.ts", 1), ("tools/a.test.ts", 2)]);
    assert_eq!(core.tests, ["tools/a.test.ts"]);
    assert_eq!(core.runs.iter().map(|run| run.id.as_str()).collect::<Vec<_>>(), ["r2", "r1"]);
    let a = view.impact("tools/a.ts", &|_| true).unwrap();
    assert_eq!((pairs(&a.importers), pairs(&a.callers)), (vec![("tools/a.test.ts", 1)], vec![("tools/b.ts", 1)]));
    assert_eq!(a.runs[1].code.as_deref(), Some("ERR_TOOL_THROWN"));
    let deleted = view.impact("README.md", &|_| true).unwrap();
    assert!(!deleted.exists && deleted.importers.is_empty());
}

#[test]
fn history_follows_renames_and_deletions() {
    let view = small_view();
    let entries = view.history("tools/core.ts", &|_| true).unwrap();
    let shown: Vec<_> = entries.iter().map(|entry| (entry.commit.clone(), entry.status, entry.path.as_str())).collect();
    let hash = |number| id(number).to_string();
    assert_eq!(shown, [(hash(4), "renamed", "tools/core.ts"), (hash(1), "added", "tools/lib.ts")]);
    assert_eq!((entries[0].from.as_deref(), entries[0].similarity), (Some("tools/lib.ts"), Some(72)));
    let deleted = view.history("README.md", &|_| true).unwrap();
    assert_eq!(deleted.iter().map(|entry| entry.status).collect::<Vec<_>>(), ["deleted", "added"]);
}

#[test]
fn a_chain_of_renames_is_followed_after_its_files_are_gone() {
    let renamed = |from: &str| ChangeStatus::Renamed { from: from.to_owned(), similarity: 90 };
    let mut source = FakeRepository::default();
    source.commit(1, &[], vec![change("A", ChangeStatus::Added)], vec![facts(&[], &[], None)]);
    source.commit(2, &[1], vec![change("B", renamed("A"))], Vec::new());
    source.commit(3, &[2], vec![change("C", renamed("B"))], Vec::new());
    source.commit(4, &[3], vec![change("C", ChangeStatus::Deleted), change("A", ChangeStatus::Added)], Vec::new());
    let fixture = Fixture::new();
    let view = fixture.view(&source, None);
    let history = view.history("C", &|_| true).unwrap();
    // The new file at A is another one.
    assert_eq!(history.iter().map(|entry| entry.path.as_str()).collect::<Vec<_>>(), ["C", "C", "B", "A"]);
    let chain = "MATCH (c:File {path: 'C'})-[:WAS_RENAMED_FROM*]->(old) RETURN collect(old.path) AS l";
    assert_eq!(super::fixture::rows(&view, chain), serde_json::json!([{ "l": ["B", "A"] }]));
}

#[test]
fn an_unknown_path_is_an_error_with_a_suggestion() {
    let (fixture, source) = (Fixture::new(), small());
    let view = fixture.view(&source, None);
    let error = view.impact("tools/coer.ts", &|_| true).unwrap_err();
    assert!(
        matches!(&error, GraphError::UnknownPath { suggestion: Some(path), .. } if path == "tools/core.ts"),
        "{error}"
    );
    assert_eq!(error.code(), ErrorCode::NotFound);
    // A path of later commits is unknown as well.
    let hash = id(1).to_string();
    assert!(fixture.view(&source, Some(&hash)).history("side.md", &|_| true).is_err());
}
