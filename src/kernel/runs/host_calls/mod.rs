//! What `SandboxHost` does for a guest: admission of its calls, imports and requests to the network.

mod guest_admission;
mod guest_fetches;
mod guest_imports;
