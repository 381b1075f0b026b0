//! Registers the functions on a connection.

use super::argument::TextConverter;
use super::{limited, pattern, search, trim};
use crate::sqlite::session_control::SessionControl;
use rusqlite::Connection;
use std::sync::Arc;

pub fn install(connection: &Connection, control: &Arc<SessionControl>) -> rusqlite::Result<()> {
    let texts = Arc::new(TextConverter::default());
    pattern::install(connection, control, &texts)?;
    search::install(connection, control, &texts)?;
    trim::install(connection, &texts)?;
    limited::install(connection, control, &texts)
}

#[cfg(test)]
#[path = "install_tests.rs"]
mod tests;
