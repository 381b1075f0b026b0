//! The dialects, and every way in which a server of a dialect may read the same text.

use serde::{Deserialize, Serialize};

/// Whose SQL it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    Sqlite,
    Postgres,
    Mysql,
    /// Not known: a statement must be harmless in all of them.
    Any,
}

/// One way of reading text. Settings of a server change what a backslash or a double quote means, so a statement is
/// accepted only when every reading of its dialect accepts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    pub lexis: Lexis,
    /// Whether a backslash escapes in `'…'`.
    pub backslash: Backslash,
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

const SQLITE: Reading = Reading { lexis: Lexis::Sqlite, backslash: Backslash::Plain };
const POSTGRES: Reading = Reading { lexis: Lexis::Postgres, backslash: Backslash::Plain };
const MYSQL: Reading = Reading { lexis: Lexis::Mysql, backslash: Backslash::InBoth };
/// With `sql_mode` ANSI_QUOTES.
const MYSQL_ANSI: Reading = Reading { lexis: Lexis::Mysql, backslash: Backslash::InText };
/// With `sql_mode` NO_BACKSLASH_ESCAPES.
const MYSQL_PLAIN: Reading = Reading { lexis: Lexis::Mysql, backslash: Backslash::Plain };

impl Dialect {
    /// Every reading that must accept a statement; the first is the usual one.
    #[must_use]
    pub const fn readings(self) -> &'static [Reading] {
        match self {
            Self::Sqlite => &[SQLITE],
            Self::Postgres => &[POSTGRES],
            Self::Mysql => &[MYSQL, MYSQL_ANSI, MYSQL_PLAIN],
            Self::Any => &[SQLITE, POSTGRES, MYSQL, MYSQL_ANSI, MYSQL_PLAIN],
        }
    }
}
