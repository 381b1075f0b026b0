//! Splits the text of a query into tokens.

use super::fault::Fault;

#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    /// A name or a keyword. Names in backticks are never keywords.
    Word {
        text: String,
        quoted: bool,
    },
    Integer(i64),
    Float(f64),
    Text(String),
    Parameter(String),
    Symbol(&'static str),
    End,
}

/// A token with the offset of its first byte and of the byte after it.
#[derive(Debug, Clone, PartialEq)]
pub struct Spanned {
    pub token: Token,
    pub at: usize,
    pub end: usize,
}

/// Longer symbols come first.
const SYMBOLS: [&str; 27] = [
    "..", "<>", "<=", ">=", "=~", "+=", "(", ")", "[", "]", "{", "}", "<", ">", "=", "+", "-", "*", "/", "%", "^", ",",
    ".", ":", "|", ";", "$",
];

pub fn tokens(text: &str) -> Result<Vec<Spanned>, Fault> {
    let mut lexer = Lexer { text, at: 0 };
    let mut found = Vec::new();
    loop {
        lexer.skip_blanks()?;
        let at = lexer.at;
        let token = lexer.token()?;
        let is_end = token == Token::End;
        found.push(Spanned { token, at, end: lexer.at });
        if is_end {
            return Ok(found);
        }
    }
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Lexer<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let length = rest.find(|letter| !fits(letter)).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    fn skip_blanks(&mut self) -> Result<(), Fault> {
        loop {
            self.take_while(char::is_whitespace);
            if self.rest().starts_with("//") {
                self.take_while(|letter| letter != '\n');
            } else if self.rest().starts_with("/*") {
                let Some(length) = self.rest().find("*/") else {
                    return Err(Fault::new(self.at, "This comment has no end. Close it with '*/'."));
                };
                self.at += length + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<Token, Fault> {
        let Some(first) = self.rest().chars().next() else { return Ok(Token::End) };
        if is_name_start(first) {
            return Ok(Token::Word { text: self.take_while(is_name_part).to_owned(), quoted: false });
        }
        if first.is_ascii_digit() {
            return self.number();
        }
        if first == '\'' || first == '"' {
            return self.string(first).map(Token::Text);
        }
        if first == '`' {
            return Ok(Token::Word { text: self.backticked()?, quoted: true });
        }
        let Some(symbol) = SYMBOLS.into_iter().find(|symbol| self.rest().starts_with(symbol)) else {
            return Err(Fault::new(
                self.at,
                format!("The character '{}' is not part of Cypher.", first.escape_debug()),
            ));
        };
        self.at += symbol.len();
        if symbol != "$" {
            return Ok(Token::Symbol(symbol));
        }
        let name =
            if self.rest().starts_with('`') { self.backticked()? } else { self.take_while(is_name_part).to_owned() };
        if name.is_empty() {
            return Err(Fault::new(self.at, "A parameter needs a name after '$'."));
        }
        Ok(Token::Parameter(name))
    }

    fn number(&mut self) -> Result<Token, Fault> {
        let start = self.at;
        self.take_while(|letter| letter.is_ascii_digit());
        let mut is_float = false;
        let mut rest = self.rest().chars();
        if rest.next() == Some('.') && rest.next().is_some_and(|letter| letter.is_ascii_digit()) {
            is_float = true;
            self.at += 1;
            self.take_while(|letter| letter.is_ascii_digit());
        }
        if self.rest().starts_with(['e', 'E']) {
            is_float = true;
            self.at += 1;
            if self.rest().starts_with(['+', '-']) {
                self.at += 1;
            }
            self.take_while(|letter| letter.is_ascii_digit());
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        let invalid = || Fault::new(start, "This number is not valid. Write it as 12, 1.5 or 1e9.");
        if self.rest().chars().next().is_some_and(is_name_part) {
            return Err(invalid());
        }
        if is_float {
            let number = text.parse().ok().filter(|number: &f64| number.is_finite());
            return number.map(Token::Float).ok_or_else(invalid);
        }
        let too_large = || Fault::new(start, "This integer is too large. The largest is 9223372036854775807.");
        text.parse().map(Token::Integer).map_err(|_| too_large())
    }

    fn string(&mut self, quote: char) -> Result<String, Fault> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            text.push_str(self.take_while(|letter| letter != quote && letter != '\\'));
            let mut rest = self.rest().chars();
            match (rest.next(), rest.next()) {
                (Some('\\'), Some(escaped)) => {
                    self.at += 1 + escaped.len_utf8();
                    text.push(self.escaped(escaped)?);
                }
                (Some(_), _) if self.rest().starts_with(quote) => {
                    self.at += 1;
                    return Ok(text);
                }
                (Some(_) | None, _) => return Err(Fault::new(start, "This text has no end. Close it with a quote.")),
            }
        }
    }

    fn escaped(&mut self, letter: char) -> Result<char, Fault> {
        match letter {
            'n' => Ok('\n'),
            't' => Ok('\t'),
            'r' => Ok('\r'),
            'b' => Ok('\u{8}'),
            'f' => Ok('\u{c}'),
            '\\' | '\'' | '"' | '`' => Ok(letter),
            'u' => {
                let digits = self.rest().get(..4).unwrap_or_default();
                let decoded = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                self.at += if decoded.is_some() { 4 } else { 0 };
                decoded.ok_or_else(|| Fault::new(self.at, "'\\u' needs four hexadecimal digits of a character."))
            }
            _ => Err(Fault::new(self.at, "This escape is not valid. Write a backslash in a text as '\\\\'.")),
        }
    }

    fn backticked(&mut self) -> Result<String, Fault> {
        let start = self.at;
        self.at += 1;
        let name = self.take_while(|letter| letter != '`').to_owned();
        if !self.rest().starts_with('`') || name.is_empty() {
            return Err(Fault::new(start, "A name in backticks needs letters and a closing backtick."));
        }
        self.at += 1;
        Ok(name)
    }
}

fn is_name_start(letter: char) -> bool {
    letter.is_alphabetic() || letter == '_'
}

fn is_name_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}
