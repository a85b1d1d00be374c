//! What of the host an engine calls as long as it is there: a log, and a pool of threads.
use crate::callbacks::guarded;
use crate::{raw, Log};
use std::ffi::CStr;
use std::fmt;
use std::os::raw::{c_char, c_void};
use std::sync::Arc;

type Told = dyn Fn(Log, &str) + Send + Sync;

pub(crate) struct LogTarget(pub(crate) Box<Told>);

/// What calls a task for a number.
type Task<'t> = &'t (dyn Fn(usize) + Sync);

pub(crate) struct Pool(pub(crate) Box<dyn Fn(usize, Task<'_>) + Send + Sync>);

impl LogTarget {
    /// C's form of it, good as long as `target`.
    pub(crate) fn raw(target: &Arc<Self>) -> (raw::rondo_engine_options_log, *mut c_void) {
        unsafe extern "C" fn log(user: *mut c_void, level: i32, message: *const c_char) {
            let target = &*user.cast::<LogTarget>();
            let message = CStr::from_ptr(message).to_string_lossy();
            guarded(|| target.0(Log::of(level), &message));
        }
        (Some(log), Arc::as_ptr(target) as *mut c_void)
    }
}

impl Pool {
    /// C's form of it, good as long as `pool`.
    pub(crate) fn raw(pool: &Arc<Self>) -> (raw::rondo_engine_options_parallel_for, *mut c_void) {
        unsafe extern "C" fn parallel_for(
            user: *mut c_void,
            count: usize,
            task: raw::rondo_task,
            context: *mut c_void,
        ) {
            let pool = &*user.cast::<Pool>();
            // Any thread may call the task with its context: that is what a pool is for.
            let context = context as usize;
            let one = |index| {
                if let Some(task) = task {
                    task(context as *mut c_void, index);
                }
            };
            guarded(|| pool.0(count, &one));
        }
        (Some(parallel_for), Arc::as_ptr(pool) as *mut c_void)
    }
}

impl fmt::Debug for LogTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fn(Log, &str)")
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fn(usize, &dyn Fn(usize))")
    }
}
