//! Adapters: what a model was taught beside.
use crate::error::{c_string, check, check_message};
use crate::{raw, AdapterFacts, Model, Result};
use std::mem::{size_of, MaybeUninit};
use std::path::Path;
use std::ptr;
use std::sync::Arc;

/// Made by [`Model::adapter`]. Clones are the same adapter, and any number of sessions share it.
#[derive(Clone, Debug)]
pub struct Adapter(Arc<Owner>);

#[derive(Debug)]
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
    pub(crate) fn open(model: &Model<'_>, path: &Path) -> Result<Self> {
        let path = c_string(&path.to_string_lossy())?;
        let mut handle = ptr::null_mut();
        check_message(|message, bytes| unsafe {
            raw::rondo_adapter_open_path(model.handle, path.as_ptr(), &mut handle, message, bytes)
        })?;
        Ok(Adapter(Arc::new(Owner(handle))))
    }

    /// What it is: [`crate::EngineOptions::adapter_rank`] must be at least its rank.
    pub fn info(&self) -> Result<AdapterFacts> {
        let mut raw: raw::rondo_adapter_facts = unsafe { MaybeUninit::zeroed().assume_init() };
        raw.struct_size = size_of::<raw::rondo_adapter_facts>() as u32;
        check(unsafe { raw::rondo_adapter_info(self.handle(), &mut raw) })?;
        Ok(unsafe { AdapterFacts::of(&raw) })
    }

    pub(crate) fn handle(&self) -> *mut raw::rondo_adapter {
        self.0 .0
    }
}
