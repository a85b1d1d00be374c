//! Options of engines.
use crate::error::{c_string, Result};
use crate::host::{LogTarget, Pool};
use crate::{raw, Affinity, Kv, Log, Model, Policy};
use std::mem::{size_of, MaybeUninit};
use std::ptr;
use std::sync::Arc;

/// Chainable setters, named like the fields.
macro_rules! setters {
    ($($name:ident: $kind:ty),* $(,)?) => {
        $(
            #[doc = concat!("Sets `", stringify!($name), "`, which the field of this name tells of.")]
            #[must_use]
            pub fn $name(mut self, $name: $kind) -> Self {
                self.$name = $name.into();
                self
            }
        )*
    };
}

pub(crate) use setters;

/// How a model is to be run, with the library's defaults.
///
/// ```
/// let options = rondo::EngineOptions::default().context(2048).max_sessions(4);
/// assert_eq!(options.clone().context, 2048);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EngineOptions {
    // generated from here: engine options
    /// Tokens that a session can see. At most 2^24; default 0: the model's context_length.
    pub context: u32,
    /// Sessions open at once, each with a context of its own. 1 to 64; default 1.
    pub max_sessions: u32,
    /// Tokens of one pass of a prefill. 1 to 8192; default 256.
    pub max_rows: u32,
    /// Threads that compute, the caller's among them. At most 256; default 0: the performance
    /// cores, as far as the system tells, of those that this process may run on.
    pub threads: u32,
    /// What happens when a session's context is full. One of [`Policy`]; default `Policy::Stop`.
    pub context_policy: Policy,
    /// Under SLIDE the first tokens, which stay; in whole blocks. Default 0.
    pub sink_tokens: u32,
    /// How the KV cache holds keys and values. One of [`Kv`]; default `Kv::Int8`.
    pub kv_format: Kv,
    /// Tokens that the KV pool holds, of all sessions together, in whole blocks. At most 2^30;
    /// default 0: enough for the context of every session.
    pub kv_tokens: u32,
    /// Most tokens of a pass while some session decodes, those of drafts included. At most 8192;
    /// default 0: max_rows, the most that there may be.
    pub rows_per_step: u32,
    /// True: nothing is kept for later sessions.
    pub no_prefix_cache: bool,
    /// Events that the engine's profile remembers, in the arena, 56 bytes each. At most 2^20;
    /// default 0: nothing is recorded.
    pub profile_events: u32,
    /// Messages of this level and those above it are told. One of [`Log`]; default `Log::Warning`.
    pub log_level: Log,
    /// The largest share of the time that passes may take. At most 100; default 0: 100.
    pub duty_percent: u32,
    /// True: the draft head in the model's file (`rondo convert --mtp`) runs behind every pass and
    /// drafts for sessions of `Speculation::DraftHead`.
    pub draft_head: bool,
    /// To which CPUs the threads that the engine starts are kept. One of [`Affinity`]; default
    /// `Affinity::System`.
    pub affinity: Affinity,
    /// The largest rank of adapters that sessions may be given. At most 1024; default 0: none may.
    pub adapter_rank: u32,
    /// Rows of inputs that sessions may hold together ([`crate::Session::append_inputs`]). At most
    /// 2^20; default 0: sessions have tokens only.
    pub max_input_rows: u32,
    /// Rows of pictures that may be there at the same time ([`crate::Engine::media`]). At most
    /// 2^20; default 0: pictures are refused, and all of that takes nothing.
    pub max_media_rows: u32,
    // generated to here
    /// The kernel set's name; none: the best for this CPU.
    pub kernels: Option<String>,
    /// Those of [`Affinity::Cpus`], as the system counts them.
    pub cpus: Vec<u32>,
    /// A small model of the same vocabulary that drafts for sessions of
    /// [`crate::Speculation::DraftModel`]; its weights, KV and activations are in the plan.
    pub draft: Option<Model>,
    pub(crate) log: Option<Arc<LogTarget>>,
    pub(crate) parallel_for: Option<Arc<Pool>>,
}

impl Default for EngineOptions {
    fn default() -> Self {
        let raw = engine_defaults();
        EngineOptions {
            // generated from here: engine options' defaults
            context: raw.context,
            max_sessions: raw.max_sessions,
            max_rows: raw.max_rows,
            threads: raw.threads,
            context_policy: Policy::of(raw.context_policy),
            sink_tokens: raw.sink_tokens,
            kv_format: Kv::of(raw.kv_format),
            kv_tokens: raw.kv_tokens,
            rows_per_step: raw.rows_per_step,
            no_prefix_cache: raw.no_prefix_cache != 0,
            profile_events: raw.profile_events,
            log_level: Log::of(raw.log_level),
            duty_percent: raw.duty_percent,
            draft_head: raw.draft_head != 0,
            affinity: Affinity::of(raw.affinity),
            adapter_rank: raw.adapter_rank,
            max_input_rows: raw.max_input_rows,
            max_media_rows: raw.max_media_rows,
            // generated to here
            kernels: None,
            cpus: Vec::new(),
            draft: None,
            log: None,
            parallel_for: None,
        }
    }
}

