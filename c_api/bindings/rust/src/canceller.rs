//! Ends calls from other threads.
use crate::error::check;
use crate::raw;
use crate::session::Handle;
use crate::Result;
use std::fmt;

/// Ends single calls of a session from any thread, by their number, and tells how far they are. Made by
/// [`crate::Session::canceller`]; it does not keep the session, and does nothing when that is gone. Whole
/// generations, of many calls, a [`crate::CancelToken`] ends.
#[derive(Clone)]
pub struct Canceller(Handle);

// Only functions that are [any thread] are called.
impl Canceller {
    pub(crate) fn new(session: Handle) -> Self {
        Canceller(session)
    }

    /// The number of the call that computes, or else of the next one; 0 when the session is gone.
    pub fn call_number(&self) -> u64 {
        let mut number = 0;
        unsafe { raw::rondo_session_call(self.0 .0, &mut number) };
        number
    }

    /// Makes the call of this number, and no other, fail with [`crate::Status::Cancelled`]. Does
    /// nothing where it is over.
    pub fn cancel_call(&self, number: u64) {
        unsafe { raw::rondo_session_cancel_call(self.0 .0, number) };
    }

    /// Makes the call that runs, or else the next one that computes, fail with
    /// [`crate::Status::Cancelled`]: one that comes late ends a call that it was not meant for, which
    /// [`Canceller::cancel_call`] does not.
    pub fn cancel(&self) {
        unsafe { raw::rondo_session_cancel(self.0 .0) };
    }

    /// How many tokens of the last prompt are evaluated, and of how many.
    pub fn progress(&self) -> Result<(u64, u64)> {
        let (mut done, mut total) = (0, 0);
        check(unsafe { raw::rondo_session_progress(self.0 .0, &mut done, &mut total) })?;
        Ok((done, total))
    }
}

impl fmt::Debug for Canceller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Canceller").finish_non_exhaustive()
    }
}
