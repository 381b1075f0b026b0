//! One statement, from text to tokens.

use super::cursor::Unread;
use super::dialect::Reading;
use super::scanner::scan;
use super::token::{Kind, Token, Tokens};
use crate::sql_error::{SqlError, refused};

/// Longer statements are data in the wrong place.
const MAX_CHARS: usize = 1 << 20;
/// What that many characters take at most.
const MAX_BYTES: usize = 4 * MAX_CHARS;

/// Refuses text that nobody should read at all.
pub fn check_text(sql: &str) -> Result<(), SqlError> {
    if sql.len() > MAX_BYTES || (sql.len() > MAX_CHARS && sql.chars().count() > MAX_CHARS) {
        return Err(SqlError::Unreadable(format!(
            "The statement is longer than {MAX_CHARS} characters. Pass the data as parameters, in several statements."
        )));
    }
    if sql.contains('\0') {
        return Err(refused("a statement may not hold a NUL character", "Remove it."));
    }
    Ok(())
}

/// The tokens of a text that `check_text` accepted, and that is one statement. Nothing, when a database that reads this
/// way would read no statement at all. `upper` is the text in upper case.
pub fn tokenise<'a>(sql: &'a str, upper: &'a str, reading: Reading) -> Result<Option<Tokens<'a>>, SqlError> {
    let scanned = scan(sql, reading);
    let mut list = scanned.tokens;
    let is_end = |token: &Token| token.kind == Kind::Symbol(b';');
    let begun_again = list.iter().skip_while(|token| !is_end(token)).any(|token| !is_end(token));
    let illegal = match scanned.stopped {
        Some(Unread::Refused(error)) => return Err(error),
        Some(Unread::Illegal) => true,
        None => false,
    };
    // What stands before an illegal token, and is ended by a semicolon, some drivers would execute.
    if begun_again || (illegal && list.iter().any(is_end)) {
        return Err(refused("several statements at once are not accepted", "Call exec_sql once for each statement."));
    }
    if illegal {
        return Ok(None);
    }
    while list.last().is_some_and(is_end) {
        list.pop();
    }
    Ok(Some(Tokens::new(sql, upper, list)))
}
