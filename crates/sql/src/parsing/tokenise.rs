//! Tokenises exactly one statement.

use super::cursor::ScanStop;
use super::scanner::scan;
use super::token::{Kind, Token, Tokens};
use crate::dialects::LexerConfig;
use crate::sql_error::{SqlError, refused};

/// Maximum length of a statement: longer data belongs in parameters.
const MAX_CHARS: usize = 1 << 20;
/// Maximum size of that many characters.
const MAX_BYTES: usize = 4 * MAX_CHARS;

/// Refuses text that is too long or contains NUL, before it is scanned.
pub fn check_text(sql: &str) -> Result<(), SqlError> {
    if sql.len() > MAX_BYTES || (sql.len() > MAX_CHARS && sql.chars().count() > MAX_CHARS) {
        return Err(SqlError::Unreadable(format!(
            "The statement is longer than {MAX_CHARS} characters. Pass the data as parameters, in several statements."
        )));
    }
    if sql.contains('\0') {
        return Err(refused("a statement may not contain a NUL character", "Remove it."));
    }
    Ok(())
}

/// The tokens of a text that `check_text` accepted. `None` if the text is not a valid statement under this lexer
/// configuration; an error if it is more than one statement. `upper` is the text in upper case.
pub fn tokenise<'a>(sql: &'a str, upper: &'a str, config: LexerConfig) -> Result<Option<Tokens<'a>>, SqlError> {
    let scanned = scan(sql, config);
    let mut list = scanned.tokens;
    let is_end = |token: &Token| token.kind == Kind::Symbol(b';');
    let begun_again = list.iter().skip_while(|token| !is_end(token)).any(|token| !is_end(token));
    let illegal = match scanned.stopped {
        Some(ScanStop::Refused(error)) => return Err(error),
        Some(ScanStop::Illegal) => true,
        None => false,
    };
    // Some drivers would execute a statement that ends with a semicolon before an illegal token.
    if begun_again || (illegal && list.iter().any(is_end)) {
        return Err(refused("several statements at once are not accepted", "Call exec_sql once for each statement."));
    }
    if illegal {
        return Ok(None);
    }
    while list.last().is_some_and(is_end) {
        list.pop();
    }
    Ok(Some(Tokens::new(sql, upper, list, config)))
}
