//! Names of tables, with or without their schema.

use serde::{Deserialize, Serialize};

/// The default schemas when the database is not known.
const DEFAULT_SCHEMAS: [&str; 2] = ["main", "public"];

/// The schema in which a database looks up unqualified names: `users` is also `public.users`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum DefaultSchema {
    /// The database is not known.
    #[default]
    Unknown,
    /// The schema has this name.
    Schema(&'static str),
    /// The schema has no fixed name.
    Unnamed,
}

/// The name of a table, from a policy rule or from a statement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct TableName {
    name: String,
    default_schema: DefaultSchema,
    /// The result of [`fold_case`].
    folded: String,
}

impl From<String> for TableName {
    fn from(name: String) -> Self {
        Self::in_database(&name, DefaultSchema::Unknown)
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
        Self::in_database(name, DefaultSchema::Unknown)
    }

    /// A name in a database with a known default schema.
    #[must_use]
    pub fn in_database(name: &str, default_schema: DefaultSchema) -> Self {
        Self { name: name.to_owned(), default_schema, folded: fold_case(name) }
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// Whether `self`, from a rule, certainly names the table `found` of a statement. `Orders` matches `orders`, but
    /// `orders` does not match `"Orders"`.
    #[must_use]
    pub fn is(&self, found: &Self) -> bool {
        let (rule, table) = (found.default_schema.strip(&self.name), found.default_schema.strip(&found.name));
        rule == table || rule.to_ascii_lowercase() == table
    }

    /// Whether both may be the same table. A name without a schema may be in any schema.
    #[must_use]
    pub fn could_be(&self, other: &Self) -> bool {
        ends_by_parts(&self.folded, &other.folded) || ends_by_parts(&other.folded, &self.folded)
    }
}

impl DefaultSchema {
    fn strip(self, name: &str) -> &str {
        let is_home = |schema: &str| match self {
            Self::Unknown => DEFAULT_SCHEMAS.iter().any(|home| home.eq_ignore_ascii_case(schema)),
            Self::Schema(home) => home.eq_ignore_ascii_case(schema),
            Self::Unnamed => false,
        };
        name.split_once('.').filter(|(schema, _)| is_home(schema)).map_or(name, |(_, table)| table)
    }
}

/// Maps names that any database treats as equal to one text: MySQL may treat `İ` as `i`, which is `i̇` elsewhere.
#[must_use]
pub fn fold_case(name: &str) -> String {
    let lower = name.to_lowercase();
    if lower.is_ascii() { lower } else { lower.replace('\u{307}', "") }
}

fn ends_by_parts(long: &str, short: &str) -> bool {
    long.strip_suffix(short).is_some_and(|head| head.is_empty() || head.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::{DefaultSchema, TableName};

    #[test]
    fn certain_and_possible_matches_of_tables() {
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
    fn only_the_default_schema_may_be_omitted() {
        for (found, home, is) in [
            ("main.t", DefaultSchema::Schema("main"), true),
            ("main.t", DefaultSchema::Schema("public"), false),
            ("public.t", DefaultSchema::Schema("public"), true),
            ("public.t", DefaultSchema::Unnamed, false),
            ("t", DefaultSchema::Unnamed, true),
        ] {
            assert_eq!(TableName::new("t").is(&TableName::in_database(found, home)), is, "{found} {home:?}");
        }
        assert!(!TableName::new("main.t").is(&TableName::in_database("t", DefaultSchema::Schema("public"))));
    }
}
