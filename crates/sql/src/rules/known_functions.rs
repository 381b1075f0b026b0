//! What a statement may call in a database that is not known and so cannot be asked. Only what every database has itself passes.

use crate::reading::dialect::{Dialect, Reading};
use crate::reading::relations::relations;
use crate::reading::table_names::part_of_name;
use crate::reading::token::{Kind, Tokens};
use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;
use tgp_base::sql_detail::SqlDetail;

/// Words that no function can have for its name, at least in the databases whose owners may define functions.
const RESERVED: &str = "
    all and any array as between case cast check default distinct else except exists from group having in
    intersect into lateral limit not offset on only or order primary references returning row select some table
    then to union unique using values when where window with
    bigint bit boolean char character dec decimal float int integer nchar numeric real smallint time timestamp
    varchar
";

/// Words that stand before a parenthesis without calling anything, unless an expression begins with them.
const BEHIND_OPERAND: &str = "
    by conflict cross escape filter glob ilike inner is join key left like materialized natural outer over regexp
    right rlike set similar within
";

/// Types with a length.
const TYPES: &str = "binary datetime double enum number nvarchar tinyint varbinary varying";

/// Types that are not the owner's.
const PLAIN_TYPES: &str = "blob date json jsonb signed text unsigned uuid";

/// Functions that all three databases have.
const FUNCTIONS: &str = "
    abs acos asin atan atan2 avg ceil ceiling coalesce concat concat_ws cos count cume_dist current_date current_time
    current_timestamp date degrees dense_rank exp first_value floor lag last_value lead length ln log log10 lower
    ltrim max min mod nth_value ntile nullif octet_length percent_rank pi pow power radians rank replace round
    row_number rtrim sign sin sqrt substr substring sum tan trim upper
";

/// Words that an expression may follow; others are names, or end one.
const OPENING: &str = "
    all and any between by case check default distinct else escape from glob having ilike in is like limit not offset
    on or regexp returning rlike select set some then to using values when where
";

/// Words that a string may follow: others would be its type.
const BEFORE_TEXT: &str = "as collate interval separator similar";

/// Operators that all three databases have.
const OPERATORS: [&str; 20] =
    ["+", "-", "*", "/", "%", "=", "<", ">", "<=", ">=", "<>", "!=", "||", "&", "|", "~", "<<", ">>", "->", "->>"];

type Words = LazyLock<HashSet<&'static str>>;

