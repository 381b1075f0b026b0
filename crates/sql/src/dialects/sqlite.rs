//! SQLite.

use super::{
    Backslash, BlockComments, Brackets, DialectRules, Digits, Folding, Forbidden, HashSign, LexerSettings,
    Placeholders, Sequences, Show, Signs, TableModifiers, TextPrefix, Verification,
};
use sqlparser::dialect::SQLiteDialect;
use tgp_base::table_name::DefaultSchema;

pub static RULES: DialectRules = DialectRules {
    name: "SQLite",
    lexer: LexerSettings { backslash: Backslash::Plain, brackets: Brackets::Name },
    other_lexers: &[],
    dashes_need_space: false,
    line_ends: b"\n",
    block_comments: BlockComments::Flat,
    hash_sign: HashSign::Parameter,
    symbols: b"",
    refused_characters: b"",
    text_prefixes: &[("X", TextPrefix::Hex)],
    unicode_escapes: false,
    signs: Signs::Variables,
    digits: Digits::Illegal,
    max_name_bytes: None,
    placeholders: Placeholders::Marks,
    slices_arrays: false,
    grammar: &SQLiteDialect {},
    name_quote: '"',
    table_modifiers: TableModifiers::None,
    sequences: Sequences::None,
    attributes_call: false,
    strings_name_tables: true,
    virtual_tables: true,
    default_schema: DefaultSchema::Schema("main"),
    folding: Folding::All,
    case_is_setting: false,
    verification: Verification::Authorizer,
    has_plans: false,
    has_untransactional_tables: false,
    commits_schema_changes: false,
    drops_temporary_tables: false,
    show: Show::Unsupported,
    file_targets: &[],
    server_schemas: &[],
    session_views: None,
    catalogues: None,
    forbidden: Forbidden {
        functions: &[
            "LOAD_EXTENSION READFILE WRITEFILE FTS3_TOKENIZER ZIPFILE FSDIR SQLITE_LOG",
            // Rewrites a full-text index, in the middle of a SELECT.
            "OPTIMIZE",
        ],
        families: &[],
        called_functions: &["EDIT"],
        called_families: &[],
        names: &["PRAGMA_DATABASE_LIST"],
        name_families: &[],
        views: &[],
        exposing: &["SQLITE_STAT DBSTAT"],
    },
};
