//! Events in a PostgreSQL database that processes on many machines share.
//!
//! The client is our own: the ledger needs few statements, and the crates that speak to PostgreSQL bring more code than all of
//! the ledger. It says what it has to say in binary, checks every length that it reads, and keeps none of the server's words.

mod address;
mod appending;
mod bytes;
mod connection;
mod connections;
mod deadline;
#[cfg(test)]
#[cfg(unix)]
mod endurance_tests;
mod failure;
mod finding;
mod inside;
mod login;
mod postgres_store;
mod scanning;
mod schema;
mod scram;
#[cfg(test)]
#[cfg(unix)]
mod server_for_tests;
#[cfg(test)]
mod silence_tests;
mod storable;
mod stream;
#[cfg(test)]
#[cfg(unix)]
mod tests;
mod wire;

pub use address::PostgresAddress;
pub use postgres_store::PostgresStore;
pub use stream::TlsSettings;
