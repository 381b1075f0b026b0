//! Which tables a statement names, by a full parser. What it cannot parse has no answer.

use super::dialect::Dialect;
use super::sql_error::SqlError;
use super::token::refused;
use sqlparser::ast::{Ident, ObjectName, ObjectType, Query, SetExpr, Statement, Visit, Visitor};
use sqlparser::dialect::{Dialect as Grammar, GenericDialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect};
use sqlparser::parser::Parser;
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

/// Longer statements are not parsed: their trees could be too deep to be freed.
const MOST_PARSED_BYTES: usize = 10_000;

/// The names of all tables and views in a statement, with their schemas where they are written.
pub fn relations(sql: &str, dialect: Dialect) -> Result<BTreeSet<String>, SqlError> {
    let grammar: &dyn Grammar = match dialect {
        Dialect::Sqlite => &SQLiteDialect {},
        Dialect::Postgres => &PostgreSqlDialect {},
        Dialect::Mysql => &MySqlDialect {},
        Dialect::Any => &GenericDialect {},
    };
    if sql.len() > MOST_PARSED_BYTES {
        return Err(untold());
    }
    let statements = Parser::parse_sql(grammar, sql).map_err(|_| untold())?;
    let mut finder = Finder::default();
    let _ended: ControlFlow<()> = statements.visit(&mut finder);
    if finder.bare_table { Err(untold()) } else { Ok(finder.found) }
}

pub fn untold() -> SqlError {
    refused(
        "the tables of this statement cannot be found out, and only some tables are allowed",
        "Write it in plainer SQL.",
    )
}

/// Collects relations, and knows which names are common table expressions at each place.
#[derive(Default)]
struct Finder {
    found: BTreeSet<String>,
    scopes: Vec<Scope>,
    /// For the query of each expression: which names of its `WITH` it does not see, because they are not defined yet.
    unseen: HashMap<usize, BTreeSet<String>>,
    /// Whether `TABLE name` stands for a query somewhere, which the parser does not show as a relation.
    bare_table: bool,
}

/// One query under way.
struct Scope {
    expressions: BTreeSet<String>,
    /// Names that this query does not see in the scope around it.
    unseen: BTreeSet<String>,
}

fn folded(name: &Ident) -> String {
    if name.quote_style.is_none() { name.value.to_lowercase() } else { name.value.clone() }
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
    fn add(&mut self, name: &ObjectName) {
        let parts: Vec<String> = name
            .0
            .iter()
            .map(|part| part.as_ident().map_or_else(|| part.to_string(), |ident| ident.value.clone()))
            .collect();
        self.found.insert(parts.join("."));
    }

    fn is_expression(&self, name: &ObjectName) -> bool {
        let [part] = name.0.as_slice() else { return false };
        let Some(name) = part.as_ident().map(folded) else { return false };
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

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        if !self.is_expression(relation) {
            self.add(relation);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.bare_table |= has_bare_table(&query.body);
        let mut expressions = BTreeSet::new();
        if let Some(with) = &query.with {
            expressions.extend(with.cte_tables.iter().map(|table| folded(&table.alias.name)));
            let mut later = expressions.clone();
            for table in with.cte_tables.iter().filter(|_| !with.recursive) {
                self.unseen.insert(address(&table.query), later.clone());
                later.remove(&folded(&table.alias.name));
            }
        }
        let unseen = self.unseen.remove(&address(query)).unwrap_or_default();
        self.scopes.push(Scope { expressions, unseen });
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.scopes.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
        if let Statement::Drop { object_type: ObjectType::Table | ObjectType::View, names, .. } = statement {
            names.iter().for_each(|name| self.add(name));
        }
        ControlFlow::Continue(())
    }
}
