//! Tests of policies and tokens with calls as the kernel makes them.

mod bounds;
mod certain_denials;
mod explanations;
mod fuzz_tests;
mod malformed;
mod malformed_objects;
mod properties;
mod replays;
mod sql_detail;
mod table_of_calls;
mod table_of_calls_more;
mod token_properties;
mod tokens;
mod world;
