//! Parsing of server messages.

use super::failure::{Failure, SqlState};
use crate::ledger_error::Reason;
use std::ffi::CStr;
use std::str::from_utf8;

/// The next `N` bytes of a message.
pub(super) fn chunk<const N: usize>(body: &mut &[u8]) -> Result<[u8; N], Failure> {
    let (chunk, rest) = body.split_first_chunk().ok_or(Failure::Garbled)?;
    *body = rest;
    Ok(*chunk)
}

/// The bytes before the next NUL.
fn until_nul<'a>(body: &mut &'a [u8]) -> Result<&'a [u8], Failure> {
    let found = CStr::from_bytes_until_nul(body).map_err(|_| Failure::Garbled)?;
    *body = body.get(found.to_bytes_with_nul().len()..).unwrap_or_default();
    Ok(found.to_bytes())
}

/// The text before the next NUL.
pub(super) fn name<'a>(body: &mut &'a [u8]) -> Result<&'a str, Failure> {
    until_nul(body).and_then(text)
}

pub(super) fn text(bytes: &[u8]) -> Result<&str, Failure> {
    from_utf8(bytes).map_err(|_| Failure::Garbled)
}

/// Parses an error message: fields with a letter each, whose values may be in any encoding.
pub(super) fn refusal(mut body: &[u8]) -> Failure {
    while let (Ok([field]), Ok(value)) = (chunk(&mut body), until_nul(&mut body)) {
        if field == b'C' {
            return value.try_into().map_or(Failure::Garbled, |state| Failure::Refused(SqlState(state)));
        }
    }
    Failure::Garbled
}

/// The error for a value that the ledger did not write.
const DAMAGED: Failure = Failure::Unfit(Reason::Damaged);

/// The fields of a row, read in order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    /// The number of fields.
    pub(super) width: i16,
    fields: &'a [u8],
}

impl<'a> Row<'a> {
    /// Parses the `body` of a row message.
    pub(super) fn new(mut fields: &'a [u8]) -> Result<Self, Failure> {
        let width = chunk(&mut fields).map(i16::from_be_bytes)?;
        Ok(Self { width, fields })
    }

    /// The next field; `None` for NULL.
    pub(super) fn field(&mut self) -> Result<Option<&'a [u8]>, Failure> {
        match usize::try_from(chunk(&mut self.fields).map(i32::from_be_bytes)?) {
            Ok(length) => self.fields.split_off(..length).map(Some).ok_or(Failure::Garbled),
            Err(_) => Ok(None),
        }
    }

    pub(super) fn bytes(&mut self) -> Result<&'a [u8], Failure> {
        self.field()?.ok_or(DAMAGED)
    }

    pub(super) fn maybe_text(&mut self) -> Result<Option<&'a str>, Failure> {
        self.field()?.map(|field| from_utf8(field).map_err(|_| DAMAGED)).transpose()
    }

    pub(super) fn text(&mut self) -> Result<&'a str, Failure> {
        self.maybe_text()?.ok_or(DAMAGED)
    }

    /// A `bigint`.
    pub(super) fn maybe_integer(&mut self) -> Result<Option<i64>, Failure> {
        let read = |field: &[u8]| field.try_into().map(i64::from_be_bytes).map_err(|_| DAMAGED);
        self.field()?.map(read).transpose()
    }

    pub(super) fn integer(&mut self) -> Result<i64, Failure> {
        self.maybe_integer()?.ok_or(DAMAGED)
    }

    /// A non-negative `bigint`.
    pub(super) fn count(&mut self) -> Result<u64, Failure> {
        self.integer()?.try_into().map_err(|_| DAMAGED)
    }

    /// A `boolean`.
    pub(super) fn truth(&mut self) -> Result<bool, Failure> {
        Ok(self.bytes()? == [1])
    }
}

#[cfg(test)]
mod tests {
    use super::{Row, name};
    use crate::postgres::failure::Failure;

    #[test]
    fn rows_are_parsed_and_short_ones_are_rejected() {
        let body = [0, 3, 0, 0, 0, 2, b'a', b'b', 255, 255, 255, 255, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 1, 0];
        let mut row = Row::new(&body).unwrap();
        assert_eq!(row.text(), Ok("ab"));
        assert_eq!(row.maybe_text(), Ok(None));
        assert_eq!(row.count(), Ok(256));
        assert_eq!(row.field(), Err(Failure::Garbled));
        for end in 0..body.len() {
            let read = |mut row: Row<'_>| row.text().and(row.maybe_text()).and(row.count());
            assert_eq!(Row::new(&body[..end]).and_then(read), Err(Failure::Garbled));
        }
    }

    #[test]
    fn names_end_with_nul() {
        let mut bytes: &[u8] = b"ab\0c";
        assert_eq!(name(&mut bytes), Ok("ab"));
        assert_eq!(name(&mut bytes), Err(Failure::Garbled));
    }
}
