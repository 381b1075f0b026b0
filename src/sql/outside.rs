//! What reaches out of the transaction or out of the database, beyond the verbs that are refused anyway.

use super::dialect::Lexis;
use super::sql_error::SqlError;
use super::token::{Kind, Token, refused};

/// Functions that touch files, other servers, other sessions, settings, or run text as SQL.
const FUNCTIONS: &[&str] = &[
    // SQLite and its shell
    "LOAD_EXTENSION",
    "READFILE",
    "WRITEFILE",
    "FTS3_TOKENIZER",
    "ZIPFILE",
    "FSDIR",
    "EDIT",
    // PostgreSQL: settings, sessions, locks that outlive the transaction
    "SET_CONFIG",
    "PG_STAT_FILE",
    "PG_TERMINATE_BACKEND",
    "PG_CANCEL_BACKEND",
    "PG_RELOAD_CONF",
    "PG_ROTATE_LOGFILE",
    "PG_ADVISORY_LOCK",
    "PG_ADVISORY_LOCK_SHARED",
    "PG_TRY_ADVISORY_LOCK",
    "PG_TRY_ADVISORY_LOCK_SHARED",
    "PG_ADVISORY_UNLOCK",
    "PG_ADVISORY_UNLOCK_SHARED",
    "PG_ADVISORY_UNLOCK_ALL",
    "PG_SWITCH_WAL",
    "PG_PROMOTE",
    "PG_EXPORT_SNAPSHOT",
    "PG_START_BACKUP",
    "PG_STOP_BACKUP",
    "PG_CREATE_RESTORE_POINT",
    "PG_NOTIFY",
    // PostgreSQL: text that is run as SQL
    "TS_STAT",
    "TS_REWRITE",
    "XPATH_TABLE",
    "CONNECTBY",
    "HTTP",
    // MySQL and MariaDB
    "LOAD_FILE",
    "SYS_EXEC",
    "SYS_EVAL",
    "SYS_GET",
    "SYS_SET",
    "GET_LOCK",
    "RELEASE_LOCK",
    "RELEASE_ALL_LOCKS",
    "MASTER_POS_WAIT",
    "SOURCE_POS_WAIT",
];

/// The same, for families of functions.
const FAMILIES: &[&str] = &[
    "PG_READ_",
    "PG_LS_",
    "PG_FILE_",
    "PG_LOGICAL_",
    "PG_REPLICATION_",
    "PG_DROP_REPLICATION",
    "PG_BACKUP_",
    "PG_CREATE_LOGICAL",
    "PG_CREATE_PHYSICAL",
    "PG_COPY_",
    "PG_WAL_REPLAY_",
    "PG_BACKGROUND_",
    "LO_",
    "DBLINK",
    "QUERY_TO_XML",
    "CURSOR_TO_XML",
    "TABLE_TO_XML",
    "SCHEMA_TO_XML",
    "DATABASE_TO_XML",
    "CROSSTAB",
    "POSTGRES_FDW_",
    "HTTP_",
];

/// Names that are refused wherever they stand: a table-valued function needs no parentheses.
const NAMES: &[&str] = &["PRAGMA_DATABASE_LIST"];

/// PRAGMAs that only read, and that take an argument in parentheses at most.
const PRAGMAS: &[&str] = &[
    "TABLE_INFO",
    "TABLE_XINFO",
    "TABLE_LIST",
    "INDEX_LIST",
    "INDEX_INFO",
    "INDEX_XINFO",
    "FOREIGN_KEY_LIST",
    "FOREIGN_KEY_CHECK",
    "INTEGRITY_CHECK",
    "QUICK_CHECK",
];

/// PRAGMAs that read when nothing follows them.
const BARE_PRAGMAS: &[&str] = &[
    "COMPILE_OPTIONS",
    "USER_VERSION",
    "SCHEMA_VERSION",
    "ENCODING",
    "PAGE_COUNT",
    "PAGE_SIZE",
    "FREELIST_COUNT",
    "COLLATION_LIST",
    "FUNCTION_LIST",
    "MODULE_LIST",
    "PRAGMA_LIST",
    "FOREIGN_KEYS",
    "JOURNAL_MODE",
    "APPLICATION_ID",
];

const OUTSIDE: &str = "A tool may use its own database only.";

/// Refuses calls and names that reach outside.
pub fn check_reach(tokens: &[Token], lexis: Lexis) -> Result<(), SqlError> {
    for (index, token) in tokens.iter().enumerate() {
        let name = match &token.kind {
            Kind::Word(name) => name.clone(),
            Kind::Quoted(name) => name.to_uppercase(),
            Kind::Literal | Kind::EscapeString | Kind::Placeholder(_) | Kind::Symbol(_) => continue,
        };
        let name = name.as_str();
        let called = matches!(tokens.get(index + 1), Some(Token { kind: Kind::Symbol('('), .. }));
        let family = FAMILIES.iter().any(|family| name.starts_with(family));
        if NAMES.contains(&name) || (called && (FUNCTIONS.contains(&name) || family)) {
            return Err(refused(format!("{}() is not for tools", name.to_lowercase()), OUTSIDE));
        }
        let into =
            index > 0 && matches!(tokens.get(index - 1), Some(Token { kind: Kind::Word(word), .. }) if word == "INTO");
        if lexis == Lexis::Mysql && into && matches!(name, "OUTFILE" | "DUMPFILE") {
            return Err(refused("SELECT … INTO OUTFILE writes a file of the server", OUTSIDE));
        }
    }
    Ok(())
}

/// Refuses every PRAGMA that could change something or tell a path of the host.
pub fn check_pragma(tokens: &[Token]) -> Result<(), SqlError> {
    let rest: Vec<&Token> = tokens.iter().skip(1).collect();
    let name_at = if matches!(rest.get(1), Some(Token { kind: Kind::Symbol('.'), .. })) { 2 } else { 0 };
    let name = match rest.get(name_at).map(|token| &token.kind) {
        Some(Kind::Word(name)) => name.as_str(),
        _ => "",
    };
    let reads = match rest.get(name_at + 1).map(|token| &token.kind) {
        None => pragma_reads(name, None),
        Some(Kind::Symbol('(')) => pragma_reads(name, Some("")),
        Some(_) => false,
    };
    if reads {
        return Ok(());
    }
    Err(refused(
        format!("PRAGMA {} is not for tools", name.to_lowercase()),
        "Only pragmas that describe tables and indexes are accepted, such as PRAGMA table_info(name).",
    ))
}

/// Whether a PRAGMA with this argument only reads.
pub fn pragma_reads(name: &str, argument: Option<&str>) -> bool {
    let name = name.to_uppercase();
    PRAGMAS.contains(&name.as_str()) || (argument.is_none() && BARE_PRAGMAS.contains(&name.as_str()))
}
