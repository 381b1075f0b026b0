//! The cache of commits and facts in SQLite, and the newest views in memory.

mod database;
mod graph_store;
mod repository;
mod rows;

pub use graph_store::GraphStore;
