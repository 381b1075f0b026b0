//! Records events, if there is a ledger.

use std::sync::Arc;
use tgp_base::call::CallContext;
use tgp_base::error::Error;
use tgp_ledger::{Ledger, NewEvent};

/// Where events go.
pub enum Records {
    /// The ledger is disabled.
    Nothing,
    Ledger(Arc<Ledger>),
    /// The ledger is enabled but cannot be used: calls that change something are refused with this error.
    Refused(Error),
}

pub struct Recorder {
    records: Records,
    /// Prefix of the name of every call of this kernel.
    process: String,
}

impl Recorder {
    pub fn new(records: Records) -> Self {
        let process = match &records {
            Records::Ledger(ledger) => ledger.process().to_owned(),
            Records::Nothing | Records::Refused(_) => String::new(),
        };
        Self { records, process }
    }

    pub fn records(&self) -> &Records {
        &self.records
    }

    /// None when it is disabled, or cannot be used.
    pub fn ledger(&self) -> Option<&Arc<Ledger>> {
        match &self.records {
            Records::Ledger(ledger) => Some(ledger),
            Records::Nothing | Records::Refused(_) => None,
        }
    }

    pub fn process(&self) -> &str {
        &self.process
    }

    /// The name of a call in the ledger.
    pub fn name(&self, number: u64) -> String {
        format!("{}-{number}", self.process)
    }

    /// Records an event on behalf of a call.
    pub fn record_for(&self, call: Option<&CallContext>, event: &NewEvent<'_>) {
        match call {
            Some(call) => self.record(&event.on_behalf_of(call)),
            None => self.record(event),
        }
    }

    /// Records an event.
    pub fn record(&self, event: &NewEvent<'_>) {
        if let Some(ledger) = self.ledger() {
            // The effect has happened, so there is no error: the ledger spools what it cannot write, and counts what it
            // drops.
            let _kept = ledger.record(event);
        }
    }
}
