//! Names of forbidden functions, catalogues and settings.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Functions that access files, other servers, other sessions or settings, have effects that a rollback does not undo, or
/// execute text as SQL.
static FUNCTIONS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    HashSet::from([
        // SQLite and its shell
        "LOAD_EXTENSION",
        "READFILE",
        "WRITEFILE",
        "FTS3_TOKENIZER",
        "ZIPFILE",
        "FSDIR",
        "EDIT",
        "SQLITE_LOG",
        // Rewrites a full-text index, in the middle of a SELECT.
        "OPTIMIZE",
        // PostgreSQL: settings, sessions, locks that outlive the transaction
        "SET_CONFIG",
        "SETSEED",
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
        "PG_NOTIFY",
        "PG_PREWARM",
        "PG_IMPORT_SYSTEM_COLLATIONS",
        "PG_EXTENSION_CONFIG_DUMP",
        "PG_TRUNCATE_VISIBILITY_MAP",
        "BRIN_SUMMARIZE_NEW_VALUES",
        "BRIN_SUMMARIZE_RANGE",
        "BRIN_DESUMMARIZE_RANGE",
        "GIN_CLEAN_PENDING_LIST",
        // The value of a sequence is not rolled back.
        "SETVAL",
        // PostgreSQL: execution of text as SQL, now or later, and raw pages of tables
        "TS_STAT",
        "TS_REWRITE",
        "XPATH_TABLE",
        "CONNECTBY",
        "SCHEDULE",
        "SCHEDULE_IN_DATABASE",
        "UNSCHEDULE",
        "QUERY_EXPORT_TO_S3",
        "TABLE_IMPORT_FROM_S3",
        "GET_RAW_PAGE",
        "HEAP_PAGE_ITEMS",
        "HEAP_PAGE_ITEM_ATTRS",
        "TUPLE_DATA_SPLIT",
        "BT_PAGE_ITEMS",
        "PG_DIRTYREAD",
        // PostgreSQL: code of functions
        "PG_GET_FUNCTIONDEF",
        "PG_GET_FUNCTION_SQLBODY",
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
        "MASTER_GTID_WAIT",
        "WAIT_FOR_EXECUTED_GTID_SET",
        "SERVICE_GET_READ_LOCKS",
        "SERVICE_GET_WRITE_LOCKS",
        "SERVICE_RELEASE_LOCKS",
    ])
});

/// Prefixes of forbidden functions that are not used for column names.
const FAMILIES: &[&str] = &[
    "PG_STAT_FILE",
    "PG_STAT_RESET",
    "PG_STAT_STATEMENTS_RESET",
    "PG_READ_",
    "PG_LS_",
    "PG_FILE_",
    "PG_LOGICAL_",
    "PG_REPLICATION_",
    "PG_DROP_REPLICATION",
    "PG_BACKUP_",
    "PG_CREATE_",
    "PG_COPY_",
    "PG_WAL_REPLAY_",
    "PG_BACKGROUND_",
    "PG_LOG_",
    "PG_RESTORE_",
    "PG_CLEAR_",
    "PG_SYNC_",
    "PG_SHOW_ALL_",
    "LO_",
    "DBLINK",
    "QUERY_TO_XML",
    "CURSOR_TO_XML",
    "TABLE_TO_XML",
    "SCHEMA_TO_XML",
    "DATABASE_TO_XML",
    "POSTGRES_FDW_",
];

/// Prefixes of forbidden functions that may also be column names: refused only in calls.
const CALLED_FAMILIES: &[&str] = &[
    "HTTP_",
    "CROSSTAB",
    "KEYRING_",
    "VERSION_TOKENS_",
    "AUDIT_LOG_",
    "ASYNCHRONOUS_CONNECTION_",
    "GROUP_REPLICATION_",
];

/// Names that are refused anywhere: catalogues with host paths, passwords and similar data.
const NAMES: &[&str] = &[
    "PRAGMA_DATABASE_LIST",
    "PG_AUTHID",
    "PG_SHADOW",
    "PG_USER_MAPPING",
    "PG_USER_MAPPINGS",
    "PG_SUBSCRIPTION",
    "PG_HBA_FILE_RULES",
    "PG_IDENT_FILE_MAPPINGS",
    "PG_FILE_SETTINGS",
    "PG_FOREIGN_SERVER",
    "PG_FOREIGN_TABLE",
    "PG_FOREIGN_DATA_WRAPPER",
    "PG_DB_ROLE_SETTING",
    "PG_STAT_WAL_RECEIVER",
    "PG_STAT_GET_WAL_RECEIVER",
    // Settings, which may hold secrets.
    "PG_SETTINGS",
    "PG_ROLES",
    "PG_USER",
];

/// Columns with role settings or code.
const COLUMNS: &[&str] = &["ROLCONFIG", "USECONFIG", "PROSRC", "PROSQLBODY"];

