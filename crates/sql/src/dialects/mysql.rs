//! MySQL and MariaDB.

use super::{
    Backslash, BlockComments, Brackets, DialectRules, Digits, Folding, Forbidden, HashSign, LexerSettings,
    Placeholders, Sequences, SessionViews, Show, Signs, TableModifiers, Verification,
};
use sqlparser::dialect::MySqlDialect;
use tgp_base::table_name::DefaultSchema;

const DEFAULT: LexerSettings = LexerSettings { backslash: Backslash::InBoth, brackets: Brackets::Illegal };
/// With `sql_mode` ANSI_QUOTES.
const ANSI: LexerSettings = LexerSettings { backslash: Backslash::InText, ..DEFAULT };
/// With `sql_mode` NO_BACKSLASH_ESCAPES.
const PLAIN: LexerSettings = LexerSettings { backslash: Backslash::Plain, ..DEFAULT };
/// With MariaDB's `sql_mode` MSSQL, and each of the above.
const MSSQL: LexerSettings = LexerSettings { brackets: Brackets::Name, ..DEFAULT };
const MSSQL_ANSI: LexerSettings = LexerSettings { brackets: Brackets::Name, ..ANSI };
const MSSQL_PLAIN: LexerSettings = LexerSettings { brackets: Brackets::Name, ..PLAIN };

pub static RULES: DialectRules = DialectRules {
    name: "MySQL",
    lexer: DEFAULT,
    other_lexers: &[ANSI, PLAIN, MSSQL, MSSQL_ANSI, MSSQL_PLAIN],
    dashes_need_space: true,
    line_ends: b"\n",
    block_comments: BlockComments::Executable,
    hash_sign: HashSign::Comment,
    symbols: b"^",
    refused_characters: b"{}\\",
    text_prefixes: &[],
    unicode_escapes: false,
    signs: Signs::SessionVariables,
    digits: Digits::Name,
    max_name_bytes: None,
    placeholders: Placeholders::Marks,
    slices_arrays: false,
    grammar: &MySqlDialect {},
    name_quote: '`',
    table_modifiers: TableModifiers::AfterVerb(&["LOW_PRIORITY", "HIGH_PRIORITY", "DELAYED", "QUICK", "IGNORE"]),
    sequences: Sequences::ByName,
    attributes_call: false,
    strings_name_tables: false,
    virtual_tables: false,
    default_schema: DefaultSchema::Unnamed,
    folding: Folding::None,
    case_is_setting: true,
    verification: Verification::Catalogue,
    has_plans: false,
    has_untransactional_tables: true,
    commits_schema_changes: true,
    drops_temporary_tables: false,
    // Without warnings and errors, which may belong to a previous statement of another run.
    show: Show::Objects {
        shown: &[
            "TABLES",
            "COLUMNS",
            "FIELDS",
            "INDEX",
            "INDEXES",
            "KEYS",
            "CREATE",
            "TABLE",
            "DATABASES",
            "SCHEMAS",
            "COLLATION",
            "CHARACTER",
        ],
        created: &["TABLE", "VIEW", "SEQUENCE", "DATABASE", "SCHEMA"],
    },
    pragmas: None,
    file_targets: &["OUTFILE", "DUMPFILE"],
    server_schemas: &["MYSQL", "PERFORMANCE_SCHEMA"],
    session_views: Some(SessionViews {
        schema: "SYS",
        views: &["SESSION", "PROCESSLIST", "STATEMENT", "INNODB_LOCK", "X$"],
    }),
    catalogues: None,
    forbidden: Forbidden {
        functions: &[
            "LOAD_FILE SYS_EXEC SYS_EVAL SYS_GET SYS_SET GET_LOCK RELEASE_LOCK RELEASE_ALL_LOCKS MASTER_POS_WAIT \
             SOURCE_POS_WAIT MASTER_GTID_WAIT WAIT_FOR_EXECUTED_GTID_SET SERVICE_GET_READ_LOCKS \
             SERVICE_GET_WRITE_LOCKS SERVICE_RELEASE_LOCKS",
        ],
        families: &[],
        called_functions: &[],
        called_families: &["KEYRING_ VERSION_TOKENS_ AUDIT_LOG_ ASYNCHRONOUS_CONNECTION_ GROUP_REPLICATION_"],
        names: &[],
        name_families: &[],
        views: &["USER_ATTRIBUTES USER_VARIABLES EVENTS PROCESSLIST INNODB_TRX"],
        exposing: &["COLUMN_STATISTICS PROCESSLIST PERFORMANCE_SCHEMA INNODB_FT_ INNODB_TRX INNODB_BUFFER_PAGE \
             EVENTS_STATEMENTS SLOW_LOG GENERAL_LOG"],
    },
};
