//! The workers of a sandbox: how many there are, what each does, and which run goes next.

mod active_run;
mod bytecode_cache;
mod caller_turns;
mod deadlines;
mod fair_queue;
mod frame_budget;
mod places;
#[expect(clippy::module_inception, reason = "one concept per file, named for its main item")]
mod pool;
mod pool_action;
mod pool_options;
mod pool_state;
mod readiness;
mod run_order;
mod run_pace;
mod stocked_worker;
mod supervisor;
mod worker_slots;

pub use bytecode_cache::BytecodeStore;
pub use pool::Pool;
pub use pool_options::PoolOptions;

#[cfg(test)]
mod run_order_tests;
#[cfg(test)]
mod tests;
