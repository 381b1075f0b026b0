//! Calls, errors, ids, threads and small helpers for all parts. Depends on no other crate of this workspace; of the modules
//! here, only `call` imports others.

pub mod bound_secrets;
pub mod bounded_read;
pub mod call;
pub mod effect;
pub mod error;
pub mod ids;
pub mod loopback;
pub mod mode;
pub mod round_robin_queue;
pub mod spelling;
pub mod sql_detail;
pub mod sql_verb;
pub mod table_name;
pub mod text_hash;
pub mod threads;
