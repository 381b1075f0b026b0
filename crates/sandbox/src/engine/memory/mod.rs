//! Memory accounting: budgets of runs, buffer allocators, and memory that runs leave behind.

mod array_buffer;
#[cfg_attr(v8_sandbox, path = "buffer_memory_v8.rs")]
#[cfg_attr(not(v8_sandbox), path = "buffer_memory_rust.rs")]
mod buffer_memory;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod large_blocks;
mod memory_budget;
mod native_memory;
mod weight;

pub use array_buffer::counting_allocator;
pub use memory_budget::MemoryBudget;
pub use native_memory::native_bytes;
pub use weight::{Burden, Weight};
