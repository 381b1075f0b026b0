//! The sandbox as a whole, with engines in their thread home. The process home is tested through the public API, where the
//! worker executable is.

mod packages;
mod panics;
mod thread_home;
