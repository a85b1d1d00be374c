//! Calls that wait on a thread of their own, and how they are given up: what a future's drop ends is
//! its own call, never one that comes later.
use crate::error::{Error, Result};
use crate::raw;
use crate::session::Handle;
use std::cell::RefCell;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a thread does for a future.
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
    /// The call into the library that the thread is about to make, is in, or has just left.
    call: Option<(Handle, u64)>,
}

impl Watch {
    /// Ends the thread's call, and it makes no other.
    pub(crate) fn abandon(&self) {
        let mut state = lock(&self.state);
        state.abandoned = true;
        if let Some((session, number)) = state.call.take() {
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

    pub(crate) fn abandoned(&self) -> bool {
        lock(&self.state).abandoned
    }
}

thread_local! {
    static WATCH: RefCell<Option<Arc<Watch>>> = const { RefCell::new(None) };
}

fn watch() -> Option<Arc<Watch>> {
    WATCH.with(|watch| watch.borrow().clone())
}

/// Whether this thread was started for a future.
pub(crate) fn on_own_thread() -> bool {
    watch().is_some()
}

/// Whether the future that this thread was started for is given up.
pub(crate) fn abandoned() -> bool {
    watch().map_or(false, |watch| watch.abandoned())
}

/// From here on this thread works for the future of `watch`.
pub(crate) fn work_for(watch: Arc<Watch>) {
    WATCH.with(|slot| *slot.borrow_mut() = Some(watch));
}

/// Makes a call of a session that takes a number, so that a future's drop finds it.
pub(crate) fn numbered<T>(session: Handle, call: impl FnOnce() -> T) -> Result<T> {
    let watch = match watch() {
        Some(watch) => watch,
        None => return Ok(call()),
    };
    let before = {
        let mut state = lock(&watch.state);
        if state.abandoned {
            return Err(Error::cancelled());
        }
        let mut number = 0;
        // Nobody else calls this session: the next number is this call's.
        unsafe { raw::rondo_session_call(session.0, &mut number) };
        state.call.replace((session, number))
    };
    let result = call();
    lock(&watch.state).call = before; // a callback may have called another session in between
    Ok(result)
}
