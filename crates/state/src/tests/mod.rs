//! Tests of the state and the judge.

mod bounds;
mod legal_path;
mod order;
mod properties;
mod skipping;
mod table;
mod table_more;
mod world;
