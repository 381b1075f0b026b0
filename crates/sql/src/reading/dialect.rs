//! The dialects, and every way in which a server of a dialect may read the same text.

use serde::{Deserialize, Serialize};
use tgp_base::table_name::DefaultSchema;

/// Whose SQL it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    Sqlite,
    Postgres,
    Mysql,
    /// Not known: a statement must be harmless in all of them.
    Any,
}

/// One way of reading text. Settings of a server change what a backslash, a double quote or a bracket means, so a
/// statement is accepted only when every reading of its dialect accepts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    pub lexis: Lexis,
    /// Whether a backslash escapes in `'…'`.
    pub backslash: Backslash,
    pub brackets: Brackets,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lexis {
    Sqlite,
    Postgres,
    Mysql,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backslash {
    Plain,
    /// In `'…'` only: `"…"` is an identifier.
    InText,
    /// In `'…'` and in `"…"`.
    InBoth,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Brackets {
    /// `[…]` is a name.
    Name,
    /// `[` is a token of its own.
    Symbol,
    /// No statement can have one.
    Illegal,
}

const SQLITE: Reading = Reading { lexis: Lexis::Sqlite, backslash: Backslash::Plain, brackets: Brackets::Name };
const POSTGRES: Reading = Reading { lexis: Lexis::Postgres, backslash: Backslash::Plain, brackets: Brackets::Symbol };
const MYSQL: Reading = Reading { lexis: Lexis::Mysql, backslash: Backslash::InBoth, brackets: Brackets::Illegal };
/// With `sql_mode` ANSI_QUOTES.
const MYSQL_ANSI: Reading = Reading { backslash: Backslash::InText, ..MYSQL };
/// With `sql_mode` NO_BACKSLASH_ESCAPES.
const MYSQL_PLAIN: Reading = Reading { backslash: Backslash::Plain, ..MYSQL };
/// With MariaDB's `sql_mode` MSSQL, and each of the above.
const MSSQL: Reading = Reading { brackets: Brackets::Name, ..MYSQL };
const MSSQL_ANSI: Reading = Reading { brackets: Brackets::Name, ..MYSQL_ANSI };
const MSSQL_PLAIN: Reading = Reading { brackets: Brackets::Name, ..MYSQL_PLAIN };

const ALL: &[Reading] = &[SQLITE, POSTGRES, MYSQL, MYSQL_ANSI, MYSQL_PLAIN, MSSQL, MSSQL_ANSI, MSSQL_PLAIN];

impl Dialect {
    /// Where a bare name is looked up.
    #[must_use]
    pub const fn default_schema(self) -> DefaultSchema {
        match self {
            Self::Sqlite => DefaultSchema::Schema("main"),
            Self::Postgres => DefaultSchema::Schema("public"),
            Self::Mysql | Self::Any => DefaultSchema::Unnamed,
        }
    }

    /// Every reading of this text that must accept it; the first is the usual one. Readings that differ only in what a
    /// backslash or a bracket means are left out when the text has none.
    pub fn readings(self, sql: &str) -> impl Iterator<Item = Reading> + use<> {
        let backslash = sql.contains('\\');
        let bracket = sql.contains('[');
        ALL.iter().copied().filter(move |reading| {
            let own = match self {
                Self::Sqlite => reading.lexis == Lexis::Sqlite,
                Self::Postgres => reading.lexis == Lexis::Postgres,
                Self::Mysql => reading.lexis == Lexis::Mysql,
                Self::Any => true,
            };
            let mysql = reading.lexis == Lexis::Mysql;
            own && (!mysql
                || ((backslash || reading.backslash == Backslash::InBoth)
                    && (bracket || reading.brackets == Brackets::Illegal)))
        })
    }
}
