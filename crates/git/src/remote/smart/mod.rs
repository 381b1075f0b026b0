//! Git's smart protocol over HTTP and SSH, without negotiation: one request contains all wants and haves, so each operation
//! needs at most two round trips.

mod advertisement;
mod connection;
#[cfg(test)]
mod fuzz_tests;
mod http;
mod pkt_line;
mod side_band;
mod smart_remote;
mod ssh;
mod ssh_child;

pub(crate) use http::HttpConnection;
pub(crate) use smart_remote::SmartRemote;
pub(crate) use ssh::SshConnection;
