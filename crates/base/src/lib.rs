//! What every part uses: errors, ids, threads and small helpers. Depends on nothing of ours; no module here imports another.

pub mod bound_secrets;
pub mod bounded_read;
pub mod error;
pub mod ids;
pub mod loopback;
pub mod round_robin_queue;
pub mod spelling;
pub mod sql_detail;
pub mod table_name;
pub mod threads;
