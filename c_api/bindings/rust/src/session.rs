//! Sessions: sequences of tokens.
use crate::error::{check, check_message};
use crate::{raw, Channel, Chat, Error, Model, Reason, Result, SessionCounters, SessionOptions};
use std::any::Any;
use std::ffi::CStr;
use std::mem::{size_of, MaybeUninit};
use std::os::raw::c_void;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr;
use std::slice;
use std::sync::{Arc, Mutex, PoisonError};

/// What one step of a generation brought.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Event {
    /// None: no token came.
    pub token: Option<i32>,
    /// What can be shown now: whole characters; may be empty.
    pub text: String,
    /// The token's own.
    pub bytes: Vec<u8>,
    /// Why the generation ended; [`Reason::NONE`]: it goes on.
    pub reason: Reason,
    /// With the option `logprobs`.
    pub logprob: f32,
    /// Tokens of the prompt that still wait for passes.
    pub pending: u64,
    /// Tokens that the prefix cache had.
    pub taken_over: u64,
    /// What the token belongs to, with the option `thinking`.
    pub channel: Channel,
}

/// A handle that is null once the session is gone.
struct Shared(*mut raw::rondo_session);

// Only functions that are [any thread] are called through it.
unsafe impl Send for Shared {}

/// Ends calls of a session from any thread.
#[derive(Clone)]
pub struct Canceller(Arc<Mutex<Shared>>);

impl Canceller {
    /// The number of the call that computes, or else of the next one; 0 when the session is gone.
    pub fn call_number(&self) -> u64 {
        let shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut number = 0;
        if !shared.0.is_null() {
            unsafe { raw::rondo_session_call(shared.0, &mut number) };
        }
        number
    }

    /// Makes the call of this number, and no other, fail with [`crate::Status::CANCELLED`]. Does
    /// nothing where it is over, or the session is gone.
    pub fn cancel_call(&self, number: u64) {
        let shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !shared.0.is_null() {
            unsafe { raw::rondo_session_cancel_call(shared.0, number) };
        }
    }

    /// Makes the call that runs, or else the next one that computes, fail with
    /// [`crate::Status::CANCELLED`]. Does nothing when the session is gone.
    pub fn cancel(&self) {
        let shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !shared.0.is_null() {
            unsafe { raw::rondo_session_cancel(shared.0) };
        }
    }
}

/// Made by [`crate::Engine::session`]. May move between threads; one uses it at a time.
pub struct Session<'m> {
    pub(crate) handle: *mut raw::rondo_session,
    shared: Arc<Mutex<Shared>>,
    model: Model<'m>,
}

// [one call per session], from whichever thread: Send, and not Sync.
unsafe impl Send for Session<'_> {}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        let mut shared = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        shared.0 = ptr::null_mut();
        unsafe { raw::rondo_session_close(self.handle) }
    }
}

impl<'m> Session<'m> {
    pub(crate) fn new(handle: *mut raw::rondo_session, model: Model<'m>) -> Self {
        Session { handle, shared: Arc::new(Mutex::new(Shared(handle))), model }
    }

