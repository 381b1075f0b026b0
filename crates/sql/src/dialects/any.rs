//! Facts of a whole database. An unknown database has the stricter ones of all dialects; where they have no order, its own.

use super::{Dialect, DialectRules, Folding, KNOWN, Placeholders, Show, Verification};
use sqlparser::dialect::{Dialect as Grammar, GenericDialect};
use tgp_base::table_name::DefaultSchema;

impl Dialect {
    /// The dialects that the database may have.
    pub(super) fn dialects(self) -> impl Iterator<Item = &'static DialectRules> {
        let known = self.known();
        known.into_iter().chain(KNOWN.into_iter().filter(move |_| known.is_none()))
    }

    /// For facts that allow more, or that the catalogue is queried for.
    fn every(self, fact: impl Fn(&DialectRules) -> bool) -> bool {
        self.dialects().all(fact)
    }

    /// For facts that make a text ambiguous.
    fn some(self, fact: impl Fn(&DialectRules) -> bool) -> bool {
        self.dialects().any(fact)
    }

    /// The schema in which an unqualified name is looked up.
    pub fn default_schema(self) -> DefaultSchema {
        self.known().map_or(DefaultSchema::Unnamed, |rules| rules.default_schema)
    }

    pub fn grammar(self) -> &'static dyn Grammar {
        self.known().map_or(&GenericDialect {}, |rules| rules.grammar)
    }

    pub fn folding(self) -> Folding {
        self.known().map_or(Folding::Unquoted, |rules| rules.folding)
    }

    pub fn case_is_setting(self) -> bool {
        self.some(|rules| rules.case_is_setting)
    }

    pub fn placeholders(self) -> Placeholders {
        self.known().map_or(Placeholders::Unchanged, |rules| rules.placeholders)
    }

    pub fn slices_arrays(self) -> bool {
        self.some(|rules| rules.slices_arrays)
    }

    pub fn verification(self) -> Verification {
        self.known().map_or(Verification::Impossible, |rules| rules.verification)
    }

    pub fn has_plans(self) -> bool {
        self.every(|rules| rules.has_plans)
    }

    pub fn has_untransactional_tables(self) -> bool {
        self.every(|rules| rules.has_untransactional_tables)
    }

    pub fn drops_temporary_tables(self) -> bool {
        self.every(|rules| rules.drops_temporary_tables)
    }

    pub fn shows_settings(self) -> bool {
        self.every(|rules| matches!(rules.show, Show::Settings))
    }
}
