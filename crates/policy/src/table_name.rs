//! Names of tables, with or without their schema.

use serde::{Deserialize, Serialize};

/// Schemas in which a bare name is looked up, so that `users` is also `public.users`.
const DEFAULT_SCHEMAS: [&str; 2] = ["main.", "public."];

/// The name of a table in lower case: databases differ in whether letters do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String")]
pub struct TableName(String);

impl From<String> for TableName {
    fn from(name: String) -> Self {
        Self::new(&name)
    }
}

impl TableName {
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self(name.to_lowercase())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether both are the same table for certain.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.without_default() == other.without_default()
    }

    /// Whether both could be the same table: where one has a schema and the other has none, nobody here knows.
    pub(super) fn could_be(&self, other: &Self) -> bool {
        ends_by_parts(&self.0, &other.0) || ends_by_parts(&other.0, &self.0)
    }

    fn without_default(&self) -> &str {
        DEFAULT_SCHEMAS.into_iter().find_map(|schema| self.0.strip_prefix(schema)).unwrap_or(&self.0)
    }
}

fn ends_by_parts(long: &str, short: &str) -> bool {
    long.strip_suffix(short).is_some_and(|head| head.is_empty() || head.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::TableName;

    #[test]
    fn the_same_table_for_certain_is_told_from_perhaps() {
        for (one, other, is, could_be) in [
            ("orders", "Orders", true, true),
            ("orders", "public.orders", true, true),
            ("orders", "main.orders", true, true),
            ("orders", "sales.orders", false, true),
            ("sales.orders", "orders", false, true),
            ("sales.orders", "shop.sales.orders", false, true),
            ("sales.orders", "other.orders", false, false),
            ("orders", "reorders", false, false),
            ("orders", "customers", false, false),
        ] {
            let (one, other) = (TableName::new(one), TableName::new(other));
            assert_eq!((one.is(&other), one.could_be(&other)), (is, could_be), "{one:?} {other:?}");
            assert_eq!((other.is(&one), other.could_be(&one)), (is, could_be), "{other:?} {one:?}");
        }
    }
}
