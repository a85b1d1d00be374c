#![doc = include_str!("../README.md")]
#![no_std]
// The standard library has C's types since Rust 1.0, the core since 1.64.
extern crate std;

mod raw;

pub use raw::*;
