//! Engines: models made runnable in one arena.
use crate::callbacks::{calling, reported, unreported, Progress};
use crate::error::{check, check_message};
use crate::host::{LogTarget, Pool};
use crate::session::Handle;
use crate::turns::Turns;
use crate::{
    raw, EngineCounters, EngineOptions, MemoryPlan, MemoryRegion, Model, ProfileEvent, Result,
    Session, SessionOptions,
};
use std::any::Any;
use std::fmt;
use std::mem::{zeroed, MaybeUninit};
use std::os::raw::c_void;
use std::ptr;
use std::sync::{Arc, Mutex};

/// A model made runnable, by [`Model::engine`]. Clones are the same engine, and any number of threads
/// share it: kept in a struct, moved into threads and tasks.
#[derive(Clone)]
pub struct Engine(Arc<Owner>);

struct Owner {
    handle: *mut raw::rondo_engine,
    model: Model,
    /// Held while texts are embedded: those that come meanwhile wait for the places.
    embedding: Mutex<()>,
    // What the engine uses as long as it is there.
    _draft: Option<Model>,
    _log: Option<Arc<LogTarget>>,
    _parallel_for: Option<Arc<Pool>>,
    _arena: Option<Arena>,
}

// Every function of an engine is [any thread], and what it keeps is Send and Sync.
unsafe impl Send for Owner {}
unsafe impl Sync for Owner {}

impl Drop for Owner {
    fn drop(&mut self) {
        unsafe { raw::rondo_engine_close(self.handle) }
    }
}

/// The caller's memory.
pub(crate) struct Arena {
    start: *mut c_void,
    bytes: usize,
    owner: *mut (dyn Any + Send + Sync),
}

impl Arena {
    pub(crate) fn new(owner: impl AsMut<[MaybeUninit<u8>]> + Send + Sync + 'static) -> Self {
        let owner = Box::into_raw(Box::new(owner)); // it does not move, and nobody else sees it
        let memory = unsafe { (*owner).as_mut() };
        Arena { start: memory.as_mut_ptr().cast(), bytes: memory.len(), owner }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        drop(unsafe { Box::from_raw(self.owner) })
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.memory().map(|plan| plan.arena_bytes).ok();
        let mut out = f.debug_struct("Engine");
        out.field("model", &self.0.model).field("arena_bytes", &bytes).finish_non_exhaustive()
    }
}

impl Engine {
    pub(crate) fn create(
        model: &Model,
        options: &EngineOptions,
        arena: Option<Arena>,
        progress: Option<Progress<'_>>,
    ) -> Result<Self> {
        let mut handle = ptr::null_mut();
        let (start, bytes) =
            arena.as_ref().map_or((ptr::null_mut(), 0), |arena| (arena.start, arena.bytes));
        options.with_raw(|raw| {
            let create = |report, user| {
                raw.progress = report;
                raw.progress_user = user;
                check_message(|message, message_bytes| unsafe {
                    raw::rondo_engine_create(
                        model.handle(),
                        raw,
                        start,
                        bytes,
                        &mut handle,
                        message,
                        message_bytes,
                    )
                })
            };
            match progress {
                Some(progress) => reported(progress, create),
                None => unreported(create),
            }
        })?;
        Ok(Engine(Arc::new(Owner {
            handle,
            model: model.clone(),
            embedding: Mutex::new(()),
            _draft: options.draft.clone(),
            _log: options.log.clone(),
            _parallel_for: options.parallel_for.clone(),
            _arena: arena,
        })))
    }

    pub(crate) fn handle(&self) -> *mut raw::rondo_engine {
        self.0.handle
    }

    pub(crate) fn embedding(&self) -> &Mutex<()> {
        &self.0.embedding
    }

    /// The model that it runs.
    pub fn model(&self) -> &Model {
        &self.0.model
    }

    /// The plan that this engine was made by.
    pub fn memory(&self) -> Result<MemoryPlan> {
        MemoryPlan::filled(|plan| check(unsafe { raw::rondo_engine_memory(self.handle(), plan) }))
    }

    /// Region number `index` of that plan.
    pub fn memory_region(&self, index: u32) -> Result<MemoryRegion> {
        MemoryRegion::filled(|region| {
            check(unsafe { raw::rondo_engine_memory_region(self.handle(), index, region) })
        })
    }

    /// What the engine did so far.
    pub fn stats(&self) -> Result<EngineCounters> {
        EngineCounters::filled(|counters| {
            check(unsafe { raw::rondo_engine_stats(self.handle(), counters) })
        })
    }

    /// The next event of the profile from number `cursor` on, and the number behind it.
    pub fn profile(&self, mut cursor: u64) -> Result<Option<(ProfileEvent, u64)>> {
        let mut raw: raw::rondo_profile_event = unsafe { zeroed() };
        raw.struct_size = std::mem::size_of::<raw::rondo_profile_event>() as u32;
        check(unsafe { raw::rondo_engine_profile(self.handle(), &mut cursor, &mut raw) })?;
        if raw.name.is_null() {
            return Ok(None);
        }
        Ok(Some((unsafe { ProfileEvent::of(&raw) }, cursor)))
    }

    /// An empty session in one of the engine's places. It samples as the model's makers recommend
    /// it, where the options say nothing else.
    pub fn session(&self, options: &SessionOptions) -> Result<Session> {
        let mut handle = ptr::null_mut();
        options.with_raw(self.model(), |raw| {
            calling(|| {
                check_message(|message, bytes| unsafe {
                    raw::rondo_session_open(self.handle(), raw, &mut handle, message, bytes)
                })
            })
        })?;
        Ok(Session::new(Handle(handle), self.clone(), options.adapter.clone()))
    }

    /// One pass for several sessions of this engine; [`Session::event`] tells what each got.
    pub fn step(&self, sessions: &mut [&mut Session]) -> Result<()> {
        let _turns = Turns::of(sessions);
        let handles: Vec<_> = sessions.iter().map(|session| session.handle()).collect();
        calling(|| {
            check_message(|message, bytes| unsafe {
                raw::rondo_engine_step(
                    self.handle(),
                    handles.as_ptr(),
                    handles.len(),
                    message,
                    bytes,
                )
            })
        })
    }
}
