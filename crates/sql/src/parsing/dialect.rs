//! SQL dialects, and the lexer configurations of a dialect that depend on server settings.

use serde::{Deserialize, Serialize};
use tgp_base::table_name::DefaultSchema;

/// The SQL dialect of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    Sqlite,
    Postgres,
    Mysql,
    /// Unknown: a statement must be harmless in every dialect in which it is valid.
    Any,
}

/// One lexer configuration. Server settings change the meaning of backslashes, double quotes and brackets, so a statement is
/// accepted only if no configuration of its dialect under which it is valid refuses it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LexerConfig {
    pub syntax: SqlSyntax,
    /// Whether a backslash escapes in `'…'`.
    pub backslash: Backslash,
    pub brackets: Brackets,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqlSyntax {
    Sqlite,
    Postgres,
    Mysql,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backslash {
    /// Not an escape.
    Plain,
    /// Escapes in `'…'` only: `"…"` is an identifier.
    InText,
    /// Escapes in `'…'` and in `"…"`.
    InBoth,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Brackets {
    /// `[…]` is a name.
    Name,
    /// `[` is a token of its own.
    Symbol,
    /// Not valid.
    Illegal,
}

const SQLITE: LexerConfig =
    LexerConfig { syntax: SqlSyntax::Sqlite, backslash: Backslash::Plain, brackets: Brackets::Name };
const POSTGRES: LexerConfig =
    LexerConfig { syntax: SqlSyntax::Postgres, backslash: Backslash::Plain, brackets: Brackets::Symbol };
const MYSQL: LexerConfig =
    LexerConfig { syntax: SqlSyntax::Mysql, backslash: Backslash::InBoth, brackets: Brackets::Illegal };
/// With `sql_mode` ANSI_QUOTES.
const MYSQL_ANSI: LexerConfig = LexerConfig { backslash: Backslash::InText, ..MYSQL };
/// With `sql_mode` NO_BACKSLASH_ESCAPES.
const MYSQL_PLAIN: LexerConfig = LexerConfig { backslash: Backslash::Plain, ..MYSQL };
/// With MariaDB's `sql_mode` MSSQL, and each of the above.
const MSSQL: LexerConfig = LexerConfig { brackets: Brackets::Name, ..MYSQL };
const MSSQL_ANSI: LexerConfig = LexerConfig { brackets: Brackets::Name, ..MYSQL_ANSI };
const MSSQL_PLAIN: LexerConfig = LexerConfig { brackets: Brackets::Name, ..MYSQL_PLAIN };

const ALL: &[LexerConfig] = &[SQLITE, POSTGRES, MYSQL, MYSQL_ANSI, MYSQL_PLAIN, MSSQL, MSSQL_ANSI, MSSQL_PLAIN];

impl Dialect {
    /// The schema in which an unqualified name is looked up.
    #[must_use]
    pub const fn default_schema(self) -> DefaultSchema {
        match self {
            Self::Sqlite => DefaultSchema::Schema("main"),
            Self::Postgres => DefaultSchema::Schema("public"),
            Self::Mysql | Self::Any => DefaultSchema::Unnamed,
        }
    }

    /// The lexer configurations under which this text is checked; the first is the default one. Configurations that differ only in
    /// backslashes or brackets are omitted when the text has none.
    pub fn lexer_configs(self, sql: &str) -> impl Iterator<Item = LexerConfig> + use<> {
        let backslash = sql.contains('\\');
        let bracket = sql.contains('[');
        ALL.iter().copied().filter(move |config| {
            let own = match self {
                Self::Sqlite => config.syntax == SqlSyntax::Sqlite,
                Self::Postgres => config.syntax == SqlSyntax::Postgres,
                Self::Mysql => config.syntax == SqlSyntax::Mysql,
                Self::Any => true,
            };
            let mysql = config.syntax == SqlSyntax::Mysql;
            own && (!mysql
                || ((backslash || config.backslash == Backslash::InBoth)
                    && (bracket || config.brackets == Brackets::Illegal)))
        })
    }
}
