//! Names of forbidden functions, catalogues and settings. Those of one dialect are refused in all.

use crate::dialects::{Forbidden, KNOWN};
use std::collections::HashSet;
use std::sync::LazyLock;

static FUNCTIONS: LazyLock<HashSet<&str>> = LazyLock::new(|| names(|forbidden| forbidden.functions));
static FAMILIES: LazyLock<Vec<&str>> = LazyLock::new(|| names(|forbidden| forbidden.families));
static CALLED_FUNCTIONS: LazyLock<HashSet<&str>> = LazyLock::new(|| names(|forbidden| forbidden.called_functions));
static CALLED_FAMILIES: LazyLock<Vec<&str>> = LazyLock::new(|| names(|forbidden| forbidden.called_families));
static NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| names(|forbidden| forbidden.names));
static NAME_FAMILIES: LazyLock<Vec<&str>> = LazyLock::new(|| names(|forbidden| forbidden.name_families));
static VIEWS: LazyLock<Vec<&str>> = LazyLock::new(|| names(|forbidden| forbidden.views));
static EXPOSING: LazyLock<Vec<&str>> = LazyLock::new(|| names(|forbidden| forbidden.exposing));

/// The names of all dialects.
fn names<T: FromIterator<&'static str>>(groups: fn(&Forbidden) -> &'static [&'static str]) -> T {
    KNOWN.iter().flat_map(|rules| groups(&rules.forbidden)).flat_map(|group| group.split_whitespace()).collect()
}

pub fn in_families(name: &str, families: &[&str]) -> bool {
    families.iter().any(|family| name.starts_with(family))
}

/// Whether a call of this function is forbidden. Names are in upper case.
pub fn is_forbidden_function(name: &str) -> bool {
    is_function_by_any_name(name) || CALLED_FUNCTIONS.contains(name) || in_families(name, &CALLED_FAMILIES)
}

/// Whether a name is such a function even without a call.
pub fn is_function_by_any_name(name: &str) -> bool {
    FUNCTIONS.contains(name) || in_families(name, &FAMILIES)
}

/// Whether a view of `information_schema` is forbidden.
pub fn is_forbidden_view(name: &str) -> bool {
    in_families(name, &VIEWS)
}

/// Whether a setting of PostgreSQL may contain a secret: settings of applications and extensions, which have a dot in their
/// name, shell commands, and connections to other servers.
pub fn is_forbidden_setting(name: &str) -> bool {
    matches!(name, "ALL" | "PRIMARY_CONNINFO") || name.ends_with("_COMMAND") || name.contains('.')
}

pub fn is_forbidden_name(name: &str) -> bool {
    NAMES.contains(name) || in_families(name, &NAME_FAMILIES)
}

/// Whether a name is a catalogue or function that exposes tables which the statement does not name.
pub fn exposes_other_tables(name: &str) -> bool {
    in_families(name, &EXPOSING)
}
