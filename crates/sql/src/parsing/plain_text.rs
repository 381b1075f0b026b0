//! Rewrites a statement from its tokens in an unambiguous form for a second parser: without comments and contents of strings,
//! and with standard quotes around names.

use super::token::{Kind, Token, Tokens};

/// Replacement for the content of every string. No table has this name, for databases that accept a string as a name.
pub const STRING: &str = "?";

/// The statement; `None` if it is longer than `most` bytes.
pub fn plain_text(tokens: &Tokens<'_>, most: usize) -> Option<String> {
    let mut text = String::new();
    let mut before: Option<Token> = None;
    for token in tokens.list() {
        if !before.is_none_or(|left| stay_together(left, *token)) {
            text.push(' ');
        }
        write(&mut text, tokens, *token);
        if text.len() > most {
            return None;
        }
        before = Some(*token);
    }
    Some(text)
}

/// Whether no space is needed: in `a.b`, `>=` and `::`. Two minus signs are separated, because they may be a comment elsewhere.
fn stay_together(left: Token, right: Token) -> bool {
    let signs = matches!((left.kind, right.kind), (Kind::Symbol(_), _) | (_, Kind::Symbol(_)));
    let minuses = left.kind == Kind::Symbol(b'-') && right.kind == Kind::Symbol(b'-');
    signs && !minuses && left.end() == right.start()
}

fn write(text: &mut String, tokens: &Tokens<'_>, token: Token) {
    match token.kind {
        Kind::Word => text.push_str(tokens.raw(token)),
        Kind::Quoted => {
            let quote = tokens.rules().name_quote;
            text.push(quote);
            for letter in tokens.unquoted(token).chars() {
                text.push(letter);
                if letter == quote {
                    text.push(quote);
                }
            }
            text.push(quote);
        }
        Kind::Text | Kind::EscapeText => text.extend(["'", STRING, "'"]),
        Kind::Number => text.push('1'),
        Kind::Next | Kind::Numbered | Kind::Named => text.push_str("NULL"),
        Kind::Symbol(symbol) => text.push(char::from(symbol)),
    }
}
