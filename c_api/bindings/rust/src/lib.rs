//! Rondo: language models on edge devices, in one planned block of memory.
//!
//! ```no_run
//! use rondo::{EngineOptions, Model, SessionOptions};
//!
//! # fn main() -> rondo::Result<()> {
//! let engine = Model::open("model.rondo")?.engine(&EngineOptions::default())?;
//! let mut session = engine.session(&SessionOptions::default().max_tokens(64))?;
//! for event in session.stream("Once upon a time") {
//!     print!("{}", event?.text);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A [`Model`] is a file, an [`Engine`] makes it runnable in memory whose every byte is planned, and a
//! [`Session`] is one sequence of tokens in it. Models and engines are cloned like an [`Arc`] and used
//! from any thread; a session takes one call at a time, which the borrow checker holds. Each keeps what
//! it needs: all is dropped in any order, and nothing has a lifetime.
//!
//! [`Session::generate`], [`Session::stream`], [`Session::chat`] and [`Session::chat_stream`] are the
//! calls to begin with; those whose names end in `_async` are awaited, with any runtime. A
//! [`CancelToken`] ends calls from another thread, a future that is dropped ends its own.
//!
//! Options are plain values with chainable setters, named as in rondo.h, whose words about a function
//! hold for the method of its name.
//!
//! [`Arc`]: std::sync::Arc
#![warn(missing_docs, missing_debug_implementations)]

mod adapter;
mod callbacks;
mod calls;
mod canceller;
mod chat;
mod chat_parts;
mod embedding;
mod engine;
mod engine_options;
mod error;
mod grammar;
mod host;
mod image;
mod inputs;
mod media;
mod message;
mod model;
mod records;
#[cfg(doctest)]
mod refused;
mod session;
mod session_options;
mod stream;
mod turns;
mod waiting;

pub use adapter::Adapter;
pub use calls::CancelToken;
pub use canceller::Canceller;
pub use chat::Chat;
pub use chat_parts::{ChatParser, ChatPart, ChatStream, Parts};
pub use engine::Engine;
pub use engine_options::EngineOptions;
pub use error::{Error, ErrorKind, Result};
pub use grammar::{Grammar, GrammarOptions};
pub use image::Image;
pub use inputs::Input;
pub use media::{ImageOptions, Media};
pub use message::{Call, Message, Reply};
pub use model::Model;
pub use records::*;
pub use session::{Event, Session};
pub use session_options::SessionOptions;
pub use stream::{Prompt, Stream};
pub use waiting::{AsyncStream, Pending};

/// The C API itself.
pub use rondo_sys as raw;

use std::ffi::CStr;

/// The release of this crate.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

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
