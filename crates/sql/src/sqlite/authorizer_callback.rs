//! Installs SQLite's authorizer callback, which uses the [`Authorizer`](super::authorizer::Authorizer) of the session.

use super::session_control::SessionControl;
use rusqlite::Connection;
use rusqlite::hooks::{AuthContext, Authorization};
use std::collections::HashSet;
use std::sync::Arc;

pub fn install_authorizer(connection: &mut Connection, control: Arc<SessionControl>) -> rusqlite::Result<()> {
    connection.authorizer(Some(move |context: AuthContext<'_>| {
        let allowed = control.with_authorizer(|authorizer| authorizer.permits(&context));
        if allowed { Authorization::Allow } else { Authorization::Deny }
    }))
}

/// The shadow tables of virtual tables. The query also loads the schema and its statistics, so that this does not happen
/// while a tool's statement is prepared.
pub fn shadow_tables(connection: &Connection) -> rusqlite::Result<HashSet<String>> {
    let mut statement = connection.prepare_cached("SELECT name FROM pragma_table_list WHERE type = 'shadow'")?;
    let names = statement.query_map([], |row| row.get(0))?;
    names.collect()
}
