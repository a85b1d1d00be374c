//! Callbacks that are told how far a call is, and that may end it.
use std::any::Any;
use std::os::raw::c_void;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr;

/// Told `done` of `total`; false cancels.
pub(crate) type Progress<'p> = Box<dyn FnMut(u64, u64) -> bool + 'p>;

/// C's form of it.
type Report = unsafe extern "C" fn(user: *mut c_void, done: u64, total: u64) -> i32;

struct Reporter<'a, 'p> {
    progress: &'a mut Progress<'p>,
    panic: Option<Box<dyn Any + Send>>,
}

unsafe extern "C" fn report(user: *mut c_void, done: u64, total: u64) -> i32 {
    let reporter = &mut *user.cast::<Reporter<'_, '_>>();
    match catch_unwind(AssertUnwindSafe(|| (reporter.progress)(done, total))) {
        Ok(goes_on) => i32::from(!goes_on),
        Err(panic) => {
            reporter.panic = Some(panic);
            1
        }
    }
}

/// Calls `call` with a function and what is passed on to it; a panic of `progress` goes on here.
pub(crate) fn reported<T>(
    progress: Option<&mut Progress<'_>>,
    call: impl FnOnce(Option<Report>, *mut c_void) -> T,
) -> T {
    match progress {
        None => call(None, ptr::null_mut()),
        Some(progress) => {
            let mut reporter = Reporter { progress, panic: None };
            let user = (&mut reporter as *mut Reporter<'_, '_>).cast();
            let result = call(Some(report), user);
            if let Some(panic) = reporter.panic {
                resume_unwind(panic);
            }
            result
        }
    }
}