/// Catalogues with statements of other sessions, including their values.
const SESSIONS: &[&str] =
    &["PG_STAT_ACTIVITY", "PG_STAT_GET_ACTIVITY", "PG_STAT_GET_BACKEND", "PG_STAT_STATEMENTS", "PG_STAT_MONITOR"];

/// The same in the schema `sys` of MySQL.
const SYS_VIEWS: &[&str] = &["SESSION", "PROCESSLIST", "STATEMENT", "INNODB_LOCK", "X$"];

/// Views of `information_schema` that show passwords, code, connections to other servers, rights, statements and variables of
/// other users.
const VIEWS: &[&str] = &[
    "USER_MAPPING",
    "FOREIGN_SERVER",
    "FOREIGN_DATA_WRAPPER",
    "FOREIGN_TABLE",
    "_PG_",
    "USER_ATTRIBUTES",
    "USER_VARIABLES",
    "ROUTINES",
    "EVENTS",
    "PROCESSLIST",
    "INNODB_TRX",
];

/// The schema of temporary tables, which hide permanent tables on a connection.
const TEMPORARY_SCHEMA: &str = "PG_TEMP";

/// Catalogues and functions that expose values, definitions or sizes of other tables, or statements of other sessions with such
/// values.
const EXPOSING: &[&str] = &[
    "SQLITE_STAT",
    "DBSTAT",
    "PG_STATS",
    "PG_STATISTIC",
    "PG_STAT_ACTIVITY",
    "PG_STAT_STATEMENTS",
    "PG_STAT_MONITOR",
    "PG_STAT_GET_",
    "PG_STAT_ALL_",
    "PG_STAT_USER_",
    "PG_STAT_SYS_",
    "PG_STAT_XACT_",
    "PG_STATIO_",
    "PG_GET_",
    "PG_RELATION_",
    "PG_TABLE_SIZE",
    "PG_INDEXES_SIZE",
    "PG_TOTAL_RELATION_SIZE",
    "PG_PARTITION_",
    "PG_SEQUENCE",
    "PG_VIEWS",
    "PG_MATVIEWS",
    "PG_RULES",
    "CURRTID",
    "REGCLASS",
    "TO_REGCLASS",
    "PG_TOAST",
    "PG_LARGEOBJECT",
    "PG_CURSOR",
    "PG_PREPARED_STATEMENT",
    "COLUMN_STATISTICS",
    "PROCESSLIST",
    "PERFORMANCE_SCHEMA",
    "INNODB_FT_",
    "INNODB_TRX",
    "INNODB_BUFFER_PAGE",
    "EVENTS_STATEMENTS",
    "SLOW_LOG",
    "GENERAL_LOG",
];

fn in_families(name: &str, families: &[&str]) -> bool {
    families.iter().any(|family| name.starts_with(family))
}

/// Whether a call of this function is forbidden. Names are in upper case.
pub fn is_forbidden_function(name: &str) -> bool {
    FUNCTIONS.contains(name) || in_families(name, FAMILIES) || in_families(name, CALLED_FAMILIES)
}

/// Whether a name is such a function even without a call.
pub fn is_function_by_any_name(name: &str) -> bool {
    in_families(name, FAMILIES) || (FUNCTIONS.contains(name) && !matches!(name, "HTTP" | "SCHEDULE" | "EDIT"))
}

/// Whether a view in the schema `sys` shows what other sessions do.
pub fn is_forbidden_in_sys(name: &str) -> bool {
    in_families(name, SYS_VIEWS)
}

/// Whether a schema of MySQL belongs to the server.
pub fn is_server_schema(name: &str) -> bool {
    matches!(name, "MYSQL" | "PERFORMANCE_SCHEMA")
}

/// Whether a view of `information_schema` is forbidden.
pub fn is_forbidden_view(name: &str) -> bool {
    in_families(name, VIEWS)
}

/// Whether a setting of PostgreSQL may contain a secret: settings of applications and extensions, which have a dot in their
/// name, shell commands, and connections to other servers.
pub fn is_forbidden_setting(name: &str) -> bool {
    matches!(name, "ALL" | "PRIMARY_CONNINFO") || name.ends_with("_COMMAND") || name.contains('.')
}

pub fn is_forbidden_name(name: &str) -> bool {
    let is_own = name.starts_with("PG_") || name.starts_with("PRAGMA_");
    (is_own && (NAMES.contains(&name) || in_families(name, SESSIONS) || name.starts_with(TEMPORARY_SCHEMA)))
        || COLUMNS.contains(&name)
}

/// Whether a name is a catalogue or function that exposes tables which the statement does not name.
pub fn exposes_other_tables(name: &str) -> bool {
    in_families(name, EXPOSING)
}
