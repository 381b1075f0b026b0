//! Functions, operators and types that exist in every database. In an unknown database, which cannot be queried, only these may
//! be called.

use crate::parsing::relations::relations;
use crate::parsing::table_names::part_of_name;
use crate::parsing::token::{Kind, Tokens};
use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;
use tgp_base::sql_detail::SqlDetail;

/// Words that cannot be the name of a function, at least in databases with user-defined functions.
const RESERVED: &str = "
    all and any array as between case cast check default distinct else except exists from group having in
    intersect into lateral limit not offset on only or order primary references returning row select some table
    then to union unique using values when where window with
    bigint bit boolean char character dec decimal float int integer nchar numeric real smallint time timestamp
    varchar
";

/// Words before a parenthesis that are not a call, unless an expression starts with them.
const BEHIND_OPERAND: &str = "
    by conflict cross escape filter glob ilike inner is join key left like materialized natural outer over regexp
    right rlike set similar within
";

/// Types with a length.
const TYPES: &str = "binary datetime double enum number nvarchar tinyint varbinary varying";

/// Built-in types without a length.
const PLAIN_TYPES: &str = "blob date json jsonb signed text unsigned uuid";

/// Functions that all three databases have.
const FUNCTIONS: &str = "
    abs acos asin atan atan2 avg ceil ceiling coalesce concat concat_ws cos count cume_dist current_date current_time
    current_timestamp date degrees dense_rank exp first_value floor lag last_value lead length ln log log10 lower
    ltrim max min mod nth_value ntile nullif octet_length percent_rank pi pow power radians rank replace round
    row_number rtrim sign sin sqrt substr substring sum tan trim upper
";

/// Words that an expression may follow.
const OPENING: &str = "
    all and any between by case check default distinct else escape from glob having ilike in is like limit not offset
    on or regexp returning rlike select set some then to using values when where
";

/// Words that a string may follow. Any other word would be the type of the string.
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

/// Words after which a name with a parenthesis is a table with its columns.
const NAMING: [&str; 8] = ["INTO", "TABLE", "AS", "WITH", "RECURSIVE", "REFERENCES", "EXISTS", "OVERWRITE"];

/// The calls of a statement that are not known in every database: functions, operators, casts to user-defined types, and dotted
/// names, which PostgreSQL treats as calls if there is no such column. Without rules for SQL, only functions.
pub fn unknown_calls(tokens: &Tokens<'_>, detail: SqlDetail) -> BTreeSet<String> {
    let mut found = functions(tokens);
    if detail == SqlDetail::Nothing {
        return found;
    }
    found.extend(operators(tokens));
    found.extend(types(tokens));
    found.extend(attributes(tokens));
    found
}

fn lower(tokens: &Tokens<'_>, index: usize) -> String {
    tokens.word(index).to_ascii_lowercase()
}

/// Unknown functions. A function with a schema is never known.
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

/// Whether an expression could start at an index.
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

/// Unknown operators: adjacent symbols, which PostgreSQL reads as one operator.
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

/// Whether a run of symbols is a known operator, optionally with a sign as in `a =-1`, or the colon of an array slice.
fn is_operator(run: &str) -> bool {
    let known = |text: &str| OPERATORS.contains(&text);
    let signed = run.strip_suffix(['-', '+']).filter(|rest| rest.bytes().all(|sign| b"+-*/<>=".contains(&sign)));
    run == ":" || known(run) || signed.is_some_and(known)
}

/// User-defined types of casts: after `AS` in `CAST(…)`, or before a string.
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

/// Dotted names, except for tables with their schemas.
fn attributes(tokens: &Tokens<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for index in 1..tokens.len() {
        let Some(last) = name_at(tokens, index).filter(|_| tokens.is_symbol_before(index, b'.')) else { continue };
        let first = index.checked_sub(2).and_then(|at| name_at(tokens, at));
        found.insert(first.map_or_else(|| last.clone(), |first| format!("{first}.{last}")));
    }
    if !found.is_empty() {
        let tables = relations(tokens).unwrap_or_default();
        found.retain(|name| !tables.contains(name));
    }
    found
}

fn name_at(tokens: &Tokens<'_>, index: usize) -> Option<String> {
    part_of_name(tokens, tokens.get(index)?)
}

#[cfg(test)]
#[path = "known_functions_tests.rs"]
mod tests;
