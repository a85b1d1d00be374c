//! What the compiler refuses, of c_api/bindings/behaviours.md. Each is one line away from what it accepts:
//!
//! ```no_run
//! # fn main() -> rondo::Result<()> {
//! use rondo::*;
//! let model = Model::open("model.rondo")?;
//! let engine = model.engine(&EngineOptions::default().max_sessions(2))?;
//! let mut session = engine.session(&SessionOptions::default().stop(["mom"]))?;
//! session.chat(Chat::from([Message::user("Hi")]).special_content(true))?;
//! let events = session.stream("Once upon a time");
//! drop(events);
//! session.reset()?;
//! let logits = session.logits()?;
//! println!("{}", logits[0]);
//! session.next()?;
//! drop(session);
//! # Ok(())
//! # }
//! ```

/// b07: a path that is no text.
///
/// ```compile_fail,E0277
/// rondo::Model::open(5);
/// ```
///
/// b11: an option that does not exist.
///
/// ```compile_fail,E0599
/// rondo::EngineOptions::default().max_session(2);
/// ```
///
/// b12: an option of another type.
///
/// ```compile_fail,E0308
/// rondo::EngineOptions::default().max_sessions("2");
/// ```
///
/// b13: numbers that an option cannot hold.
///
/// ```compile_fail
/// rondo::EngineOptions::default().context(4294967808);
/// ```
///
/// ```compile_fail,E0600
/// rondo::EngineOptions::default().context(-1);
/// ```
///
/// ```compile_fail,E0308
/// rondo::EngineOptions::default().context(1.5);
/// ```
///
/// b22: stop strings that are one text.
///
/// ```compile_fail,E0277
/// rondo::SessionOptions::default().stop("mom");
/// ```
///
/// b28: an option of `chat` that does not exist.
///
/// ```compile_fail,E0599
/// rondo::Chat::from([rondo::Message::user("Hi")]).tool("[]");
/// ```
///
/// b38: two calls on one session at once.
///
/// ```compile_fail,E0499
/// fn twice(session: &mut rondo::Session) {
///     let one = session.generate_async("Once");
///     let other = session.generate_async("Once");
///     drop((one, other));
/// }
/// ```
///
/// b41, b42: what was closed, which is dropped.
///
/// ```compile_fail,E0382
/// fn closed(mut session: rondo::Session) -> rondo::Result<()> {
///     drop(session);
///     session.reset()
/// }
/// ```
///
/// b44: logits after the next call.
///
/// ```compile_fail,E0499
/// fn late(session: &mut rondo::Session) -> rondo::Result<f32> {
///     let logits = session.logits()?;
///     session.next()?;
///     Ok(logits[0])
/// }
/// ```
///
/// b46: a second session of one handle.
///
/// ```compile_fail,E0599
/// fn copied(session: &rondo::Session) -> rondo::Session {
///     session.clone()
/// }
/// ```
struct Refused;
