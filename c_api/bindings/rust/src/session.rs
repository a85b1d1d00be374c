//! Sessions: sequences of tokens.
use crate::callbacks::{calling, guarded};
use crate::calls::numbered;
use crate::error::{check, check_message};
use crate::turns::{Queue, Turn};
use crate::{
    raw, Adapter, Canceller, Channel, Engine, Error, Model, Prompt, Reason, Result,
    SessionCounters, SessionOptions, Stream,
};
use std::ffi::CStr;
use std::fmt;
use std::mem::{size_of, zeroed};
use std::ops::Range;
use std::os::raw::c_void;
use std::ptr;
use std::slice;
use std::sync::Arc;

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
    /// Why the generation ended; none: it goes on.
    pub reason: Option<Reason>,
    /// With the option `logprobs`; else 0.
    pub logprob: f32,
    /// Tokens of the prompt that still wait for passes.
    pub pending: u64,
    /// Tokens that the prefix cache had.
    pub taken_over: u64,
    /// What the token belongs to, with the option `thinking`.
    pub channel: Channel,
}

/// The library's handle: a number that is never given out twice, so that one of a session that is gone is
/// refused, whoever has it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Handle(pub(crate) *mut raw::rondo_session);

unsafe impl Send for Handle {}
unsafe impl Sync for Handle {}

/// What a session and the threads that work for its futures have together.
pub(crate) struct Shared {
    handle: Handle,
    engine: Engine,
    adapter: Option<Adapter>, // its own, or that of what it was forked from
    pub(crate) queue: Queue,
}

impl Shared {
    pub(crate) fn handle(&self) -> Handle {
        self.handle
    }
}

/// One sequence of tokens, made by [`Engine::session`]. It takes one call at a time, which the borrow
/// checker holds, from whichever thread; a [`Canceller`] ends calls from others. It holds its engine,
/// and both may be dropped in any order.
pub struct Session {
    pub(crate) shared: Arc<Shared>,
    /// It is there for a future's work alone, and does not close.
    guest: bool,
}

impl Drop for Session {
    fn drop(&mut self) {
        if !self.guest {
            self.shared.queue.close();
            unsafe { raw::rondo_session_close(self.handle()) }
        }
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("engine", self.engine()).finish_non_exhaustive()
    }
}

impl Session {
    pub(crate) fn new(handle: Handle, engine: Engine, adapter: Option<Adapter>) -> Self {
        let shared = Shared { handle, engine, adapter, queue: Queue::default() };
        Session { shared: Arc::new(shared), guest: false }
    }

    pub(crate) fn guest(shared: Arc<Shared>) -> Self {
        Session { shared, guest: true }
    }

    pub(crate) fn handle(&self) -> *mut raw::rondo_session {
        self.shared.handle.0
    }

