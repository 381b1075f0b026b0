//! The tables of a statement, found by a full parser. An error if the statement cannot be parsed.

use super::metered_parse::parse_within_budget;
use super::plain_text::plain_text;
use super::sequences::sequences;
use super::table_names::part_of_name;
use super::token::Tokens;
use super::value_lists::without_plain_values;
use crate::dialects::{Dialect, TableModifiers};
use crate::sql_error::{SqlError, refused};
use sqlparser::ast::{
    FromTable, Ident, ObjectName, ObjectType, Query, SetExpr, Statement, TableFactor, TableObject, TableWithJoins,
    Visit, Visitor,
};
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

/// Longer statements are not parsed: their trees could be too deep to drop.
const MAX_PARSED_BYTES: usize = 10_000;

/// The names of all tables and views in a statement after case folding, with their schemas if given.
pub fn relations(tokens: &Tokens<'_>) -> Result<BTreeSet<String>, SqlError> {
    if hides_tables(tokens) {
        return Err(unknown_tables());
    }
    // Nothing that a second tokeniser could read differently: no comments, strings or escapes.
    let plain = without_modifiers(tokens);
    let text = plain_text(&plain, MAX_PARSED_BYTES)
        .or_else(|| plain_text(&without_plain_values(&plain), MAX_PARSED_BYTES))
        .ok_or_else(too_long)?;
    let statements = parse_within_budget(tokens.dialect().grammar(), &text).ok_or_else(unknown_tables)?;
    let mut found = named_targets(tokens);
    found.append(&mut sequences(tokens).ok_or_else(unknown_tables)?);
    let mut finder = Finder::new(found, tokens.dialect());
    let _ended: ControlFlow<()> = statements.visit(&mut finder);
    if finder.unknown { Err(unknown_tables()) } else { Ok(finder.found) }
}

/// The statement without table modifiers such as `ONLY` and `IGNORE`, which the parser would read as a name.
fn without_modifiers<'a>(tokens: &Tokens<'a>) -> Tokens<'a> {
    let mut modifies = false;
    tokens.filtered(|index| {
        let word = tokens.word(index);
        modifies = match tokens.rules().table_modifiers {
            TableModifiers::Only => {
                let sign = [b',', b'('].iter().any(|sign| tokens.is_symbol_before(index, *sign));
                let keyword = matches!(
                    tokens.word_before(index),
                    "FROM" | "JOIN" | "UPDATE" | "INTO" | "USING" | "TABLE" | "TRUNCATE"
                );
                word == "ONLY" && (sign || keyword)
            }
            TableModifiers::AfterVerb(words) => {
                let verb = matches!(tokens.word_before(index), "UPDATE" | "DELETE" | "INSERT" | "REPLACE");
                (verb || modifies) && words.contains(&word)
            }
            TableModifiers::None => false,
        };
        !modifies
    })
}

/// Unquoted words that are not a table name in any dialect. If the parser reports one as a name, it misread the statement.
const NOT_NAMES: [&str; 16] = [
    "ONLY",
    "LATERAL",
    "IGNORE",
    "LOW_PRIORITY",
    "HIGH_PRIORITY",
    "DELAYED",
    "SELECT",
    "VALUES",
    "TABLE",
    "FROM",
    "WHERE",
    "SET",
    "AS",
    "USING",
    "ON",
    "JOIN",
];

/// Whether a definition refers to another table in a clause that the parser does not expose.
fn hides_tables(tokens: &Tokens<'_>) -> bool {
    let hidden = |index: usize| match tokens.word(index) {
        "INHERITS" | "INHERIT" | "OF" | "ATTACH" | "OWNED" | "EXECUTE" | "SERVER" => true,
        "LIKE" => tokens.is_symbol_before(index, b'(') || tokens.is_symbol_before(index, b','),
        _ => false,
    };
    matches!(tokens.word(0), "CREATE" | "ALTER") && (0..tokens.len()).any(hidden)
}

/// Names after keywords that are always followed by a table name, even if a common table expression has the same name.
fn named_targets(tokens: &Tokens<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for index in 0..tokens.len() {
        if !matches!(tokens.word(index), "INTO" | "REFERENCES" | "TABLE" | "TRUNCATE") {
            continue;
        }
        let skipped = |at: &usize| matches!(tokens.word(*at), "IF" | "NOT" | "EXISTS" | "ONLY" | "TABLE" | "UNLOGGED");
        let mut at = (index + 1..tokens.len()).find(|at| !skipped(at)).unwrap_or(tokens.len());
        let mut name = String::new();
        while let Some(part) = tokens.get(at).and_then(|token| part_of_name(tokens, token)) {
            name.push_str(&part);
            if !tokens.is_symbol(at + 1, b'.') {
                break;
            }
            name.push('.');
            at += 2;
        }
        if !name.is_empty() {
            found.insert(name);
        }
    }
    found
}

pub fn unknown_tables() -> SqlError {
    refused(
        "the tables of this statement cannot be determined, and only some tables are allowed",
        "Write it in simpler SQL.",
    )
}

fn too_long() -> SqlError {
    refused(
        "the statement is too long to determine its tables, and only some tables are allowed",
        "Split it into several statements. The number of VALUES rows is not limited if they contain only parameters and literals.",
    )
}