    pub(crate) fn model(&self) -> &Model<'m> {
        &self.model
    }

    pub(crate) fn check(&self, status: i32) -> Result<()> {
        match status {
            raw::RONDO_STATUS_OK => Ok(()),
            _ => Err(Error::new(status, unsafe {
                CStr::from_ptr(raw::rondo_session_last_error(self.handle))
            })),
        }
    }

    /// Appends and evaluates a prompt, or the next turn of a conversation. All or nothing.
    pub fn prefill(&mut self, ids: &[i32]) -> Result<()> {
        self.check(unsafe { raw::rondo_session_prefill(self.handle, ids.as_ptr(), ids.len()) })
    }

    /// As [`Session::prefill`], and calls `row` with the index and the logits after each token.
    pub fn prefill_logits(&mut self, ids: &[i32], row: impl FnMut(usize, &[f32])) -> Result<()> {
        let mut rows = Rows { row, panic: None };
        let receive = receiver(&rows);
        let status = unsafe {
            let user = (&mut rows as *mut Rows<_>).cast();
            raw::rondo_session_prefill_logits(self.handle, ids.as_ptr(), ids.len(), receive, user)
        };
        if let Some(panic) = rows.panic {
            resume_unwind(panic);
        }
        self.check(status)
    }

    /// Queues tokens, which the next steps of the engine evaluate.
    pub fn append(&mut self, ids: &[i32]) -> Result<()> {
        self.check(unsafe { raw::rondo_session_append(self.handle, ids.as_ptr(), ids.len()) })
    }

    /// Tells tokens that may come next: the next pass verifies them, and no token is another for it.
    pub fn propose(&mut self, ids: &[i32]) -> Result<()> {
        self.check(unsafe { raw::rondo_session_propose(self.handle, ids.as_ptr(), ids.len()) })
    }

    /// Appends one token that the caller chose.
    pub fn accept(&mut self, token: i32) -> Result<()> {
        self.check(unsafe { raw::rondo_session_accept(self.handle, token) })
    }

    /// Generates one token.
    pub fn next(&mut self) -> Result<Event> {
        self.read(raw::rondo_session_next)
    }

    /// What the last step of the engine had for this session, once; with drafts, one token a call.
    pub fn event(&mut self) -> Result<Event> {
        self.read(raw::rondo_session_event)
    }

    fn read(
        &mut self,
        call: unsafe extern "C" fn(*mut raw::rondo_session, *mut raw::rondo_event) -> i32,
    ) -> Result<Event> {
        let mut raw: raw::rondo_event = unsafe { MaybeUninit::zeroed().assume_init() };
        raw.struct_size = size_of::<raw::rondo_event>() as u32;
        self.check(unsafe { call(self.handle, &mut raw) })?;
        // Valid until the next call on this session.
        let (text, bytes) = unsafe {
            (
                slice::from_raw_parts(raw.text.cast::<u8>(), raw.text_bytes),
                slice::from_raw_parts(raw.bytes.cast::<u8>(), raw.bytes_count),
            )
        };
        Ok(Event {
            token: if raw.token < 0 { None } else { Some(raw.token) },
            text: String::from_utf8_lossy(text).into_owned(),
            bytes: bytes.to_vec(),
            reason: Reason(raw.reason),
            logprob: raw.logprob,
            pending: raw.pending,
            taken_over: raw.taken_over,
            channel: Channel(raw.channel),
        })
    }

    /// Generates up to the event with the reason, or the first error.
    pub fn stream(&mut self) -> Stream<'_, 'm> {
        Stream { session: self, over: false }
    }

    /// The answer to a conversation; the session's tokens become the conversation's.
    pub fn chat(&mut self, chat: &Chat<'_>) -> Result<Stream<'_, 'm>> {
        let ids = self.model.chat_ids(chat)?;
        self.reset()?;
        self.append_media(&ids, &[])?; // refuses ids in which pictures are missing
        Ok(self.stream())
    }

    /// The text of a whole generation.
    pub fn generate(&mut self) -> Result<String> {
        self.stream().map(|event| Ok(event?.text)).collect()
    }

    /// The logits after the last token, without a copy.
    pub fn logits(&mut self) -> Result<&[f32]> {
        let (mut logits, mut count) = (ptr::null(), 0);
        self.check(unsafe { raw::rondo_session_logits(self.handle, &mut logits, &mut count) })?;
        Ok(unsafe { slice::from_raw_parts(logits, count) })
    }

    /// Takes the last n tokens back.
    pub fn undo(&mut self, n: u64) -> Result<()> {
        self.check(unsafe { raw::rondo_session_undo(self.handle, n) })
    }

    /// Takes all tokens back. The options stay.
    pub fn reset(&mut self) -> Result<()> {
        self.check(unsafe { raw::rondo_session_reset(self.handle) })
    }

    /// How many tokens the sequence has.
    pub fn position(&self) -> Result<u64> {
        let mut position = 0;
        self.check(unsafe { raw::rondo_session_position(self.handle, &mut position) })?;
        Ok(position)
    }

    /// How many more tokens fit; [`u64::MAX`] under [`crate::Policy::SLIDE`].
    pub fn remaining(&self) -> Result<u64> {
        let mut tokens = 0;
        self.check(unsafe { raw::rondo_session_remaining(self.handle, &mut tokens) })?;
        Ok(tokens)
    }

    /// Under [`crate::Policy::SLIDE`]: the positions that are no longer seen.
    pub fn evicted(&self) -> Result<std::ops::Range<u64>> {
        let (mut begin, mut end) = (0, 0);
        self.check(unsafe { raw::rondo_session_evicted(self.handle, &mut begin, &mut end) })?;
        Ok(begin..end)
    }

    /// What was done for this session so far.
    pub fn stats(&self) -> Result<SessionCounters> {
        let mut raw: raw::rondo_session_counters = unsafe { MaybeUninit::zeroed().assume_init() };
        raw.struct_size = size_of::<raw::rondo_session_counters>() as u32;
        self.check(unsafe { raw::rondo_session_stats(self.handle, &mut raw) })?;
        Ok(unsafe { SessionCounters::of(&raw) })
    }

    /// How many tokens of a prompt are evaluated, and of how many.
    pub fn progress(&self) -> Result<(u64, u64)> {
        let (mut done, mut total) = (0, 0);
        check(unsafe { raw::rondo_session_progress(self.handle, &mut done, &mut total) })?;
        Ok((done, total))
    }

    /// The tokens that the session remembers, the last ones up to its position; -1 for a row of an
    /// input.
    pub fn tokens(&self) -> Result<Vec<i32>> {
        let mut ids = vec![0; self.position()? as usize];
        let (mut begin, mut count) = (0, 0);
        self.check(unsafe {
            raw::rondo_session_tokens(
                self.handle,
                &mut begin,
                ids.as_mut_ptr(),
                ids.len(),
                &mut count,
            )
        })?;
        ids.truncate(count);
        Ok(ids)
    }

    /// What ends calls of this session from other threads.
    pub fn canceller(&self) -> Canceller {
        Canceller(Arc::clone(&self.shared))
    }

    /// A session with the same tokens, and with options of its own.
    pub fn fork(&mut self, options: &SessionOptions) -> Result<Session<'m>> {
        let mut fork = ptr::null_mut();
        options.with_raw(&self.model, |raw| {
            check_message(|message, bytes| unsafe {
                raw::rondo_session_fork(self.handle, raw, &mut fork, message, bytes)
            })
        })?;
        Ok(Session::new(fork, self.model.share()))
    }

    /// The session as bytes. They hold the conversation: keep them as secret as its text.
    pub fn save(&self) -> Result<Vec<u8>> {
        let mut bytes = 0;
        unsafe { raw::rondo_session_save(self.handle, ptr::null_mut(), 0, &mut bytes) };
        let mut snapshot = vec![0u8; bytes];
        self.check(unsafe {
            let to = snapshot.as_mut_ptr().cast();
            raw::rondo_session_save(self.handle, to, snapshot.len(), &mut bytes)
        })?;
        Ok(snapshot)
    }

    /// Becomes what was saved. On failure the session is as before.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<()> {
        self.check(unsafe {
            raw::rondo_session_restore(self.handle, snapshot.as_ptr().cast(), snapshot.len())
        })
    }
}

struct Rows<F> {
    row: F,
    panic: Option<Box<dyn Any + Send>>,
}

/// The C function for rows of this type.
fn receiver<F: FnMut(usize, &[f32])>(_: &Rows<F>) -> raw::rondo_logits_row {
    unsafe extern "C" fn receive<F: FnMut(usize, &[f32])>(
        user: *mut c_void,
        index: usize,
        logits: *const f32,
        count: usize,
    ) {
        let rows = &mut *user.cast::<Rows<F>>();
        if rows.panic.is_some() {
            return;
        }
        let logits = slice::from_raw_parts(logits, count);
        let row = &mut rows.row;
        rows.panic = catch_unwind(AssertUnwindSafe(|| row(index, logits))).err();
    }
    Some(receive::<F>)
}

/// Made by [`Session::stream`].
pub struct Stream<'s, 'm> {
    session: &'s mut Session<'m>,
    over: bool,
}

impl Iterator for Stream<'_, '_> {
    type Item = Result<Event>;

    fn next(&mut self) -> Option<Result<Event>> {
        if self.over {
            return None;
        }
        let event = self.session.next();
        self.over = !matches!(&event, Ok(event) if event.reason == Reason::NONE);
        Some(event)
    }
}
