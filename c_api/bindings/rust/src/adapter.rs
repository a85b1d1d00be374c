//! Adapters: what a model was taught beside.
use crate::error::{check, check_message};
use crate::model::c_path;
use crate::{raw, AdapterFacts, Model, Result};
use std::fmt;
use std::path::Path;
use std::ptr;
use std::sync::Arc;

/// Made by [`Model::adapter`]. Clones are the same adapter, and any number of sessions share it.
#[derive(Clone)]
pub struct Adapter(Arc<Owner>);

struct Owner(*mut raw::rondo_adapter);

// An adapter never changes, and its users may be on any thread.
unsafe impl Send for Owner {}
unsafe impl Sync for Owner {}

impl Drop for Owner {
    fn drop(&mut self) {
        unsafe { raw::rondo_adapter_close(self.0) }
    }
}

impl Adapter {
    pub(crate) fn open(model: &Model, path: &Path) -> Result<Self> {
        let path = c_path(path)?;
        let mut handle = ptr::null_mut();
        check_message(|message, bytes| unsafe {
            raw::rondo_adapter_open_path(model.handle(), path.as_ptr(), &mut handle, message, bytes)
        })?;
        Ok(Adapter(Arc::new(Owner(handle))))
    }

    /// What it is: [`crate::EngineOptions::adapter_rank`] must be at least its rank.
    pub fn info(&self) -> Result<AdapterFacts> {
        AdapterFacts::filled(|facts| {
            check(unsafe { raw::rondo_adapter_info(self.handle(), facts) })
        })
    }

    pub(crate) fn handle(&self) -> *mut raw::rondo_adapter {
        self.0 .0
    }
}

impl fmt::Debug for Adapter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rank = self.info().map(|facts| facts.rank).ok();
        f.debug_struct("Adapter").field("rank", &rank).finish_non_exhaustive()
    }
}
