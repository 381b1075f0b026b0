//! Sets SQLite's authorizer, which goes by the [`Watch`](super::watch::Watch) of its session.

use super::session_control::SessionControl;
use rusqlite::Connection;
use rusqlite::hooks::{AuthContext, Authorization};
use std::collections::HashSet;
use std::sync::Arc;

pub fn guard(connection: &mut Connection, control: Arc<SessionControl>) -> rusqlite::Result<()> {
    connection.authorizer(Some(move |context: AuthContext<'_>| {
        let allowed = control.with_watch(|watch| watch.permits(&context));
        if allowed { Authorization::Allow } else { Authorization::Deny }
    }))
}

/// The tables in which virtual tables keep their content. Asking reads the schema, statistics included, so that nothing
/// of that is left to do while a tool's statement is prepared.
pub fn shadows(connection: &Connection) -> rusqlite::Result<HashSet<String>> {
    let mut statement = connection.prepare_cached("SELECT name FROM pragma_table_list WHERE type = 'shadow'")?;
    let names = statement.query_map([], |row| row.get(0))?;
    names.collect()
}
