//! SQLite's own authorizer, asked about every action while a statement is prepared: the second wall, behind the one that
//! reads text. It sees through views, triggers and whatever a tokeniser may have missed.

use super::outside::pragma_reads;
use super::policy::SqlPolicy;
use super::session::SessionControl;
use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use std::sync::Arc;

/// Actions on the schema's own tables come with every change of the schema.
const SCHEMA_TABLES: [&str; 6] =
    ["sqlite_master", "sqlite_schema", "sqlite_temp_master", "sqlite_temp_schema", "sqlite_sequence", "sqlite_stat1"];

pub fn guard(connection: &mut Connection, control: Arc<SessionControl>) -> rusqlite::Result<()> {
    connection.authorizer(Some(move |context: AuthContext<'_>| {
        if control.is_own() || control.with_policy(|policy| allowed(&context.action, policy)) {
            Authorization::Allow
        } else {
            Authorization::Deny
        }
    }))
}

fn allowed(action: &AuthAction<'_>, policy: &SqlPolicy) -> bool {
    let table = |name: &str| SCHEMA_TABLES.contains(&name) || policy.allows_table(name);
    match action {
        AuthAction::Select | AuthAction::Recursive => true,
        AuthAction::Read { table_name, .. } => table_name.is_empty() || table(table_name),
        AuthAction::Function { function_name } => !matches!(
            function_name.to_lowercase().as_str(),
            "load_extension" | "fts3_tokenizer" | "readfile" | "writefile" | "edit"
        ),
        AuthAction::Pragma { pragma_name, pragma_value } => pragma_reads(pragma_name, *pragma_value),
        AuthAction::Delete { table_name }
        | AuthAction::Insert { table_name }
        | AuthAction::Update { table_name, .. }
        | AuthAction::CreateIndex { table_name, .. }
        | AuthAction::CreateTempIndex { table_name, .. }
        | AuthAction::CreateTable { table_name }
        | AuthAction::CreateTempTable { table_name }
        | AuthAction::DropTable { table_name }
        | AuthAction::DropTempTable { table_name }
        | AuthAction::DropIndex { table_name, .. }
        | AuthAction::DropTempIndex { table_name, .. }
        | AuthAction::AlterTable { table_name, .. }
        | AuthAction::CreateView { view_name: table_name }
        | AuthAction::CreateTempView { view_name: table_name }
        | AuthAction::DropView { view_name: table_name }
        | AuthAction::DropTempView { view_name: table_name } => !policy.read_only && table(table_name),
        AuthAction::Reindex { .. } | AuthAction::Analyze { .. } => !policy.read_only,
        AuthAction::DropTrigger { table_name, .. } | AuthAction::DropTempTrigger { table_name, .. } => {
            // Dropping a table drops its triggers.
            !policy.read_only && table(table_name)
        }
        AuthAction::Transaction { .. }
        | AuthAction::Savepoint { .. }
        | AuthAction::Attach { .. }
        | AuthAction::Detach { .. }
        | AuthAction::CreateTrigger { .. }
        | AuthAction::CreateTempTrigger { .. }
        | AuthAction::CreateVtable { .. }
        | AuthAction::DropVtable { .. }
        | AuthAction::Unknown { .. } => false,
        // The library may learn of actions that this list does not know.
        _ => false,
    }
}
