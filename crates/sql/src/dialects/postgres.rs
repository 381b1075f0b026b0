//! PostgreSQL.

use super::{
    Backslash, BlockComments, Brackets, Catalogues, DialectRules, Digits, Folding, Forbidden, HashSign, LexerSettings,
    Placeholders, Sequences, Show, Signs, TableModifiers, TextPrefix, Verification,
};
use sqlparser::dialect::PostgreSqlDialect;
use tgp_base::table_name::DefaultSchema;

pub static RULES: DialectRules = DialectRules {
    name: "PostgreSQL",
    lexer: LexerSettings { backslash: Backslash::Plain, brackets: Brackets::Symbol },
    other_lexers: &[],
    dashes_need_space: false,
    line_ends: b"\n\r",
    block_comments: BlockComments::Nested,
    hash_sign: HashSign::Symbol,
    symbols: b"^`]",
    refused_characters: b"",
    text_prefixes: &[
        ("E", TextPrefix::Escape),
        ("B", TextPrefix::Plain),
        ("X", TextPrefix::Plain),
        ("N", TextPrefix::Plain),
    ],
    unicode_escapes: true,
    signs: Signs::DollarQuotes,
    digits: Digits::Ambiguous,
    max_name_bytes: Some(63),
    placeholders: Placeholders::Numbered,
    slices_arrays: true,
    grammar: &PostgreSqlDialect {},
    name_quote: '"',
    table_modifiers: TableModifiers::Only,
    sequences: Sequences::ByText,
    attributes_call: true,
    strings_name_tables: false,
    virtual_tables: false,
    default_schema: DefaultSchema::Schema("public"),
    folding: Folding::Unquoted,
    case_is_setting: false,
    verification: Verification::Catalogue,
    has_plans: true,
    has_untransactional_tables: false,
    commits_schema_changes: false,
    drops_temporary_tables: true,
    show: Show::Settings,
    pragmas: None,
    file_targets: &[],
    server_schemas: &[],
    session_views: None,
    catalogues: Some(Catalogues { schemas: &["PG_CATALOG", "INFORMATION_SCHEMA"], prefix: "PG_" }),
    forbidden: Forbidden {
        functions: &[
            // Settings, sessions, locks that outlive the transaction
            "SET_CONFIG SETSEED PG_TERMINATE_BACKEND PG_CANCEL_BACKEND PG_RELOAD_CONF PG_ROTATE_LOGFILE \
             PG_ADVISORY_LOCK PG_ADVISORY_LOCK_SHARED PG_TRY_ADVISORY_LOCK PG_TRY_ADVISORY_LOCK_SHARED \
             PG_ADVISORY_UNLOCK PG_ADVISORY_UNLOCK_SHARED PG_ADVISORY_UNLOCK_ALL PG_SWITCH_WAL PG_PROMOTE \
             PG_EXPORT_SNAPSHOT PG_START_BACKUP PG_STOP_BACKUP PG_NOTIFY PG_PREWARM PG_IMPORT_SYSTEM_COLLATIONS \
             PG_EXTENSION_CONFIG_DUMP PG_TRUNCATE_VISIBILITY_MAP BRIN_SUMMARIZE_NEW_VALUES BRIN_SUMMARIZE_RANGE \
             BRIN_DESUMMARIZE_RANGE GIN_CLEAN_PENDING_LIST",
            // The value of a sequence is not rolled back.
            "SETVAL",
            // Execution of text as SQL, now or later, and raw pages of tables
            "TS_STAT TS_REWRITE XPATH_TABLE CONNECTBY SCHEDULE_IN_DATABASE UNSCHEDULE QUERY_EXPORT_TO_S3 \
             TABLE_IMPORT_FROM_S3 GET_RAW_PAGE HEAP_PAGE_ITEMS HEAP_PAGE_ITEM_ATTRS TUPLE_DATA_SPLIT BT_PAGE_ITEMS \
             PG_DIRTYREAD",
            // Code of functions
            "PG_GET_FUNCTIONDEF PG_GET_FUNCTION_SQLBODY",
        ],
        families: &[
            "PG_STAT_FILE PG_STAT_RESET PG_STAT_STATEMENTS_RESET PG_READ_ PG_LS_ PG_FILE_ PG_LOGICAL_ PG_REPLICATION_ \
             PG_DROP_REPLICATION PG_BACKUP_ PG_CREATE_ PG_COPY_ PG_WAL_REPLAY_ PG_BACKGROUND_ PG_LOG_ PG_RESTORE_ \
             PG_CLEAR_ PG_SYNC_ PG_SHOW_ALL_ LO_ DBLINK QUERY_TO_XML CURSOR_TO_XML TABLE_TO_XML SCHEMA_TO_XML \
             DATABASE_TO_XML POSTGRES_FDW_",
        ],
        called_functions: &["HTTP SCHEDULE"],
        called_families: &["HTTP_ CROSSTAB"],
        names: &[
            "PG_AUTHID PG_SHADOW PG_USER_MAPPING PG_USER_MAPPINGS PG_SUBSCRIPTION PG_HBA_FILE_RULES \
             PG_IDENT_FILE_MAPPINGS PG_FILE_SETTINGS PG_FOREIGN_SERVER PG_FOREIGN_TABLE PG_FOREIGN_DATA_WRAPPER \
             PG_DB_ROLE_SETTING PG_STAT_WAL_RECEIVER PG_STAT_GET_WAL_RECEIVER",
            // Settings, which may hold secrets.
            "PG_SETTINGS PG_ROLES PG_USER",
            // Columns with role settings or code.
            "ROLCONFIG USECONFIG PROSRC PROSQLBODY",
        ],
        name_families: &[
            "PG_STAT_ACTIVITY PG_STAT_GET_ACTIVITY PG_STAT_GET_BACKEND PG_STAT_STATEMENTS PG_STAT_MONITOR PG_TEMP",
        ],
        views: &["USER_MAPPING FOREIGN_SERVER FOREIGN_DATA_WRAPPER FOREIGN_TABLE _PG_ ROUTINES"],
        exposing: &[
            "PG_STATS PG_STATISTIC PG_STAT_ACTIVITY PG_STAT_STATEMENTS PG_STAT_MONITOR PG_STAT_GET_ PG_STAT_ALL_ \
             PG_STAT_USER_ PG_STAT_SYS_ PG_STAT_XACT_ PG_STATIO_ PG_GET_ PG_RELATION_ PG_TABLE_SIZE PG_INDEXES_SIZE \
             PG_TOTAL_RELATION_SIZE PG_PARTITION_ PG_SEQUENCE PG_VIEWS PG_MATVIEWS PG_RULES CURRTID REGCLASS \
             TO_REGCLASS PG_TOAST PG_LARGEOBJECT PG_CURSOR PG_PREPARED_STATEMENT",
        ],
    },
};