fn engine_defaults() -> raw::rondo_engine_options {
    let mut options = MaybeUninit::zeroed();
    unsafe {
        raw::rondo_engine_options_init(
            options.as_mut_ptr(),
            size_of::<raw::rondo_engine_options>(),
        );
        options.assume_init()
    }
}

impl EngineOptions {
    setters! {
        // generated from here: engine options' setters
        context: u32,
        max_sessions: u32,
        max_rows: u32,
        threads: u32,
        context_policy: Policy,
        sink_tokens: u32,
        kv_format: Kv,
        kv_tokens: u32,
        rows_per_step: u32,
        no_prefix_cache: bool,
        profile_events: u32,
        log_level: Log,
        duty_percent: u32,
        draft_head: bool,
        affinity: Affinity,
        adapter_rank: u32,
        max_input_rows: u32,
        max_media_rows: u32,
        // generated to here
    }

    /// The engine's own threads run on these CPUs.
    #[must_use]
    pub fn cpus(mut self, numbers: impl IntoIterator<Item = u32>) -> Self {
        self.cpus = numbers.into_iter().collect();
        self.affinity(Affinity::Cpus)
    }

    /// Sets `kernels`: the name of a kernel set.
    #[must_use]
    pub fn kernels(mut self, name: impl Into<String>) -> Self {
        self.kernels = Some(name.into());
        self
    }

    /// Sets `draft`: the engine keeps the model.
    #[must_use]
    pub fn draft(mut self, model: &Model) -> Self {
        self.draft = Some(model.clone());
        self
    }

    /// Told of what happens to the engine: one English sentence, which has neither tokens nor texts.
    /// It is called on threads that are in a call on the engine or its sessions, by several at once
    /// where several are. `log_level` says how much of it.
    #[must_use]
    pub fn log(mut self, told: impl Fn(Log, &str) + Send + Sync + 'static) -> Self {
        self.log = Some(Arc::new(LogTarget(Box::new(told))));
        self
    }

    /// A pool of threads that the engine uses in place of its own: it calls the task once for each
    /// number below the count, on any threads, and returns when all these calls have. With rayon:
    /// `.parallel_for(|count, task| (0..count).into_par_iter().for_each(task))`. What it leaves out
    /// the engine does itself.
    #[must_use]
    pub fn parallel_for(
        mut self,
        pool: impl Fn(usize, &(dyn Fn(usize) + Sync)) + Send + Sync + 'static,
    ) -> Self {
        self.parallel_for = Some(Arc::new(Pool(Box::new(pool))));
        self
    }

    /// Calls `use_raw` with all of it, but for progress.
    pub(crate) fn with_raw<T>(
        &self,
        use_raw: impl FnOnce(&mut raw::rondo_engine_options) -> Result<T>,
    ) -> Result<T> {
        let kernels = self.kernels.as_deref().map(c_string).transpose()?;
        let mut raw = engine_defaults();
        // generated from here: engine options said
        raw.context = self.context;
        raw.max_sessions = self.max_sessions;
        raw.max_rows = self.max_rows;
        raw.threads = self.threads;
        raw.context_policy = self.context_policy.code();
        raw.sink_tokens = self.sink_tokens;
        raw.kv_format = self.kv_format.code();
        raw.kv_tokens = self.kv_tokens;
        raw.rows_per_step = self.rows_per_step;
        raw.no_prefix_cache = u32::from(self.no_prefix_cache);
        raw.profile_events = self.profile_events;
        raw.log_level = self.log_level.code();
        raw.duty_percent = self.duty_percent;
        raw.draft_head = u32::from(self.draft_head);
        raw.affinity = self.affinity.code();
        raw.adapter_rank = self.adapter_rank;
        raw.max_input_rows = self.max_input_rows;
        raw.max_media_rows = self.max_media_rows;
        // generated to here
        raw.kernels = kernels.as_ref().map_or(ptr::null(), |name| name.as_ptr());
        if !self.cpus.is_empty() {
            raw.cpus = self.cpus.as_ptr();
            raw.n_cpus = u32::try_from(self.cpus.len()).unwrap_or(u32::MAX);
        }
        raw.draft = self.draft.as_ref().map_or(ptr::null_mut(), Model::handle);
        if let Some(log) = &self.log {
            (raw.log, raw.log_user) = LogTarget::raw(log);
        }
        if let Some(pool) = &self.parallel_for {
            (raw.parallel_for, raw.parallel_user) = Pool::raw(pool);
        }
        use_raw(&mut raw)
    }
}
