//! What a guest takes of the machine's memory, and what it leaves behind.

mod array_buffer;
mod memory_budget;
mod weight;

pub use array_buffer::counting_allocator;
pub use memory_budget::MemoryBudget;
pub use weight::{Burden, Weight};
