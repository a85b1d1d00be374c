//! What ends calls into the library, and no others: futures that are dropped and tokens that are cancelled.
//! Both watch threads. Whoever calls on a watched thread tells the watch the call's number.
use crate::raw;
use crate::session::Handle;
use std::cell::RefCell;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Default)]
pub(crate) struct Watch {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    abandoned: bool,
    /// Of a stream: its future waits for an item.
    wanted: bool,
    /// The calls that threads are about to make, are in, or have just left.
    calls: Vec<(Handle, u64)>,
}

impl Watch {
    /// Ends the calls, and lets none begin.
    pub(crate) fn abandon(&self) {
        let mut state = lock(&self.state);
        state.abandoned = true;
        for (session, number) in state.calls.drain(..) {
            // Where this call is over nothing happens.
            unsafe { raw::rondo_session_cancel_call(session.0, number) };
        }
        drop(state);
        self.changed.notify_all();
    }

    /// An item of the stream is wanted, or there is one.
    pub(crate) fn want(&self, wanted: bool) {
        lock(&self.state).wanted = wanted;
        self.changed.notify_all();
    }

    /// Waits until an item is wanted; false: nobody will want any.
    pub(crate) fn next_wanted(&self) -> bool {
        let mut state = lock(&self.state);
        while !state.wanted && !state.abandoned {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        !state.abandoned
    }

    fn abandoned(&self) -> bool {
        lock(&self.state).abandoned
    }
}

thread_local! {
    /// Those that watch this thread.
    static WATCHES: RefCell<Vec<Arc<Watch>>> = const { RefCell::new(Vec::new()) };
}

fn watches() -> Vec<Arc<Watch>> {
    WATCHES.with(|watches| watches.borrow().clone())
}

pub(crate) fn watched() -> bool {
    WATCHES.with(|watches| !watches.borrow().is_empty())
}

/// Whether calls on this thread are to end.
pub(crate) fn abandoned() -> bool {
    watches().iter().any(|watch| watch.abandoned())
}

/// `run` under a watch.
pub(crate) fn under<T>(watch: Arc<Watch>, run: impl FnOnce() -> T) -> T {
    struct Under;
    impl Drop for Under {
        fn drop(&mut self) {
            WATCHES.with(|watches| watches.borrow_mut().pop());
        }
    }
    WATCHES.with(|watches| watches.borrow_mut().push(watch));
    let _under = Under;
    run()
}

/// Makes a call of a session that takes a number. Nobody else calls the session meanwhile.
pub(crate) fn numbered<T>(session: Handle, call: impl FnOnce() -> T) -> T {
    let watches = watches();
    if watches.is_empty() {
        return call();
    }
    let mut number = 0;
    unsafe { raw::rondo_session_call(session.0, &mut number) };
    let this = (session, number);
    let begin = |watch: &Arc<Watch>| {
        let mut state = lock(&watch.state);
        state.calls.push(this);
        !state.abandoned
    };
    let end = |watch: &Arc<Watch>| lock(&watch.state).calls.retain(|&call| call != this);
    if watches.iter().filter(|watch| !begin(watch)).count() > 0 {
        // It is made all the same, so that no cancel of its number is left for the next one.
        unsafe { raw::rondo_session_cancel_call(session.0, number) };
    }
    let result = call();
    watches.iter().for_each(end);
    result
}

/// Ends the calls that run under it, from any thread; no others, however late it comes.
///
/// ```no_run
/// # fn main() -> rondo::Result<()> {
/// # let engine = rondo::Model::open("model.rondo")?.engine(&Default::default())?;
/// # let mut session = engine.session(&Default::default())?;
/// let token = rondo::CancelToken::new();
/// let button = token.clone(); // or a timeout
/// std::thread::spawn(move || button.cancel());
/// match token.run(|| session.generate("Once upon a time")) {
///     Err(error) if error.is_cancelled() => println!("stopped"),
///     text => println!("{}", text?),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct CancelToken(Arc<Watch>);

impl CancelToken {
    /// One that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls `run`, whose calls that compute fail with [`crate::Status::Cancelled`] when the token is
    /// cancelled, or was before: generations, prompts, embedding, engines and pictures that are made.
    /// Calls that are awaited end by the drop of their future.
    pub fn run<T>(&self, run: impl FnOnce() -> T) -> T {
        under(Arc::clone(&self.0), run)
    }

    /// Ends what runs under this token and its clones, and what will.
    pub fn cancel(&self) {
        self.0.abandon();
    }

    /// Whether it is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.abandoned()
    }
}

impl fmt::Debug for CancelToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancelToken").field("cancelled", &self.is_cancelled()).finish()
    }
}
