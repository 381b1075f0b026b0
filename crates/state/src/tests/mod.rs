//! The state as kernels feed it, and what may be done then.

mod bounds;
mod legal_path;
mod order;
mod properties;
mod skipping;
mod table;
mod table_more;
mod world;