/// A visitor that collects relations, without references to common table expressions.
struct Finder {
    dialect: Dialect,
    found: BTreeSet<String>,
    scopes: Vec<Scope>,
    /// For the query of each common table expression: the names of its `WITH` that are defined later, and so not visible.
    unseen: HashMap<usize, BTreeSet<String>>,
    /// Whether there is an unsupported kind of statement, or `TABLE name` as a query.
    unknown: bool,
}

/// The scope of one query.
struct Scope {
    expressions: BTreeSet<String>,
    /// Names of the enclosing scope that are not visible in this query.
    unseen: BTreeSet<String>,
}

/// The name of a common table expression. If case sensitivity is a server setting, only an exact match is the same name.
fn expression_name(name: &Ident, dialect: Dialect) -> String {
    match dialect.case_is_setting() {
        true => name.value.clone(),
        false => dialect.folding().fold(&name.value, name.quote_style.is_some()),
    }
}

fn has_bare_table(body: &SetExpr) -> bool {
    let mut open = vec![body];
    while let Some(body) = open.pop() {
        match body {
            SetExpr::Table(_) => return true,
            SetExpr::SetOperation { left, right, .. } => open.extend([&**left, &**right]),
            SetExpr::Select(_)
            | SetExpr::Query(_)
            | SetExpr::Values(_)
            | SetExpr::Insert(_)
            | SetExpr::Update(_)
            | SetExpr::Delete(_)
            | SetExpr::Merge(_) => {}
        }
    }
    false
}

fn address(query: &Query) -> usize {
    std::ptr::from_ref(query).addr()
}

impl Finder {
    fn new(found: BTreeSet<String>, dialect: Dialect) -> Self {
        Self { dialect, found, scopes: Vec::new(), unseen: HashMap::new(), unknown: false }
    }

    fn add(&mut self, name: &ObjectName) {
        let mut parts = Vec::with_capacity(name.0.len());
        for part in &name.0 {
            let Some(Ident { value, quote_style, .. }) = part.as_ident() else {
                self.unknown = true;
                return;
            };
            let is_quoted = quote_style.is_some();
            self.unknown |= !is_quoted && NOT_NAMES.iter().any(|word| word.eq_ignore_ascii_case(value));
            // The table `"a.b"` would be confused with `b` in the schema `a`.
            self.unknown |= value.contains('.');
            parts.push(self.dialect.folding().fold(value, is_quoted));
        }
        self.found.insert(parts.join("."));
    }

    fn add_target(&mut self, table: &TableWithJoins) {
        self.add_factor(&table.relation);
    }

    fn add_factor(&mut self, factor: &TableFactor) {
        if let TableFactor::Table { name, .. } = factor {
            self.add(name);
        } else {
            self.unknown = true;
        }
    }

    fn is_expression(&self, name: &ObjectName) -> bool {
        let [part] = name.0.as_slice() else { return false };
        let Some(name) = part.as_ident().map(|name| expression_name(name, self.dialect)) else { return false };
        let mut hidden = false;
        for scope in self.scopes.iter().rev() {
            if !hidden && scope.expressions.contains(&name) {
                return true;
            }
            hidden = scope.unseen.contains(&name);
        }
        false
    }
}

impl Visitor for Finder {
    type Break = ();

    // Called from hundreds of places in the visitor of the parser.
    #[inline(never)]
    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        if !self.is_expression(relation) {
            self.add(relation);
        }
        ControlFlow::Continue(())
    }

    #[inline(never)]
    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.unknown |= has_bare_table(&query.body);
        let mut expressions = BTreeSet::new();
        if let Some(with) = &query.with {
            expressions.extend(with.cte_tables.iter().map(|table| expression_name(&table.alias.name, self.dialect)));
            let mut later = expressions.clone();
            for table in with.cte_tables.iter().filter(|_| !with.recursive) {
                self.unseen.insert(address(&table.query), later.clone());
                later.remove(&expression_name(&table.alias.name, self.dialect));
            }
        }
        let unseen = self.unseen.remove(&address(query)).unwrap_or_default();
        self.scopes.push(Scope { expressions, unseen });
        ControlFlow::Continue(())
    }

    #[inline(never)]
    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.scopes.pop();
        ControlFlow::Continue(())
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "an unknown statement is refused")]
    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
        // A target is a table, even if a common table expression has the same name.
        match statement {
            Statement::Insert(insert) => match &insert.table {
                TableObject::TableName(name) => self.add(name),
                TableObject::TableFunction(_) | TableObject::TableQuery(_) => self.unknown = true,
            },
            Statement::Update(update) => self.add_target(&update.table),
            Statement::Delete(delete) => {
                delete.tables.iter().for_each(|name| self.add(name));
                let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
                from.iter().for_each(|table| self.add_target(table));
            }
            Statement::Merge(merge) => self.add_factor(&merge.table),
            Statement::Drop { object_type: ObjectType::Table | ObjectType::View, names, .. } => {
                names.iter().for_each(|name| self.add(name));
            }
            Statement::ExplainTable { table_name, .. } => self.add(table_name),
            Statement::Query(_)
            | Statement::Explain { .. }
            | Statement::CreateTable(_)
            | Statement::CreateView(_)
            | Statement::CreateIndex(_)
            | Statement::AlterTable(_)
            | Statement::Truncate(_) => {}
            // An unknown statement is refused.
            _ => self.unknown = true,
        }
        ControlFlow::Continue(())
    }
}
