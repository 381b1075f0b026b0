//! The PostgreSQL store, shared by processes on many machines.
//!
//! It has its own client (`docs/decisions/postgres_client.md`), which uses the binary format, checks every length it reads, and
//! keeps none of the server's messages.

mod address;
mod append;
mod bytes;
mod connection;
mod connections;
mod deadline;
#[cfg(test)]
#[cfg(unix)]
mod endurance_tests;
mod failure;
mod login;
mod name_encoding;
mod postgres_store;
mod queries;
mod scan;
mod schema;
mod scram;
#[cfg(test)]
#[cfg(unix)]
mod server_for_tests;
#[cfg(test)]
mod silence_tests;
mod stream;
#[cfg(test)]
#[cfg(unix)]
mod tests;
mod wire;

pub use address::PostgresAddress;
pub use postgres_store::PostgresStore;
pub use stream::TlsSettings;
