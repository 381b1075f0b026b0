//! The conditions of one rule. All must hold; one condition holds if any of its entries matches.

use super::arg_matcher::ArgMatcher;
use super::fit::Fit;
use super::path_set::PathSet;
use super::principal_pattern::PrincipalPattern;
use crate::call_facts::CallFacts;
use crate::host_name::HostPattern;
use std::cell::OnceCell;
use tgp_base::mode::Mode;
use tgp_base::sql_detail::SqlDetail;
use tgp_base::sql_verb::SqlVerbs;
use tgp_base::table_name::TableName;

#[derive(Debug, Clone, Default)]
pub(crate) struct Matchers {
    /// Numbers of globs in the policy's set.
    pub paths: Option<Vec<usize>>,
    pub hosts: Option<Vec<HostPattern>>,
    pub methods: Option<Vec<&'static str>>,
    pub verbs: Option<SqlVerbs>,
    pub tables: Option<Vec<TableName>>,
    /// Hashes of texts to run.
    pub text: Option<Vec<String>>,
    pub args: Vec<ArgMatcher>,
    pub principal: Option<Vec<PrincipalPattern>>,
    pub modes: Option<Vec<Mode>>,
}

/// The kind of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    Paths,
    Hosts,
    Methods,
    Verbs,
    Tables,
    Text,
    Args,
    Principal,
    Modes,
}

impl Condition {
    pub const ALL: [Self; 9] = [
        Self::Modes,
        Self::Principal,
        Self::Verbs,
        Self::Methods,
        Self::Hosts,
        Self::Tables,
        Self::Text,
        Self::Paths,
        Self::Args,
    ];
}

/// A call being judged, with its cached glob matches.
pub(crate) struct IndexedCall<'c> {
    pub call: &'c CallFacts,
    globs: &'c PathSet,
    matched: OnceCell<Vec<Vec<usize>>>,
}

impl<'c> IndexedCall<'c> {
    pub fn new(call: &'c CallFacts, globs: &'c PathSet) -> Self {
        Self { call, globs, matched: OnceCell::new() }
    }

    /// For each path of the call, the globs that match it. Computed once.
    pub fn matched_globs(&self, paths: &[String]) -> &[Vec<usize>] {
        self.matched.get_or_init(|| paths.iter().map(|path| self.globs.matches(path)).collect())
    }

    fn path_fit(&self, ids: &[usize], paths: &[String]) -> Fit {
        let matched = self.matched_globs(paths);
        let fits = |found: &Vec<usize>| Fit::covers_if(ids.iter().any(|id| found.binary_search(id).is_ok()));
        Fit::of_all(matched.iter().map(fits))
    }
}

impl Matchers {
    pub fn fit(&self, judged: &IndexedCall<'_>) -> Fit {
        let mut least = Fit::Covers;
        for part in Condition::ALL {
            least = least.min(self.fit_of(part, judged));
            if least == Fit::No {
                break;
            }
        }
        least
    }

    /// The conditions that do not cover the call.
    pub fn uncovered(&self, judged: &IndexedCall<'_>) -> Vec<Condition> {
        Condition::ALL.into_iter().filter(|part| self.fit_of(*part, judged) != Fit::Covers).collect()
    }

    /// The details of SQL statements that these conditions depend on.
    pub fn sql_detail(&self) -> SqlDetail {
        match (&self.tables, &self.verbs, self.args.is_empty()) {
            (Some(_), ..) => SqlDetail::Tables,
            // The text of a statement may be one of the arguments.
            (None, Some(_), _) | (None, None, false) => SqlDetail::Verbs,
            (None, None, true) => SqlDetail::Nothing,
        }
    }

    pub fn has(&self, part: Condition) -> bool {
        match part {
            Condition::Paths => self.paths.is_some(),
            Condition::Hosts => self.hosts.is_some(),
            Condition::Methods => self.methods.is_some(),
            Condition::Verbs => self.verbs.is_some(),
            Condition::Tables => self.tables.is_some(),
            Condition::Text => self.text.is_some(),
            Condition::Args => !self.args.is_empty(),
            Condition::Principal => self.principal.is_some(),
            Condition::Modes => self.modes.is_some(),
        }
    }

    /// The fit of one condition; an absent condition always covers.
    fn fit_of(&self, part: Condition, judged: &IndexedCall<'_>) -> Fit {
        let call = judged.call;
        match part {
            Condition::Modes => when(&self.modes, |modes| Fit::covers_if(modes.contains(&call.mode))),
            Condition::Principal => when(&self.principal, |patterns| {
                let could = || patterns.iter().any(|pattern| pattern.could_match(call));
                match Fit::covers_if(patterns.iter().any(|pattern| pattern.matches(call))) {
                    Fit::No if could() => Fit::Touches,
                    fit @ (Fit::No | Fit::Touches | Fit::Covers) => fit,
                }
            }),
            Condition::Verbs => {
                when(&self.verbs, |verbs| Fit::of_fact(call.verbs_fact(), |known| verb_fit(*verbs, *known)))
            }
            Condition::Methods => when(&self.methods, |methods| {
                Fit::of_fact(call.method_fact(), |method| {
                    Fit::covers_if(methods.iter().any(|known| known.eq_ignore_ascii_case(method)))
                })
            }),
            Condition::Hosts => when(&self.hosts, |hosts| {
                Fit::of_fact(call.host_fact(), |host| Fit::covers_if(hosts.iter().any(|pattern| pattern.matches(host))))
            }),
            Condition::Tables => when(&self.tables, |names| {
                Fit::of_fact(call.tables_fact(), |tables| {
                    let fit = Fit::of_all(tables.iter().map(|table| table_fit(names, table)));
                    let mentions = || call.mentioned.iter().any(|table| names.iter().any(|name| name.could_be(table)));
                    if fit == Fit::No && mentions() { Fit::Touches } else { fit }
                })
            }),
            Condition::Text => {
                when(&self.text, |hashes| Fit::of_fact(call.text_fact(), |text| Fit::covers_if(hashes.contains(text))))
            }
            Condition::Paths => when(&self.paths, |ids| {
                Fit::of_fact(call.paths_fact(), |paths: &Vec<String>| judged.path_fit(ids, paths))
            }),
            Condition::Args => self.args.iter().map(|matcher| matcher.fit(&call.args)).min().unwrap_or(Fit::Covers),
        }
    }
}

fn when<T>(condition: &Option<T>, fit: impl FnOnce(&T) -> Fit) -> Fit {
    condition.as_ref().map_or(Fit::Covers, fit)
}

fn verb_fit(rule: SqlVerbs, call: SqlVerbs) -> Fit {
    if call.is_empty() {
        Fit::No
    } else if rule.holds(call) {
        Fit::Covers
    } else if rule.meets(call.with_implied()) {
        Fit::Touches
    } else {
        Fit::No
    }
}

fn table_fit(rule: &[TableName], table: &TableName) -> Fit {
    if rule.iter().any(|name| name.is(table)) {
        Fit::Covers
    } else if rule.iter().any(|name| name.could_be(table)) {
        Fit::Touches
    } else {
        Fit::No
    }
}