    /// A guest has its turn already.
    pub(crate) fn turn(&self) -> Option<Turn<'_>> {
        (!self.guest).then(|| Turn::of(&self.shared.queue))
    }

    /// Of the call that just failed, within its turn.
    fn failure(&self, status: i32) -> Error {
        let message = match status {
            raw::RONDO_STATUS_BUSY => Default::default(), // the session says nothing of it
            _ => unsafe { CStr::from_ptr(raw::rondo_session_last_error(self.handle())) },
        };
        Error::new(status, message)
    }

    /// A call on this session when it is its turn, and what it says where it fails.
    pub(crate) fn call(&self, call: impl FnOnce(*mut raw::rondo_session) -> i32) -> Result<()> {
        let _turn = self.turn();
        let handle = self.handle();
        match calling(|| call(handle)) {
            raw::RONDO_STATUS_OK => Ok(()),
            status => Err(self.failure(status)),
        }
    }

    /// The same of one that computes, which a future's drop ends.
    pub(crate) fn compute(&self, call: impl FnOnce(*mut raw::rondo_session) -> i32) -> Result<()> {
        let _turn = self.turn();
        let session = self.shared.handle;
        match numbered(session, || calling(|| call(session.0))) {
            raw::RONDO_STATUS_OK => Ok(()),
            status => Err(self.failure(status)),
        }
    }

    /// The engine that it is of.
    pub fn engine(&self) -> &Engine {
        &self.shared.engine
    }

    pub(crate) fn model(&self) -> &Model {
        self.engine().model()
    }

    /// The text that goes on behind `prompt`: a text or token ids.
    ///
    /// ```no_run
    /// # fn main() -> rondo::Result<()> {
    /// # let engine = rondo::Model::open("model.rondo")?.engine(&Default::default())?;
    /// let mut session = engine.session(&rondo::SessionOptions::default().max_tokens(64))?;
    /// println!("{}", session.generate("Once upon a time")?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn generate<'p>(&mut self, prompt: impl Into<Prompt<'p>>) -> Result<String> {
        self.stream(prompt).map(|event| Ok(event?.text)).collect()
    }

    /// The same token by token. A failure of the prompt is the first item.
    pub fn stream<'p>(&mut self, prompt: impl Into<Prompt<'p>>) -> Stream<'_> {
        let begun = self.feed(&prompt.into());
        Stream::begun(self, begun)
    }

    /// Goes on with what the session has, up to the event with the reason or the first error.
    pub fn resume(&mut self) -> Stream<'_> {
        Stream::begun(self, Ok(()))
    }

    /// Appends and evaluates a prompt. What begins a text is added where the session is empty.
    pub(crate) fn feed(&mut self, prompt: &Prompt<'_>) -> Result<()> {
        match prompt {
            Prompt::Ids(ids) => self.prefill(ids),
            Prompt::Text(text) => {
                let ids = self.model().tokenize(text, self.position()? == 0)?;
                self.prefill(&ids)
            }
        }
    }

    /// Appends and evaluates tokens: a prompt, or the next turn of a conversation. All or nothing.
    pub fn prefill(&mut self, ids: &[i32]) -> Result<()> {
        self.compute(|session| unsafe {
            raw::rondo_session_prefill(session, ids.as_ptr(), ids.len())
        })
    }

    /// As [`Session::prefill`], and calls `row` with the index and the logits after each token.
    pub fn prefill_logits(&mut self, ids: &[i32], row: impl FnMut(usize, &[f32])) -> Result<()> {
        let mut rows = Rows { row, over: false };
        let receive = receiver(&rows);
        self.compute(|session| unsafe {
            let user = (&mut rows as *mut Rows<_>).cast();
            raw::rondo_session_prefill_logits(session, ids.as_ptr(), ids.len(), receive, user)
        })
    }

    /// Queues tokens, which the next steps of the engine evaluate.
    pub fn append(&mut self, ids: &[i32]) -> Result<()> {
        self.call(|session| unsafe { raw::rondo_session_append(session, ids.as_ptr(), ids.len()) })
    }

    /// Tells tokens that may come next: the next pass verifies them, and no token is another for it.
    pub fn propose(&mut self, ids: &[i32]) -> Result<()> {
        self.call(|session| unsafe { raw::rondo_session_propose(session, ids.as_ptr(), ids.len()) })
    }

    /// Appends one token that the caller chose.
    pub fn accept(&mut self, token: i32) -> Result<()> {
        self.call(|session| unsafe { raw::rondo_session_accept(session, token) })
    }

    /// Generates one token.
    #[allow(clippy::should_implement_trait)] // a session is no iterator: Session::resume gives one
    pub fn next(&mut self) -> Result<Event> {
        let _turn = self.turn();
        let mut raw = empty_event();
        let session = self.shared.handle;
        let next = || calling(|| unsafe { raw::rondo_session_next(session.0, &mut raw) });
        let status = numbered(session, next);
        self.event_of(status, &raw)
    }

    /// What the last step of the engine had for this session, once; with drafts, one token a call.
    pub fn event(&mut self) -> Result<Event> {
        let _turn = self.turn();
        let mut raw = empty_event();
        let status = calling(|| unsafe { raw::rondo_session_event(self.handle(), &mut raw) });
        self.event_of(status, &raw)
    }

    /// Within the turn of the call: what an event points to is valid up to the next one.
    fn event_of(&self, status: i32, raw: &raw::rondo_event) -> Result<Event> {
        if status != raw::RONDO_STATUS_OK {
            return Err(self.failure(status));
        }
        let (text, bytes) = unsafe {
            (
                slice::from_raw_parts(raw.text.cast::<u8>(), raw.text_bytes),
                slice::from_raw_parts(raw.bytes.cast::<u8>(), raw.bytes_count),
            )
        };
        let goes_on = raw.reason == raw::RONDO_REASON_NONE;
        Ok(Event {
            token: (raw.token >= 0).then_some(raw.token),
            text: String::from_utf8_lossy(text).into_owned(),
            bytes: bytes.to_vec(),
            reason: (!goes_on).then(|| Reason::of(raw.reason)),
            logprob: raw.logprob,
            pending: raw.pending,
            taken_over: raw.taken_over,
            channel: Channel::of(raw.channel),
        })
    }

    /// The logits after the last token, without a copy: the session takes no other call as long as
    /// they are held.
    pub fn logits(&mut self) -> Result<&[f32]> {
        let (mut logits, mut count) = (ptr::null(), 0);
        self.compute(|session| unsafe {
            raw::rondo_session_logits(session, &mut logits, &mut count)
        })?;
        Ok(unsafe { slice::from_raw_parts(logits, count) })
    }

    /// Takes the last n tokens back.
    pub fn undo(&mut self, n: u64) -> Result<()> {
        self.call(|session| unsafe { raw::rondo_session_undo(session, n) })
    }

    /// Takes all tokens back. The options stay.
    pub fn reset(&mut self) -> Result<()> {
        self.call(|session| unsafe { raw::rondo_session_reset(session) })
    }

    /// How many tokens the sequence has.
    pub fn position(&self) -> Result<u64> {
        let mut position = 0;
        self.call(|session| unsafe { raw::rondo_session_position(session, &mut position) })?;
        Ok(position)
    }

    /// How many more tokens fit; none: any number, under [`crate::Policy::Slide`].
    pub fn remaining(&self) -> Result<Option<u64>> {
        let mut tokens = 0;
        self.call(|session| unsafe { raw::rondo_session_remaining(session, &mut tokens) })?;
        Ok((tokens != u64::MAX).then_some(tokens))
    }

    /// Under [`crate::Policy::Slide`]: the positions that are no longer seen.
    pub fn evicted(&self) -> Result<Range<u64>> {
        let (mut begin, mut end) = (0, 0);
        self.call(|session| unsafe { raw::rondo_session_evicted(session, &mut begin, &mut end) })?;
        Ok(begin..end)
    }

    /// What was done for this session so far.
    pub fn stats(&self) -> Result<SessionCounters> {
        SessionCounters::filled(|counters| {
            self.call(|session| unsafe { raw::rondo_session_stats(session, counters) })
        })
    }

    /// The tokens that the session remembers, the last ones up to its position; -1 for a row of an
    /// input.
    pub fn tokens(&self) -> Result<Vec<i32>> {
        let mut ids = vec![0; self.position()? as usize];
        let (mut begin, mut count) = (0, 0);
        self.call(|session| unsafe {
            let (to, room) = (ids.as_mut_ptr(), ids.len());
            raw::rondo_session_tokens(session, &mut begin, to, room, &mut count)
        })?;
        ids.truncate(count);
        Ok(ids)
    }

    /// What ends calls of this session from other threads, and tells how far they are.
    pub fn canceller(&self) -> Canceller {
        Canceller::new(self.shared.handle)
    }

    /// A session with the same tokens, and with options of its own.
    pub fn fork(&mut self, options: &SessionOptions) -> Result<Session> {
        let _turn = self.turn();
        let mut fork = ptr::null_mut();
        options.with_raw(self.model(), |raw| {
            calling(|| {
                check_message(|message, bytes| unsafe {
                    raw::rondo_session_fork(self.handle(), raw, &mut fork, message, bytes)
                })
            })
        })?;
        Ok(Session::new(Handle(fork), self.engine().clone(), self.shared.adapter.clone()))
    }

    /// The session as bytes. They hold the conversation: keep them as secret as its text.
    pub fn save(&self) -> Result<Vec<u8>> {
        let _turn = self.turn();
        let mut bytes = 0;
        let session = self.handle();
        unsafe { raw::rondo_session_save(session, ptr::null_mut(), 0, &mut bytes) };
        let mut snapshot = vec![0u8; bytes];
        check(unsafe {
            let to = snapshot.as_mut_ptr().cast();
            raw::rondo_session_save(session, to, snapshot.len(), &mut bytes)
        })?;
        Ok(snapshot)
    }

    /// Becomes what was saved. On failure the session is as before.
    pub fn restore(&mut self, snapshot: &[u8]) -> Result<()> {
        self.call(|session| unsafe {
            raw::rondo_session_restore(session, snapshot.as_ptr().cast(), snapshot.len())
        })
    }
}

fn empty_event() -> raw::rondo_event {
    let mut raw: raw::rondo_event = unsafe { zeroed() };
    raw.struct_size = size_of::<raw::rondo_event>() as u32;
    raw
}

struct Rows<F> {
    row: F,
    /// It panicked: it is told no more.
    over: bool,
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
        if !rows.over {
            let logits = slice::from_raw_parts(logits, count);
            rows.over = guarded(|| (rows.row)(index, logits)).is_none();
        }
    }
    Some(receive::<F>)
}
