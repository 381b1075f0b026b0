//! Git's smart protocol, server_message over HTTP or a child process: what `git fetch` and `git push` say, without their
//! negotiation. One request holds all wants and haves, so each operation is two round trips at most.

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
