//! Parsing of server messages.

use super::failure::Failure;
use crate::ledger_error::Reason;
use std::str::from_utf8;

/// The unread rest of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl<'a> Bytes<'a> {
    fn chunk<const N: usize>(&mut self) -> Result<[u8; N], Failure> {
        let (chunk, rest) = self.0.split_first_chunk().ok_or(Failure::Garbled)?;
        self.0 = rest;
        Ok(*chunk)
    }

    pub(super) fn byte(&mut self) -> Result<u8, Failure> {
        self.chunk().map(u8::from_be_bytes)
    }

    pub(super) fn short(&mut self) -> Result<i16, Failure> {
        self.chunk().map(i16::from_be_bytes)
    }

    pub(super) fn int(&mut self) -> Result<i32, Failure> {
        self.chunk().map(i32::from_be_bytes)
    }

    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], Failure> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Failure::Garbled)?;
        self.0 = rest;
        Ok(taken)
    }

    /// Text up to a NUL.
    pub(super) fn name(&mut self) -> Result<&'a str, Failure> {
        let end = self.0.iter().position(|byte| *byte == 0).ok_or(Failure::Garbled)?;
        let text = self.take(end)?;
        self.byte()?;
        from_utf8(text).map_err(|_| Failure::Garbled)
    }
}

/// The error for a value that the ledger did not write.
const DAMAGED: Failure = Failure::Unfit(Reason::Damaged);

/// The fields of a row, read in order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    width: i16,
    fields: Bytes<'a>,
}

impl<'a> Row<'a> {
    /// Parses the `body` of a row message.
    pub(super) fn new(body: &'a [u8]) -> Result<Self, Failure> {
        let mut fields = Bytes(body);
        let width = fields.short()?;
        Ok(Self { width, fields })
    }

    /// The number of fields.
    pub(super) const fn width(&self) -> i16 {
        self.width
    }

    /// The next field; `None` for NULL.
    pub(super) fn field(&mut self) -> Result<Option<&'a [u8]>, Failure> {
        match usize::try_from(self.fields.int()?) {
            Ok(length) => self.fields.take(length).map(Some),
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
    use super::{Bytes, Row};
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
        let mut bytes = Bytes(b"ab\0c");
        assert_eq!(bytes.name(), Ok("ab"));
        assert_eq!(bytes.name(), Err(Failure::Garbled));
    }
}
