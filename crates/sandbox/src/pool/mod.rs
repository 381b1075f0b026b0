//! The worker pool of a sandbox: its size, the state of each worker, and the order of runs.

mod active_run;
mod bytecode_cache;
mod deadlines;
mod fair_queue;
mod owner_queue;
#[expect(clippy::module_inception, reason = "one concept per file, named for its main item")]
mod pool;
mod pool_action;
mod pool_options;
mod pool_registry;
mod pool_state;
mod readiness;
mod run_order;
mod run_pace;
mod stocked_worker;
mod worker_slots;

pub use bytecode_cache::BytecodeStore;
pub use pool::Pool;
pub use pool_options::PoolOptions;

#[cfg(test)]
mod run_order_tests;
#[cfg(test)]
mod tests;
