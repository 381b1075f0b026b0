//! Scanning of numbers and parameters, whose syntax differs most between databases.

use super::cursor::{Cursor, ScanStop, adjacent_name, continues_name, starts_name};
use super::token::Kind;
use crate::dialects::{Digits, Signs};
use crate::sql_error::refused;

impl Cursor<'_> {
    /// Scans a token that starts with `?`, `$`, `:` or `@`.
    pub(super) fn sign(&mut self, sign: u8) -> Result<(), ScanStop> {
        let next = self.peek(1);
        match (&self.rules().signs, sign) {
            (_, b'?') => self.parameter(u8::is_ascii_digit),
            (Signs::Variables, _) => self.variable(),
            (Signs::DollarQuotes, b'$') => self.dollar(),
            (Signs::SessionVariables, b'$') => self.parameter(|byte| continues_name(*byte)),
            (Signs::SessionVariables, b':') if next == Some(b'=') => Err(ScanStop::Refused(refused(
                "a session variable may not be set",
                "Keep the value in the tool, or use WITH.",
            ))),
            (Signs::DollarQuotes | Signs::SessionVariables, b':') if next.is_some_and(starts_name) => {
                self.parameter(|byte| continues_name(*byte) && *byte != b'$')
            }
            // `::` is a cast, `:=` names an argument, `@@` reads a setting.
            (Signs::DollarQuotes | Signs::SessionVariables, _) => {
                self.symbol(sign);
                if next == Some(sign) {
                    self.symbol(sign);
                }
                Ok(())
            }
        }
    }

    fn parameter(&mut self, belongs: impl Fn(&u8) -> bool) -> Result<(), ScanStop> {
        let start = self.at;
        self.at += 1;
        self.skip_while(|byte| belongs(&byte));
        let name = self.text_of(start + 1, self.at);
        let kind = if name.is_empty() {
            Kind::Next
        } else if name.iter().all(u8::is_ascii_digit) {
            Kind::Numbered
        } else {
            Kind::Named
        };
        if kind == Kind::Next && self.text_of(start, self.at) != b"?" {
            return Err(adjacent_name());
        }
        self.push(kind, start);
        Ok(())
    }

    /// Scans a parameter. In Tcl syntax, `$a::b(…)`, the parentheses would belong to its name.
    fn variable(&mut self) -> Result<(), ScanStop> {
        let colons = |cursor: &Self| cursor.peek(0) == Some(b':') && cursor.peek(1) == Some(b':');
        let start = self.at;
        self.at += 1;
        let leading = colons(self);
        self.skip_while(continues_name);
        if leading || (self.at > start + 1 && (colons(self) || self.peek(0) == Some(b'('))) {
            return Err(ScanStop::Refused(refused(
                "a parameter in Tcl syntax is not accepted",
                "Write ? or :name, followed by a space.",
            )));
        }
        let name = self.text_of(start + 1, self.at);
        let dollar = self.text_of(start, start + 1) == b"$";
        let kind = match name.iter().all(u8::is_ascii_digit) {
            _ if name.is_empty() => return Err(ScanStop::Illegal),
            true if dollar => Kind::Numbered,
            true => return Err(adjacent_name()),
            false => Kind::Named,
        };
        self.push(kind, start);
        Ok(())
    }

    /// Scans `$1`, `$name`, or a dollar-quoted string.
    fn dollar(&mut self) -> Result<(), ScanStop> {
        let start = self.at;
        self.at += 1;
        if self.is_next(0, |byte| byte.is_ascii_digit()) {
            self.skip_while(|byte| byte.is_ascii_digit());
            if self.is_next(0, starts_name) {
                return Err(adjacent_name());
            }
            self.push(Kind::Numbered, start);
            return Ok(());
        }
        self.skip_while(|byte| continues_name(byte) && byte != b'$');
        if self.peek(0) == Some(b'$') {
            self.at += 1;
            return self.dollar_body(start);
        }
        if self.at == start + 1 {
            return Err(ScanStop::Illegal);
        }
        self.push(Kind::Named, start);
        Ok(())
    }

    pub(super) fn number(&mut self) -> Result<(), ScanStop> {
        let start = self.at;
        if self.rules().digits == Digits::Name && self.starts_name_with_digits() {
            return self.word();
        }
        let digits = |byte: u8| byte.is_ascii_digit() || byte == b'_';
        let other_base = |letter: u8| matches!(letter.to_ascii_lowercase(), b'x' | b'o' | b'b');
        if self.peek(0) == Some(b'0')
            && self.is_next(1, other_base)
            && self.is_next(2, |digit| digit.is_ascii_hexdigit())
        {
            self.at += 2;
            self.skip_while(|byte| byte.is_ascii_hexdigit() || byte == b'_');
        } else {
            self.skip_while(digits);
            if self.peek(0) == Some(b'.') {
                self.at += 1;
                self.skip_while(digits);
            }
            self.exponent();
        }
        if self.is_next(0, continues_name) {
            return Err(if self.rules().digits == Digits::Illegal { ScanStop::Illegal } else { adjacent_name() });
        }
        self.push(Kind::Number, start);
        Ok(())
    }

    fn exponent(&mut self) {
        if self.is_next(0, |letter| letter.eq_ignore_ascii_case(&b'e')) {
            let signed = usize::from(self.is_next(1, |sign| matches!(sign, b'+' | b'-')));
            if self.is_next(1 + signed, |digit| digit.is_ascii_digit()) {
                self.at += 1 + signed;
                self.skip_while(|digit| digit.is_ascii_digit());
            }
        }
    }

    /// Whether digits start a name: `2024_sales` is a name, and after a dot even `1e5`; elsewhere `1e5`, `0x1f`
    /// and `0b1` are numbers.
    fn starts_name_with_digits(&self) -> bool {
        let behind_dot = self.touches(|kind| kind == Kind::Symbol(b'.'));
        let letters = self.text_from(self.at).iter().take_while(|byte| continues_name(**byte)).count();
        let run = self.text_of(self.at, self.at + letters);
        let mantissa = run.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = match run.get(mantissa..).unwrap_or_default() {
            [] => true,
            [b'x' | b'X', rest @ ..] if mantissa == 1 => !rest.is_empty() && rest.iter().all(u8::is_ascii_hexdigit),
            [b'b' | b'B', rest @ ..] if mantissa == 1 => {
                !rest.is_empty() && rest.iter().all(|bit| matches!(bit, b'0' | b'1'))
            }
            // After the digits of an exponent a new token starts.
            [b'e' | b'E', next, ..] => next.is_ascii_digit(),
            [b'e' | b'E'] => matches!(self.peek(letters), Some(b'+' | b'-')),
            _ => false,
        };
        mantissa > 0 && (behind_dot || !number)
    }
}