fn words(lists: &[&'static str]) -> HashSet<&'static str> {
    lists.iter().flat_map(|list| list.split_whitespace()).collect()
}

static UNCALLABLE: Words = Words::new(|| words(&[RESERVED]));
static OPERATING: Words = Words::new(|| words(&[BEHIND_OPERAND]));
static SIZED: Words = Words::new(|| words(&[TYPES]));
static KNOWN_TYPES: Words = Words::new(|| words(&[RESERVED, TYPES, PLAIN_TYPES]));
static KNOWN: Words = Words::new(|| words(&[FUNCTIONS]));
static OPENS: Words = Words::new(|| words(&[OPENING]));
static TEXT_FOLLOWS: Words = Words::new(|| words(&[OPENING, BEFORE_TEXT, RESERVED, PLAIN_TYPES]));

/// Words behind which a name with a parenthesis is that of a table, or of columns.
const NAMING: [&str; 8] = ["INTO", "TABLE", "AS", "WITH", "RECURSIVE", "REFERENCES", "EXISTS", "OVERWRITE"];

/// What a statement may call that not every database has: functions, operators, casts to types of the owner, and names with
/// a dot, which PostgreSQL takes for calls where there is no such column. Where no rule looks at it, functions alone.
pub fn unknown_calls(tokens: &Tokens<'_>, reading: Reading, detail: SqlDetail) -> BTreeSet<String> {
    let mut found = functions(tokens);
    if detail == SqlDetail::Nothing {
        return found;
    }
    found.extend(operators(tokens));
    found.extend(types(tokens));
    found.extend(attributes(tokens, reading));
    found
}

fn lower(tokens: &Tokens<'_>, index: usize) -> String {
    tokens.word(index).to_ascii_lowercase()
}

/// One with a schema is never known.
fn functions(tokens: &Tokens<'_>) -> BTreeSet<String> {
    let defines = matches!(tokens.word(0), "CREATE" | "ALTER");
    let mut found = BTreeSet::new();
    for index in 0..tokens.len() {
        let Some(name) = name_at(tokens, index).filter(|_| tokens.is_symbol(index + 1, b'(')) else { continue };
        let is_qualified = tokens.is_symbol_before(index, b'.');
        let first = if is_qualified { index.saturating_sub(2) } else { index };
        let word = lower(tokens, index);
        let is_keyword = UNCALLABLE.contains(word.as_str())
            || (OPERATING.contains(word.as_str()) && (word == "conflict" || !begins_operand(tokens, index)))
            || (SIZED.contains(word.as_str()) && (defines || word == "varying"))
            || (word == "explain" && index == 0);
        let is_known = !is_qualified && (is_keyword || KNOWN.contains(name.as_str()));
        if !NAMING.contains(&tokens.word_before(first)) && !is_known {
            found.insert(name);
        }
    }
    found
}

/// Whether an expression could begin at a place.
fn begins_operand(tokens: &Tokens<'_>, index: usize) -> bool {
    let Some(before) = index.checked_sub(1) else { return true };
    let word = lower(tokens, before);
    match tokens.get(before).map(|token| token.kind) {
        // `a NOT LIKE (…)`, and `NOT like(…)`.
        Some(Kind::Word) if word == "not" => begins_operand(tokens, before),
        Some(Kind::Word) => OPENS.contains(word.as_str()),
        Some(Kind::Symbol(sign)) => !matches!(sign, b')' | b']'),
        Some(_) => false,
        None => true,
    }
}

/// Signs that PostgreSQL takes for one operator when nothing is between them.
fn operators(tokens: &Tokens<'_>) -> BTreeSet<String> {
    let mut runs: Vec<(String, usize)> = Vec::new();
    for token in tokens.list() {
        let Kind::Symbol(sign) = token.kind else { continue };
        if !b"+-*/<>=~!@#%^&|`:".contains(&sign) {
            continue;
        }
        match runs.last_mut().filter(|(_, end)| *end == token.start()) {
            Some((run, end)) => {
                run.push(char::from(sign));
                *end = token.end();
            }
            None => runs.push((char::from(sign).to_string(), token.end())),
        }
    }
    runs.into_iter().map(|(run, _)| run).filter(|run| !is_operator(run)).collect()
}

/// A sign before an operand, as in `a =-1`, is an operator of its own; the colon is that of a part of an array.
fn is_operator(run: &str) -> bool {
    let known = |text: &str| OPERATORS.contains(&text);
    let signed = run.strip_suffix(['-', '+']).filter(|rest| rest.bytes().all(|sign| b"+-*/<>=".contains(&sign)));
    run == ":" || known(run) || signed.is_some_and(known)
}

/// Types of the owner that a value is cast to: behind `AS` in `CAST(…)`, or before a string.
fn types(tokens: &Tokens<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open: Vec<bool> = Vec::new();
    for (index, token) in tokens.list().iter().enumerate() {
        if tokens.is_symbol(index, b'(') {
            open.push(tokens.word_before(index) == "CAST");
        } else if tokens.is_symbol(index, b')') {
            open.pop();
        } else if matches!(token.kind, Kind::Text | Kind::EscapeText) {
            let Some(before) = index.checked_sub(1) else { continue };
            let is_word = TEXT_FOLLOWS.contains(lower(tokens, before).as_str());
            found.extend(name_at(tokens, before).filter(|_| !is_word));
        } else if open.last() == Some(&true) && tokens.word_before(index) == "AS" {
            let is_plain = KNOWN_TYPES.contains(lower(tokens, index).as_str());
            found.extend(name_at(tokens, index).filter(|_| !is_plain || tokens.is_symbol(index + 1, b'.')));
        }
    }
    found
}

/// Names behind a dot, but for those of tables with their schemas.
fn attributes(tokens: &Tokens<'_>, reading: Reading) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for index in 1..tokens.len() {
        let Some(last) = name_at(tokens, index).filter(|_| tokens.is_symbol_before(index, b'.')) else { continue };
        let first = index.checked_sub(2).and_then(|at| name_at(tokens, at));
        found.insert(first.map_or_else(|| last.clone(), |first| format!("{first}.{last}")));
    }
    if !found.is_empty() {
        let tables = relations(tokens, reading.lexis, Dialect::Any).unwrap_or_default();
        found.retain(|name| !tables.contains(name));
    }
    found
}

fn name_at(tokens: &Tokens<'_>, index: usize) -> Option<String> {
    part_of_name(tokens, tokens.get(index)?, Dialect::Any)
}

#[cfg(test)]
#[path = "known_functions_tests.rs"]
mod tests;
