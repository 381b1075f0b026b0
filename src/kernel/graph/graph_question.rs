//! Questions to the graph, and their answers.

use super::picture::PictureFormat;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tgp_base::error::{Error, ErrorCode};
use tgp_graph::{HistoryEntry, Impact};

/// A question, as the arguments of `query_graph`. Either `query` or `ask` is given.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(deny_unknown_fields)]
pub struct GraphQuestion {
    /// Cypher.
    pub query: Option<String>,
    #[cfg_attr(test, ts(optional, type = "Record<string, unknown>"))]
    pub params: Option<Map<String, Value>>,
    pub ask: Option<Ask>,
    pub path: Option<String>,
    pub format: Option<PictureFormat>,
    /// A full or short hash.
    pub commit: Option<String>,
    /// Another repository that was ingested.
    pub root: Option<String>,
}

/// A question that needs no Cypher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Ask {
    Impact,
    History,
    Picture,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(untagged)]
pub enum GraphAnswer {
    Rows {
        #[cfg_attr(test, ts(type = "Record<string, unknown>[]"))]
        results: Vec<Value>,
    },
    Impact(Impact),
    History {
        history: Vec<HistoryEntry>,
    },
    Picture {
        picture: String,
        /// Files that it does not show.
        more: usize,
    },
}

/// What a question asks for.
pub enum Asked<'q> {
    Query(&'q str),
    Impact(&'q str),
    History(&'q str),
    Picture(PictureFormat, Option<&'q str>),
}

impl GraphQuestion {
    /// # Errors
    /// `Validation` if it asks for nothing, or for two things.
    pub fn asked(&self) -> Result<Asked<'_>, Error> {
        let invalid = |field: &str, text: &str| Err(Error::new(ErrorCode::Validation, text).with("field", field));
        let path = self.path.as_deref();
        match (self.query.as_deref(), self.ask) {
            (Some(_), Some(_)) => invalid("query", "\"query\" and \"ask\" exclude each other. Pass one of them."),
            (Some(query), None) => Ok(Asked::Query(query)),
            (None, Some(Ask::Picture)) => Ok(Asked::Picture(self.format.unwrap_or_default(), path)),
            (None, Some(ask)) => match path {
                Some(path) if ask == Ask::Impact => Ok(Asked::Impact(path)),
                Some(path) => Ok(Asked::History(path)),
                None => invalid("path", "\"path\" is missing: the file to ask about."),
            },
            (None, None) => invalid(
                "query",
                "\"query\" is missing. Pass Cypher, or \"ask\": \"impact\" or \"history\" with a \"path\".",
            ),
        }
    }

    /// Whether the answer depends on the newest events of the ledger. Patterns without labels match sessions and runs too.
    pub fn needs_activity(&self) -> bool {
        self.query.is_some() || self.ask == Some(Ask::Impact)
    }
}

#[cfg(test)]
mod tests {
    use super::{Asked, GraphQuestion};
    use serde_json::{Value, from_value, json};

    fn question(args: Value) -> GraphQuestion {
        from_value(args).unwrap()
    }

    #[test]
    fn a_question_asks_for_one_thing() {
        assert!(matches!(question(json!({ "query": "RETURN 1" })).asked(), Ok(Asked::Query("RETURN 1"))));
        assert!(matches!(question(json!({ "ask": "impact", "path": "a" })).asked(), Ok(Asked::Impact("a"))));
        assert!(matches!(question(json!({ "ask": "history", "path": "a" })).asked(), Ok(Asked::History("a"))));
        assert!(matches!(question(json!({ "ask": "picture" })).asked(), Ok(Asked::Picture(_, None))));
        for (args, field) in [
            (json!({}), "query"),
            (json!({ "ask": "impact" }), "path"),
            (json!({ "ask": "history", "query": null }), "path"),
            (json!({ "ask": "picture", "query": "RETURN 1" }), "query"),
        ] {
            let error = question(args).asked().err().unwrap();
            assert_eq!(error.details["field"], field);
        }
        assert!(from_value::<GraphQuestion>(json!({ "query": "RETURN 1", "depth": 3 })).is_err());
    }
}
