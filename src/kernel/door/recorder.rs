//! Writes events down, if anybody wants that.

use super::present_call::PresentCall;
use std::sync::Arc;
use tgp_base::error::Error;
use tgp_ledger::{Actor, Ledger, NewEvent};

/// Where events go.
pub enum Records {
    /// Nowhere: nobody wants that.
    Nothing,
    Ledger(Arc<Ledger>),
    /// Nowhere, though somebody wants it: what would change something is refused with this.
    Refused(Error),
}

pub struct Recorder {
    records: Records,
    /// Begins the name of every call of this kernel.
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

    /// None when it is turned off, or cannot be used.
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

    /// Writes down what has happened on behalf of a call.
    pub fn record_for(&self, call: Option<&PresentCall>, event: &NewEvent<'_>) {
        let Some(PresentCall { call, session, agent, id, .. }) = call else { return self.record(event) };
        let actor = Actor { agent, id };
        self.record(&NewEvent { actor, session: session.as_deref(), call: Some(call), ..*event });
    }

    /// Writes down what has happened.
    pub fn record(&self, event: &NewEvent<'_>) {
        if let Some(ledger) = self.ledger() {
            // The effect has happened. The ledger keeps what it cannot write, and counts what it cannot keep.
            let _kept = ledger.record(event);
        }
    }
}
