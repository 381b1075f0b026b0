//! Long lists of values, which name no tables: what is left out of them need not be parsed.

use super::token::{Kind, Tokens};

/// The statement with the first row of each `VALUES` and the first value of each `IN`, of those that follow each other and are
/// placeholders and literals alone.
pub fn without_plain_values<'a>(tokens: &Tokens<'a>) -> Tokens<'a> {
    let closing = closing(tokens);
    let mut keeps = vec![true; tokens.len()];
    for index in 0..tokens.len() {
        match tokens.word(index) {
            "VALUES" | "VALUE" => leave_out_rows(tokens, &closing, index + 1, &mut keeps),
            "IN" => leave_out_list(tokens, &closing, index + 1, &mut keeps),
            _ => {}
        }
    }
    tokens.filtered(|index| keeps.get(index).is_none_or(|keep| *keep))
}

/// Where the parenthesis is closed that stands at each place; nowhere is 0.
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

/// The rows behind the first one that hold nothing else.
fn leave_out_rows(tokens: &Tokens<'_>, closing: &[usize], first: usize, keeps: &mut [bool]) {
    let end_of = |at: usize| closing.get(at).copied().unwrap_or_default();
    let mut end = end_of(first);
    while end > 0 && tokens.is_symbol(end + 1, b',') {
        let next = end_of(end + 2);
        if (end + 3..next).all(|index| is_plain(tokens, index)) {
            leave_out(keeps, end + 1, next + 1);
        }
        end = next;
    }
}

/// The values behind the first one of a list of nothing else.
fn leave_out_list(tokens: &Tokens<'_>, closing: &[usize], opening: usize, keeps: &mut [bool]) {
    let end = closing.get(opening).copied().unwrap_or_default();
    if (opening + 1..end).all(|index| is_plain(tokens, index))
        && let Some(comma) = (opening + 1..end).find(|index| tokens.is_symbol(*index, b','))
    {
        leave_out(keeps, comma, end);
    }
}

fn leave_out(keeps: &mut [bool], from: usize, to: usize) {
    for keep in keeps.get_mut(from..to).unwrap_or_default() {
        *keep = false;
    }
}

/// Whether a token is a value, or stands beside one: a comma, a sign, or the type of a cast.
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
    use crate::reading::dialect::{Dialect, Lexis};
    use crate::reading::plain_text::plain_text;
    use crate::reading::tokenise::tokenise;

    #[test]
    fn rows_and_lists_of_values_are_left_out_and_names_are_kept() {
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
            let reading = Dialect::Postgres.readings(sql).next().unwrap();
            let upper = sql.to_ascii_uppercase();
            let tokens = tokenise(sql, &upper, reading).unwrap().unwrap();
            let text = plain_text(&without_plain_values(&tokens), Lexis::Postgres, 1_000).unwrap();
            let plain = |text: &str| text.replace(' ', "");
            assert_eq!(plain(&text), plain(expected), "{sql}");
        }
    }
}
