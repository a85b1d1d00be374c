//! What the caller hands in to be called from inside of the library: no panic crosses it. One that
//! comes is kept for its thread and goes on where the call into the library is over.
use crate::calls;
use std::any::Any;
use std::cell::Cell;
use std::ops::ControlFlow;
use std::os::raw::c_void;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr;

thread_local! {
    static PANIC: Cell<Option<Box<dyn Any + Send>>> = const { Cell::new(None) };
}

/// What `run` gives; None: it panicked.
pub(crate) fn guarded<T>(run: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(value) => Some(value),
        Err(panic) => {
            PANIC.with(|slot| slot.set(Some(panic)));
            None
        }
    }
}

/// Calls the library, which may call back on this thread; a panic of a callback goes on here.
pub(crate) fn calling<T>(call: impl FnOnce() -> T) -> T {
    let result = call();
    if let Some(panic) = PANIC.with(Cell::take) {
        resume_unwind(panic);
    }
    result
}

/// Told `done` of `total`; a break cancels.
pub(crate) type Progress<'p> = &'p mut dyn FnMut(u64, u64) -> ControlFlow<()>;

/// C's form of it.
type Report = unsafe extern "C" fn(user: *mut c_void, done: u64, total: u64) -> i32;

unsafe extern "C" fn report(user: *mut c_void, done: u64, total: u64) -> i32 {
    let progress = &mut *user.cast::<Progress<'_>>();
    let goes_on = guarded(|| progress(done, total).is_continue()).unwrap_or(false);
    i32::from(!goes_on || calls::abandoned())
}

/// Calls `call` with a function and what is passed on to it.
pub(crate) fn reported<T>(
    mut progress: Progress<'_>,
    call: impl FnOnce(Option<Report>, *mut c_void) -> T,
) -> T {
    let user: *mut Progress<'_> = &mut progress;
    calling(|| call(Some(report), user.cast()))
}

/// Without anybody who is told; what watches this thread ends the call.
pub(crate) fn unreported<T>(call: impl FnOnce(Option<Report>, *mut c_void) -> T) -> T {
    if calls::watched() {
        reported(&mut |_, _| ControlFlow::Continue(()), call)
    } else {
        calling(|| call(None, ptr::null_mut()))
    }
}
