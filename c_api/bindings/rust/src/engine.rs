//! Engines: models made runnable in one arena.
use crate::error::{check, check_message};
use crate::{
    raw, EngineCounters, EngineOptions, MemoryPlan, MemoryRegion, Model, ProfileEvent, Result,
    Session, SessionOptions,
};
use std::mem::{size_of, MaybeUninit};
use std::os::raw::c_void;
use std::ptr;

/// Made by [`Model::engine`]. Shared by threads.
pub struct Engine<'m> {
    pub(crate) handle: *mut raw::rondo_engine,
    pub(crate) model: Model<'m>,
}

// Every function of an engine is [any thread].
unsafe impl Send for Engine<'_> {}
unsafe impl Sync for Engine<'_> {}

impl Drop for Engine<'_> {
    fn drop(&mut self) {
        unsafe { raw::rondo_engine_close(self.handle) }
    }
}

impl<'m> Engine<'m> {
    pub(crate) fn create(
        model: &Model<'m>,
        options: &mut EngineOptions<'_>,
        arena: *mut c_void,
        arena_bytes: usize,
    ) -> Result<Self> {
        let mut handle = ptr::null_mut();
        options.with_progress(|raw| {
            check_message(|message, bytes| unsafe {
                raw::rondo_engine_create(
                    model.handle,
                    raw,
                    arena,
                    arena_bytes,
                    &mut handle,
                    message,
                    bytes,
                )
            })
        })?;
        Ok(Engine { handle, model: model.share() })
    }

    /// The plan that this engine was made by.
    pub fn memory(&self) -> Result<MemoryPlan> {
        let mut raw: raw::rondo_memory_plan = unsafe { MaybeUninit::zeroed().assume_init() };
        raw.struct_size = size_of::<raw::rondo_memory_plan>() as u32;
        check(unsafe { raw::rondo_engine_memory(self.handle, &mut raw) })?;
        Ok(unsafe { MemoryPlan::of(&raw) })
    }

    /// Region number `index` of that plan.
    pub fn memory_region(&self, index: u32) -> Result<MemoryRegion> {
        let mut raw: raw::rondo_memory_region = unsafe { MaybeUninit::zeroed().assume_init() };
        raw.struct_size = size_of::<raw::rondo_memory_region>() as u32;
        check(unsafe { raw::rondo_engine_memory_region(self.handle, index, &mut raw) })?;
        Ok(unsafe { MemoryRegion::of(&raw) })
    }

    /// What the engine did so far.
    pub fn stats(&self) -> Result<EngineCounters> {
        let mut raw: raw::rondo_engine_counters = unsafe { MaybeUninit::zeroed().assume_init() };
        raw.struct_size = size_of::<raw::rondo_engine_counters>() as u32;
        check(unsafe { raw::rondo_engine_stats(self.handle, &mut raw) })?;
        Ok(unsafe { EngineCounters::of(&raw) })
    }

    /// The next event of the profile from number `cursor` on, and the number behind it.
    pub fn profile(&self, mut cursor: u64) -> Result<Option<(ProfileEvent, u64)>> {
        let mut raw: raw::rondo_profile_event = unsafe { MaybeUninit::zeroed().assume_init() };
        raw.struct_size = size_of::<raw::rondo_profile_event>() as u32;
        check(unsafe { raw::rondo_engine_profile(self.handle, &mut cursor, &mut raw) })?;
        if raw.name.is_null() {
            return Ok(None);
        }
        Ok(Some((unsafe { ProfileEvent::of(&raw) }, cursor)))
    }

    /// An empty session in one of the engine's places. It samples as the model's makers recommend
    /// it, where the options say nothing else.
    pub fn session(&self, options: &SessionOptions) -> Result<Session<'m>> {
        let mut handle = ptr::null_mut();
        options.with_raw(&self.model, |raw| {
            check_message(|message, bytes| unsafe {
                raw::rondo_session_open(self.handle, raw, &mut handle, message, bytes)
            })
        })?;
        Ok(Session::new(handle, self.model.share()))
    }

    /// One pass for several sessions of this engine; [`Session::event`] tells what each got.
    pub fn step(&self, sessions: &mut [&mut Session<'_>]) -> Result<()> {
        let handles: Vec<_> = sessions.iter().map(|session| session.handle).collect();
        check_message(|message, bytes| unsafe {
            raw::rondo_engine_step(self.handle, handles.as_ptr(), handles.len(), message, bytes)
        })
    }
}
