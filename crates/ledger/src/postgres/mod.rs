//! Events in a PostgreSQL database that processes on many machines share.
//!
//! The client is our own: the ledger needs few statements, and the crates that speak to PostgreSQL bring more code than all of
//! the ledger. It says what it has to say in binary, checks every length that it reads, and keeps none of the server's words.

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
mod schema_check;
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
