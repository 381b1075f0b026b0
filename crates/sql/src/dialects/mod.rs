//! SQL dialects: one file with the facts of each. Other code reads facts and never compares dialects, so that a new dialect does
//! not get the behaviour of another one silently.

mod any;
mod dialect_rules;
mod mysql;
mod postgres;
mod sqlite;

pub use dialect_rules::{
    Backslash, BlockComments, Brackets, Catalogues, DialectRules, Digits, Folding, Forbidden, HashSign, LexerSettings,
    Placeholders, Pragmas, Sequences, SessionViews, Show, Signs, TableModifiers, TextPrefix, Verification,
};
use serde::{Deserialize, Serialize};
use std::iter::once;

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

/// Every dialect before [`Dialect::Any`].
pub static KNOWN: [&DialectRules; Dialect::Any as usize] = [&sqlite::RULES, &postgres::RULES, &mysql::RULES];

impl Dialect {
    /// The facts of a known dialect.
    pub fn known(self) -> Option<&'static DialectRules> {
        match self {
            Self::Sqlite => Some(&sqlite::RULES),
            Self::Postgres => Some(&postgres::RULES),
            Self::Mysql => Some(&mysql::RULES),
            Self::Any => None,
        }
    }

    /// The PRAGMA statements for a text that is read as one of the dialect `rules`. In an unknown database they are those of a
    /// dialect that has them.
    pub fn pragmas(self, rules: &'static DialectRules) -> Option<&'static Pragmas> {
        let any = || self.dialects().find_map(|rules| rules.pragmas.as_ref());
        rules.pragmas.as_ref().or_else(any)
    }

    /// The lexer configurations under which this text is checked; the first is the default one. Settings that differ from the
    /// default only in backslashes or brackets are omitted when the text has none.
    pub fn lexer_configs(self, sql: &str) -> impl Iterator<Item = LexerConfig> + use<> {
        let backslash = sql.contains('\\');
        let bracket = sql.contains('[');
        self.dialects().flat_map(move |rules| {
            let others = rules.other_lexers.iter().copied().filter(move |other| {
                (backslash || other.backslash == rules.lexer.backslash)
                    && (bracket || other.brackets == rules.lexer.brackets)
            });
            once(rules.lexer).chain(others).map(move |settings| LexerConfig { dialect: self, rules, settings })
        })
    }
}

/// One lexer configuration. Server settings change the meaning of backslashes, double quotes and brackets, so a statement is
/// accepted only if no configuration of its dialect under which it is valid refuses it.
#[derive(Debug, Clone, Copy)]
pub struct LexerConfig {
    /// The dialect of the database, which may be unknown.
    pub dialect: Dialect,
    /// The facts of the dialect in which the text is read.
    pub rules: &'static DialectRules,
    pub settings: LexerSettings,
}

#[cfg(test)]
mod tests {
    use super::{KNOWN, Show};

    #[test]
    fn names_are_compared_in_upper_case_and_one_by_one() {
        for rules in KNOWN {
            let (shown, created): (&[&str], &[&str]) = match rules.show {
                Show::Objects { shown, created } => (shown, created),
                Show::Unsupported | Show::Settings => (&[], &[]),
            };
            let views = rules.session_views.as_ref().map_or(&[][..], |own| own.views);
            let schemas = rules.catalogues.as_ref().map_or(&[][..], |own| own.schemas);
            let pragmas = rules.pragmas.as_ref();
            let pragmas = pragmas.map_or_else(Vec::new, |own| {
                assert!(own.of_a_table.iter().chain(own.harmless).all(|name| own.reading.contains(name)));
                [own.reading, own.bare].concat()
            });
            let names = [shown, created, views, schemas, rules.file_targets, rules.server_schemas, &pragmas].concat();
            assert!(names.iter().all(|name| !name.contains(char::is_whitespace)), "{names:?}");
            let own = &rules.forbidden;
            let calls = [own.functions, own.families, own.called_functions, own.called_families].concat();
            let others = [own.names, own.name_families, own.views, own.exposing].concat();
            for name in [names, calls, others].concat() {
                assert_eq!(name, name.to_uppercase());
            }
        }
    }
}
