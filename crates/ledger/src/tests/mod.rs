//! Tests of the whole ledger.

mod crashes;
mod cuts;
mod exporting;
mod figures;
mod opening;
mod reading;
mod recording;
mod refusals;
mod retaining;
mod tampering;
mod tampering_at_random;
