//! The verbs of SQL keywords.

use tgp_base::sql_verb::SqlVerb;

/// The verb for the first word of a statement.
pub fn leading(word: &str) -> Option<SqlVerb> {
    Some(match word {
        "SELECT" | "VALUES" | "TABLE" | "WITH" | "EXPLAIN" => SqlVerb::Select,
        "INSERT" => SqlVerb::Insert,
        "UPDATE" => SqlVerb::Update,
        "DELETE" => SqlVerb::Delete,
        "REPLACE" => SqlVerb::Replace,
        "MERGE" => SqlVerb::Merge,
        "TRUNCATE" => SqlVerb::Truncate,
        "CREATE" => SqlVerb::Create,
        "ALTER" => SqlVerb::Alter,
        "DROP" => SqlVerb::Drop,
        "SHOW" | "DESCRIBE" | "DESC" | "PRAGMA" => SqlVerb::Show,
        "ANALYZE" | "REINDEX" | "REFRESH" | "COMMENT" => SqlVerb::Maintain,
        _ => return None,
    })
}

/// The verb for a later word of a statement: a common table expression may write.
pub fn inner(word: &str) -> Option<SqlVerb> {
    match word {
        "INSERT" | "UPDATE" | "DELETE" | "REPLACE" | "MERGE" | "TRUNCATE" | "SELECT" => leading(word),
        // It reads, and errors can quote values that are read.
        "RETURNING" => Some(SqlVerb::Select),
        _ => None,
    }
}
