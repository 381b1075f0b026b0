//! Tests through the public interface, over repositories made by hand.

mod caching;
mod figures;
mod fixture;
mod hostile;
mod paths;
mod queries;
mod refusals;
mod same_from_both_ends;
