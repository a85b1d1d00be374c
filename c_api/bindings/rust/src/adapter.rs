//! Adapters: what a model was taught beside.
use crate::error::{check, check_message};
use crate::model::c_path;
use crate::{raw, AdapterFacts, Model, Result};
use std::any::Any;
use std::fmt;
use std::os::raw::c_char;
use std::path::Path;
use std::ptr;
use std::sync::Arc;

/// Made by [`Model::adapter`]. Clones are the same adapter, and any number of sessions share it.
#[derive(Clone)]
pub struct Adapter(Arc<Owner>);

struct Owner {
    handle: *mut raw::rondo_adapter,
    /// What the file's bytes lie in, where it was opened from memory.
    _memory: Option<Box<dyn Any + Send + Sync>>,
}

// An adapter never changes, and its users may be on any thread.
unsafe impl Send for Owner {}
unsafe impl Sync for Owner {}

impl Drop for Owner {
    fn drop(&mut self) {
        unsafe { raw::rondo_adapter_close(self.handle) }
    }
}

impl Adapter {
    pub(crate) fn open(model: &Model, path: &Path) -> Result<Self> {
        let path = c_path(path)?;
        Self::from_call(None, |adapter, message, bytes| unsafe {
            raw::rondo_adapter_open_path(model.handle(), path.as_ptr(), adapter, message, bytes)
        })
    }

    pub(crate) fn from_memory(
        model: &Model,
        owner: impl AsRef<[u8]> + Send + Sync + 'static,
    ) -> Result<Self> {
        let owner = Box::new(owner);
        let (start, length) = {
            let bytes = (*owner).as_ref();
            (bytes.as_ptr().cast(), bytes.len())
        };
        Self::from_call(Some(owner), |adapter, message, bytes| unsafe {
            raw::rondo_adapter_open_memory(model.handle(), start, length, adapter, message, bytes)
        })
    }

    fn from_call(
        memory: Option<Box<dyn Any + Send + Sync>>,
        call: impl FnOnce(*mut *mut raw::rondo_adapter, *mut c_char, usize) -> i32,
    ) -> Result<Self> {
        let mut handle = ptr::null_mut();
        check_message(|message, bytes| call(&mut handle, message, bytes))?;
        Ok(Adapter(Arc::new(Owner { handle, _memory: memory })))
    }

    /// What it is: [`crate::EngineOptions::adapter_rank`] must be at least its rank.
    pub fn info(&self) -> Result<AdapterFacts> {
        AdapterFacts::filled(|facts| {
            check(unsafe { raw::rondo_adapter_info(self.handle(), facts) })
        })
    }

    pub(crate) fn handle(&self) -> *mut raw::rondo_adapter {
        self.0.handle
    }
}

impl fmt::Debug for Adapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rank = self.info().map(|facts| facts.rank).ok();
        f.debug_struct("Adapter").field("rank", &rank).finish_non_exhaustive()
    }
}
