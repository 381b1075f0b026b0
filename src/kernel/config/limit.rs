//! A configurable limit: default and range.

use std::ops::RangeInclusive;
use tgp_base::error::{Error, ErrorCode};

/// A number that the application may set within a range.
#[derive(Debug, Clone, Copy)]
pub struct Limit {
    field: &'static str,
    pub default: u32,
    pub least: u32,
    pub most: u32,
    /// What it bounds, in one or two sentences for users.
    pub about: &'static str,
    /// What else the default depends on; usually empty.
    pub default_note: &'static str,
}

impl Limit {
    pub const fn new(field: &'static str, default: u32, range: RangeInclusive<u32>, about: &'static str) -> Self {
        Self { field, default, least: *range.start(), most: *range.end(), about: about.trim_ascii(), default_note: "" }
    }

    pub const fn with_default_note(mut self, note: &'static str) -> Self {
        self.default_note = note;
        self
    }

    /// The key in the configuration: the field name in camel case, as `serde` renames it.
    pub fn key(&self) -> String {
        let mut words = self.field.split('_');
        let first = words.next().unwrap_or_default().to_owned();
        words.fold(first, |mut key, word| {
            let mut letters = word.chars();
            key.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
            key.push_str(letters.as_str());
            key
        })
    }

    /// Refuses a value outside the range. The error names the key.
    pub fn check(&self, value: u32, prefix: &str, code: ErrorCode) -> Result<(), Error> {
        let Self { least, most, .. } = self;
        if (*least..=*most).contains(&value) {
            return Ok(());
        }
        let key = format!("{prefix}{}", self.key());
        let message = format!("{key} must be between {least} and {most}, not {value}.");
        Err(Error::new(code, message).with("key", key))
    }
}
