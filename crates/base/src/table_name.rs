//! Names of tables, with or without their schema.

use serde::{Deserialize, Serialize};

/// Schemas in which a bare name is looked up, where the database is not known.
const DEFAULT_SCHEMAS: [&str; 2] = ["main", "public"];

/// Where a database looks up a bare name, so that `users` is also `public.users`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Home {
    /// The database is not known.
    #[default]
    Unknown,
    /// In this schema.
    Schema(&'static str),
    /// In one that is named nowhere.
    Unnamed,
}

/// The name of a table: as a rule has it, or as its database looks it up.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct TableName {
    name: String,
    home: Home,
    /// The same text for all names that any database takes for this one.
    loose: String,
}

impl From<String> for TableName {
    fn from(name: String) -> Self {
        Self::found(&name, Home::Unknown)
    }
}

impl From<TableName> for String {
    fn from(table: TableName) -> Self {
        table.name
    }
}

impl TableName {
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self::found(name, Home::Unknown)
    }

    /// A table of a database that is known.
    #[must_use]
    pub fn found(name: &str, home: Home) -> Self {
        Self { name: name.to_owned(), home, loose: loose(name) }
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// Whether a rule that names `self` names the table that was found, for certain. Who writes `Orders` may mean `orders`,
    /// but who writes `orders` does not mean `"Orders"`.
    #[must_use]
    pub fn is(&self, found: &Self) -> bool {
        let (rule, table) = (found.home.strip(&self.name), found.home.strip(&found.name));
        rule == table || rule.to_ascii_lowercase() == table
    }

    /// Whether both could be the same table: where one has a schema and the other has none, that is not known here.
    #[must_use]
    pub fn could_be(&self, other: &Self) -> bool {
        ends_by_parts(&self.loose, &other.loose) || ends_by_parts(&other.loose, &self.loose)
    }
}

impl Home {
    fn strip(self, name: &str) -> &str {
        let is_home = |schema: &str| match self {
            Self::Unknown => DEFAULT_SCHEMAS.iter().any(|home| home.eq_ignore_ascii_case(schema)),
            Self::Schema(home) => home.eq_ignore_ascii_case(schema),
            Self::Unnamed => false,
        };
        name.split_once('.').filter(|(schema, _)| is_home(schema)).map_or(name, |(_, table)| table)
    }
}

/// The same text for all names that any database takes for one: MySQL may take `İ` for `i`, which is `i̇` elsewhere.
#[must_use]
pub fn loose(name: &str) -> String {
    let lower = name.to_lowercase();
    if lower.is_ascii() { lower } else { lower.replace('\u{307}', "") }
}

fn ends_by_parts(long: &str, short: &str) -> bool {
    long.strip_suffix(short).is_some_and(|head| head.is_empty() || head.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::{Home, TableName};

    #[test]
    fn the_same_table_for_certain_is_told_from_perhaps() {
        for (rule, found, is, could_be) in [
            ("Orders", "orders", true, true),
            ("orders", "Orders", false, true),
            ("orders", "public.orders", true, true),
            ("orders", "main.orders", true, true),
            ("main.orders", "orders", true, true),
            ("orders", "sales.orders", false, true),
            ("sales.orders", "orders", false, true),
            ("sales.orders", "shop.sales.orders", false, true),
            ("sales.orders", "other.orders", false, false),
            ("orders", "reorders", false, false),
            ("orders", "customers", false, false),
            ("items", "İtems", false, true),
        ] {
            let (rule, found) = (TableName::new(rule), TableName::new(found));
            assert_eq!((rule.is(&found), rule.could_be(&found)), (is, could_be), "{rule:?} {found:?}");
            assert_eq!(found.could_be(&rule), could_be, "{rule:?} {found:?}");
        }
    }

    #[test]
    fn a_schema_is_left_out_only_where_its_database_looks_there() {
        for (found, home, is) in [
            ("main.t", Home::Schema("main"), true),
            ("main.t", Home::Schema("public"), false),
            ("public.t", Home::Schema("public"), true),
            ("public.t", Home::Unnamed, false),
            ("t", Home::Unnamed, true),
        ] {
            assert_eq!(TableName::new("t").is(&TableName::found(found, home)), is, "{found} {home:?}");
        }
        assert!(!TableName::new("main.t").is(&TableName::found("t", Home::Schema("public"))));
    }
}
