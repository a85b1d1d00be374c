//! Rondo: language models on edge devices, in one planned block of memory.
//!
//! ```no_run
//! # fn main() -> Result<(), rondo::Error> {
//! let model = rondo::Model::open("model.rondo")?;
//! let engine = model.engine(&mut rondo::EngineOptions::default())?;
//! let mut session = engine.session(&rondo::SessionOptions::default().max_tokens(64))?;
//! session.prefill(&model.tokenize("Once upon a time", true)?)?;
//! for event in session.stream() {
//!     print!("{}", event?.text);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! What rondo.h says of a function holds for the method named like it. Models and engines may be
//! used from any thread; a session by one thread at a time, which the borrow checker holds; a
//! [`Canceller`] from any. Values may be dropped in any order: the library keeps what is needed. The
//! lifetime `'m` is that of memory which the caller lends: a model's bytes, an engine's arena.
#![warn(missing_docs)]

mod adapter;
mod chat;
mod embedding;
mod engine;
mod error;
mod grammar;
mod image;
mod inputs;
mod media;
mod model;
mod options;
mod progress;
pub mod raw;
mod records;
mod session;

pub use adapter::Adapter;
pub use chat::{Chat, ChatParser, ChatPart, ChatParts, Parts};
pub use engine::Engine;
pub use error::{Error, Result};
pub use grammar::{Grammar, GrammarOptions};
pub use image::Image;
pub use inputs::Input;
pub use media::{ImageOptions, Media};
pub use model::Model;
pub use options::{EngineOptions, SessionOptions};
pub use records::*;
pub use session::{Canceller, Event, Session, Stream};

use std::ffi::CStr;

/// The library's release.
pub fn version() -> String {
    unsafe { CStr::from_ptr(raw::rondo_version_string()) }.to_string_lossy().into_owned()
}

/// What the library can do, by name: "limit.sessions", "chat" and others of rondo.h.
pub fn query(name: &str) -> Result<i64> {
    let name = error::c_string(name)?;
    let mut value = 0;
    error::check(unsafe { raw::rondo_query(name.as_ptr(), &mut value) })?;
    Ok(value)
}
