//! `instr()` and `replace()`, in time linear in the length of the text.

use super::argument::{TextAnswer, TextConverter};
use super::failure::failure;
use super::flags::flags;
use super::utf8::continues_letter;
use crate::sqlite::session_control::SessionControl;
use memchr::memmem;
use rusqlite::functions::Context;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result, ffi};
use std::sync::Arc;

pub fn install(connection: &Connection, control: &Arc<SessionControl>, texts: &Arc<TextConverter>) -> Result<()> {
    let (control, of_replace) = (Arc::clone(control), Arc::clone(texts));
    let texts = Arc::clone(texts);
    connection.create_scalar_function("instr", 2, flags(), move |context| instr(context, &texts))?;
    let replace = move |context: &Context<'_>| replace(context, &of_replace, control.value_limit());
    connection.create_scalar_function("replace", 3, flags(), replace)
}

/// The index of the first occurrence of a text in another, in characters from 1; 0 if there is none. For blobs, in bytes.
fn instr(context: &Context<'_>, texts: &TextConverter) -> Result<Option<i64>> {
    let (left, right) = (context.get_raw(0), context.get_raw(1));
    let bytes = matches!((left, right), (ValueRef::Blob(_), ValueRef::Blob(_)));
    let (Some(text), Some(wanted)) = (texts.of(left)?, texts.of(right)?) else { return Ok(None) };
    // A match must start at a character boundary.
    let place = if !bytes && wanted.first().is_some_and(|byte| continues_letter(*byte)) {
        text.starts_with(&wanted).then_some(0)
    } else {
        memmem::find(&text, &wanted)
    };
    let count = place.map_or(0, |place| {
        let before = text.get(..place).unwrap_or_default();
        let first = usize::from(!bytes && before.first().is_some_and(|byte| continues_letter(*byte)));
        1 + if bytes { before.len() } else { first + before.iter().filter(|byte| !continues_letter(**byte)).count() }
    });
    Ok(Some(i64::try_from(count).unwrap_or(i64::MAX)))
}

fn replace(context: &Context<'_>, texts: &TextConverter, longest: usize) -> Result<TextAnswer> {
    let (Some(text), Some(wanted)) = (texts.of(context.get_raw(0))?, texts.of(context.get_raw(1))?) else {
        return Ok(TextAnswer::Null);
    };
    if wanted.first().is_none_or(|byte| *byte == 0) {
        return Ok(TextAnswer::first(context, &text));
    }
    let Some(with) = texts.of(context.get_raw(2))? else { return Ok(TextAnswer::Null) };
    let finder = memmem::Finder::new(&*wanted);
    let found = finder.find_iter(&text).count();
    if found == 0 {
        return Ok(TextAnswer::first(context, &text));
    }
    let length = text.len() - found * wanted.len() + found * with.len();
    if length > longest {
        return Err(failure(ffi::SQLITE_TOOBIG));
    }
    let mut replaced = Vec::with_capacity(length);
    let mut copied = 0;
    for place in finder.find_iter(&text) {
        replaced.extend_from_slice(text.get(copied..place).unwrap_or_default());
        replaced.extend_from_slice(&with);
        copied = place + wanted.len();
    }
    replaced.extend_from_slice(text.get(copied..).unwrap_or_default());
    Ok(TextAnswer::Bytes(replaced))
}
