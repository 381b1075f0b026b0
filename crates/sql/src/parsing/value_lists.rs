//! Shortens lists of literal values. They contain no table names, so the parser does not need them.

use super::token::{Kind, Tokens};

/// The statement with only the first of consecutive `VALUES` rows and of `IN` values that consist of placeholders and literals.
pub fn without_plain_values<'a>(tokens: &Tokens<'a>) -> Tokens<'a> {
    let closing = closing(tokens);
    let mut keeps = vec![true; tokens.len()];
    for index in 0..tokens.len() {
        match tokens.word(index) {
            "VALUES" | "VALUE" => drop_rows(tokens, &closing, index + 1, &mut keeps),
            "IN" => drop_list(tokens, &closing, index + 1, &mut keeps),
            _ => {}
        }
    }
    tokens.filtered(|index| keeps.get(index).is_none_or(|keep| *keep))
}

/// For each opening parenthesis, the index of its closing one; 0 for every other token.
fn closing(tokens: &Tokens<'_>) -> Vec<usize> {
    let (mut open, mut found) = (Vec::new(), vec![0; tokens.len()]);
    for index in 0..tokens.len() {
        if tokens.is_symbol(index, b'(') {
            open.push(index);
        } else if tokens.is_symbol(index, b')')
            && let Some(place) = open.pop().and_then(|opening: usize| found.get_mut(opening))
        {
            *place = index;
        }
    }
    found
}

/// Drops the rows after the first one that consist of values only.
fn drop_rows(tokens: &Tokens<'_>, closing: &[usize], first: usize, keeps: &mut [bool]) {
    let end_of = |at: usize| closing.get(at).copied().unwrap_or_default();
    let mut end = end_of(first);
    while end > 0 && tokens.is_symbol(end + 1, b',') {
        let next = end_of(end + 2);
        if (end + 3..next).all(|index| is_plain(tokens, index)) {
            drop_range(keeps, end + 1, next + 1);
        }
        end = next;
    }
}

/// Drops the values after the first one, if the list consists of values only.
fn drop_list(tokens: &Tokens<'_>, closing: &[usize], opening: usize, keeps: &mut [bool]) {
    let end = closing.get(opening).copied().unwrap_or_default();
    if (opening + 1..end).all(|index| is_plain(tokens, index))
        && let Some(comma) = (opening + 1..end).find(|index| tokens.is_symbol(*index, b','))
    {
        drop_range(keeps, comma, end);
    }
}

fn drop_range(keeps: &mut [bool], from: usize, to: usize) {
    for keep in keeps.get_mut(from..to).unwrap_or_default() {
        *keep = false;
    }
}

/// Whether a token is a value or belongs to one: a comma, a sign, or the type of a cast.
fn is_plain(tokens: &Tokens<'_>, index: usize) -> bool {
    let Some(token) = tokens.get(index) else { return false };
    match token.kind {
        Kind::Text | Kind::EscapeText | Kind::Number | Kind::Next | Kind::Numbered | Kind::Named => true,
        Kind::Symbol(symbol) => matches!(symbol, b',' | b'-' | b'+' | b':'),
        Kind::Word => {
            let typed = tokens.is_symbol_before(index, b':');
            typed || matches!(tokens.word(index), "NULL" | "TRUE" | "FALSE" | "DEFAULT")
        }
        Kind::Quoted => false,
    }
}

#[cfg(test)]
mod tests {
    use super::without_plain_values;
    use crate::dialects::Dialect;
    use crate::parsing::plain_text::plain_text;
    use crate::parsing::tokenise::tokenise;

    #[test]
    fn value_rows_and_lists_are_dropped_and_names_are_kept() {
        for (sql, expected) in [
            ("INSERT INTO t VALUES (1, $1), ('x', NULL), (-1, $2::jsonb)", "INSERT INTO t VALUES (1, NULL)"),
            (
                "INSERT INTO t VALUES (1), ((SELECT a FROM s)), (2), (x), (f(3))",
                "INSERT INTO t VALUES (1), ((SELECT a FROM s)), (x), (f(1))",
            ),
            ("SELECT a FROM t WHERE a IN (1, 2, 3) AND b IN (1, c)", "SELECT a FROM t WHERE a IN (1) AND b IN (1, c)"),
            ("SELECT a FROM t WHERE a IN (SELECT b FROM s)", "SELECT a FROM t WHERE a IN (SELECT b FROM s)"),
            ("INSERT INTO t VALUES (1), (2) ON CONFLICT DO NOTHING", "INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING"),
            ("INSERT INTO t VALUES (1), (2", "INSERT INTO t VALUES (1), (1"),
        ] {
            let config = Dialect::Postgres.lexer_configs(sql).next().unwrap();
            let upper = sql.to_ascii_uppercase();
            let tokens = tokenise(sql, &upper, config).unwrap().unwrap();
            let text = plain_text(&without_plain_values(&tokens), 1_000).unwrap();
            let plain = |text: &str| text.replace(' ', "");
            assert_eq!(plain(&text), plain(expected), "{sql}");
        }
    }
}
