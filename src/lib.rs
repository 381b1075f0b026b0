pub use v8 as _v;
