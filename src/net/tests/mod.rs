//! The client against servers of this test.

mod exchange;
