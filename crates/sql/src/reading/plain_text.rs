//! A statement written anew from its tokens, in a spelling that no two readers take differently: no comments, no content
//! of strings, names in their plainest quotes.

use super::dialect::Lexis;
use super::token::{Kind, Token, Tokens};

/// What is in the place of every string. Where a database takes a string for a name, this is the name of no table.
pub const STRING: &str = "?";

/// The statement, unless it is longer than `most` bytes.
pub fn plain_text(tokens: &Tokens<'_>, lexis: Lexis, most: usize) -> Option<String> {
    let mut text = String::new();
    let mut before: Option<Token> = None;
    for token in tokens.list() {
        if !before.is_none_or(|left| stay_together(left, *token)) {
            text.push(' ');
        }
        write(&mut text, tokens, *token, lexis);
        if text.len() > most {
            return None;
        }
        before = Some(*token);
    }
    Some(text)
}

/// `a.b`, `>=` and `::` do; everything else gets a blank, and so do two minuses, which may be a comment elsewhere.
fn stay_together(left: Token, right: Token) -> bool {
    let signs = matches!((left.kind, right.kind), (Kind::Symbol(_), _) | (_, Kind::Symbol(_)));
    let minuses = left.kind == Kind::Symbol(b'-') && right.kind == Kind::Symbol(b'-');
    signs && !minuses && left.end() == right.start()
}

fn write(text: &mut String, tokens: &Tokens<'_>, token: Token, lexis: Lexis) {
    match token.kind {
        Kind::Word => text.push_str(tokens.raw(token)),
        Kind::Quoted => {
            let quote = if lexis == Lexis::Mysql { '`' } else { '"' };
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
