//! Options of engines and sessions.
use crate::error::{c_string, check, Error, Result};
use crate::progress::{reported, Progress};
use crate::{
    raw, Adapter, Affinity, Grammar, GrammarBegin, GrammarKind, GrammarOptions, Kv, Model, Policy,
    Speculation, Status,
};
use std::ffi::CString;
use std::mem::{size_of, MaybeUninit};
use std::ptr;

/// Chainable setters, named like the fields.
macro_rules! setters {
    ($($name:ident: $kind:ty),* $(,)?) => {
        $(
            #[allow(missing_docs)]
            pub fn $name(mut self, $name: $kind) -> Self {
                self.$name = $name.into();
                self
            }
        )*
    };
}

pub(crate) use setters;

/// rondo_engine_options, with the library's defaults.
#[allow(missing_docs)]
#[non_exhaustive]
pub struct EngineOptions<'p> {
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
    /// What happens when a session's context is full. One of one of [`Policy`]; default
    /// `Policy::STOP`.
    pub context_policy: Policy,
    /// Under SLIDE the first tokens, which stay; in whole blocks. Default 0.
    pub sink_tokens: u32,
    /// How the KV cache holds keys and values. One of one of [`Kv`]; default `Kv::INT8`.
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
    /// The largest share of the time that passes may take. At most 100; default 0: 100.
    pub duty_percent: u32,
    /// True: the draft head in the model's file (`rondo convert --mtp`) runs behind every pass and
    /// drafts for sessions of `Speculation::DRAFT_HEAD`.
    pub draft_head: bool,
    /// To which CPUs the threads that the engine starts are kept. One of one of [`Affinity`];
    /// default `Affinity::SYSTEM`.
    pub affinity: Affinity,
    /// The largest rank of adapters that sessions may be given. At most 1024; default 0: none may.
    pub adapter_rank: u32,
    /// Rows of inputs that sessions may hold together (rondo_session_append_inputs). At most 2^20;
    /// default 0: sessions have tokens only.
    pub max_input_rows: u32,
    /// Rows of pictures that may be there at the same time (rondo_media_create). At most 2^20;
    /// default 0: pictures are refused, and all of that takes nothing.
    pub max_media_rows: u32,
    // generated to here
    pub kernels: Option<String>,
    /// Those of `Affinity::CPUS`, as the system counts them.
    pub cpus: Vec<u32>,
    /// Told how far the engine's creation is: `done` of `total` bytes. False cancels it.
    pub progress: Option<Progress<'p>>,
}

impl Default for EngineOptions<'_> {
    fn default() -> Self {
        let raw = engine_defaults();
        EngineOptions {
            // generated from here: engine options' defaults
            context: raw.context,
            max_sessions: raw.max_sessions,
            max_rows: raw.max_rows,
            threads: raw.threads,
            context_policy: Policy(raw.context_policy),
            sink_tokens: raw.sink_tokens,
            kv_format: Kv(raw.kv_format),
            kv_tokens: raw.kv_tokens,
            rows_per_step: raw.rows_per_step,
            no_prefix_cache: raw.no_prefix_cache != 0,
            profile_events: raw.profile_events,
            duty_percent: raw.duty_percent,
            draft_head: raw.draft_head != 0,
            affinity: Affinity(raw.affinity),
            adapter_rank: raw.adapter_rank,
            max_input_rows: raw.max_input_rows,
            max_media_rows: raw.max_media_rows,
            // generated to here
            kernels: None,
            cpus: Vec::new(),
            progress: None,
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

impl<'p> EngineOptions<'p> {
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
        duty_percent: u32,
        draft_head: bool,
        affinity: Affinity,
        adapter_rank: u32,
        max_input_rows: u32,
        max_media_rows: u32,
        // generated to here
    }

    /// The engine's own threads run on these CPUs.
    pub fn cpus(mut self, numbers: impl IntoIterator<Item = u32>) -> Self {
        self.cpus = numbers.into_iter().collect();
        self.affinity(Affinity::CPUS)
    }

    #[allow(missing_docs)]
    pub fn kernels(mut self, name: impl Into<String>) -> Self {
        self.kernels = Some(name.into());
        self
    }

    /// Told how far the engine's creation is: `done` of `total` bytes. False cancels it.
    pub fn progress(mut self, told: impl FnMut(u64, u64) -> bool + 'p) -> Self {
        self.progress = Some(Box::new(told));
        self
    }

    /// Calls `use_raw` with all of it; a panic of `progress` goes on here.
    pub(crate) fn with_progress<T>(
        &mut self,
        use_raw: impl FnOnce(&raw::rondo_engine_options) -> Result<T>,
    ) -> Result<T> {
        let (mut raw, _kernels) = self.raw()?;
        reported(self.progress.as_mut(), |report, user| {
            raw.progress = report;
            raw.progress_user = user;
            use_raw(&raw)
        })
    }

    /// Without `progress`. The string and this must live as long as the struct.
    pub(crate) fn raw(&self) -> Result<(raw::rondo_engine_options, Option<CString>)> {
        let kernels = self.kernels.as_deref().map(c_string).transpose()?;
        let mut raw = engine_defaults();
        // generated from here: engine options said
        raw.context = self.context;
        raw.max_sessions = self.max_sessions;
        raw.max_rows = self.max_rows;
        raw.threads = self.threads;
        raw.context_policy = self.context_policy.0;
        raw.sink_tokens = self.sink_tokens;
        raw.kv_format = self.kv_format.0;
        raw.kv_tokens = self.kv_tokens;
        raw.rows_per_step = self.rows_per_step;
        raw.no_prefix_cache = u32::from(self.no_prefix_cache);
        raw.profile_events = self.profile_events;
        raw.duty_percent = self.duty_percent;
        raw.draft_head = u32::from(self.draft_head);
        raw.affinity = self.affinity.0;
        raw.adapter_rank = self.adapter_rank;
        raw.max_input_rows = self.max_input_rows;
        raw.max_media_rows = self.max_media_rows;
        // generated to here
        raw.kernels = kernels.as_ref().map_or(ptr::null(), |name| name.as_ptr());
        if !self.cpus.is_empty() {
            raw.cpus = self.cpus.as_ptr();
            raw.n_cpus = self.cpus.len() as u32;
        }
        Ok((raw, kernels))
    }
}

/// rondo_session_options. None: what the model's makers recommend, or the library's default.
#[allow(missing_docs)]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SessionOptions {
    /// False: what the model's makers recommend for sampling is not followed.
    pub recommended: bool,
    // generated from here: session options
    /// Divides the logits before the draw. 0 or more; default 0: the most likely token; of equals,
    /// the lowest id.
    pub temperature: Option<f32>,
    /// Keep the k most likely. 0 or more; default 0: off.
    pub top_k: Option<i32>,
    /// Keep the fewest that together reach this share. Above 0, at most 1; default 1: off.
    pub top_p: Option<f32>,
    /// Keep those of at least this share of the best's probability. From 0, below 1; default 0:
    /// off.
    pub min_p: Option<f32>,
    /// Divides positive and multiplies negative logits. Above 0; default 1: off.
    pub repetition_penalty: Option<f32>,
    /// Subtracted once from the logit of each token seen. Default 0.
    pub presence_penalty: f32,
    /// Subtracted for each time that it was seen. Default 0.
    pub frequency_penalty: f32,
    /// Last tokens that penalties look at. 0 to 4096; default 64.
    pub penalty_last_n: Option<i32>,
    /// True: end tokens are tokens like others, but that a grammar's text has none that it does not
    /// name.
    pub ignore_eos: bool,
    /// True: events tell log-probabilities.
    pub logprobs: bool,
    /// N: no n tokens are generated that follow each other in the last 4096 tokens of the sequence,
    /// prompt included. At most 256; default 0: off.
    pub no_repeat_ngram_size: Option<u32>,
    /// Equal ones give equal draws. Default 0.
    pub seed: u64,
    /// Tokens generated after each prefill. Default 0: no limit.
    pub max_tokens: u64,
    /// Where drafts come from. One of one of [`Speculation`]; default `Speculation::NONE`.
    pub speculation: Speculation,
    /// Drafts that one pass verifies; less than max_rows. At most 7; default 0: as many as there
    /// may be.
    pub max_drafts: u32,
    /// Where the grammar begins. One of one of [`GrammarBegin`]; default `GrammarBegin::AT_ONCE`.
    pub grammar_begin: GrammarBegin,
    /// The token of `GrammarBegin::AFTER_TOKEN`. 0 or more; default 0.
    pub grammar_token: i32,
    /// True: where the grammar's text is whole the generation goes on without it, with AFTER_TOKEN
    /// up to the next grammar_token; an end token ends it as ever.
    pub grammar_goes_on: bool,
    /// True: thoughts are told from the rest; the text of a grammar has none.
    pub thinking: bool,
    /// Of a thought: where it has so many, and a whole character, it is ended by the tokens of
    /// thinking_end, whatever the model would say. Default 0: no limit.
    pub thinking_tokens: u64,
    // generated to here
    /// Strings that end a generation; none: those that the makers recommend.
    pub stop: Vec<String>,
    /// (token, what is added to its logit); none: those that the makers recommend.
    pub logit_bias: Vec<(i32, f32)>,
    /// What each generation must be a text of.
    pub grammar: Option<Grammar>,
    /// In its place a JSON Schema, of which the session makes a grammar of its own, without
    /// spaces: small models find no end of them.
    pub json_schema: Option<String>,
    /// What is added to the model's matrices; [`EngineOptions::adapter_rank`] has room for it.
    pub adapter: Option<Adapter>,
    /// None for both: what the model's chat template puts around a thought.
    pub thinking_begin: Option<String>,
    pub thinking_end: Option<String>,
}

impl Default for SessionOptions {
    fn default() -> Self {
        let raw = session_defaults();
        SessionOptions {
            recommended: true,
            // generated from here: session options' defaults
            temperature: None,
            top_k: None,
            top_p: None,
            min_p: None,
            repetition_penalty: None,
            presence_penalty: raw.presence_penalty,
            frequency_penalty: raw.frequency_penalty,
            penalty_last_n: None,
            ignore_eos: raw.ignore_eos != 0,
            logprobs: raw.logprobs != 0,
            no_repeat_ngram_size: None,
            seed: raw.seed,
            max_tokens: raw.max_tokens,
            speculation: Speculation(raw.speculation),
            max_drafts: raw.max_drafts,
            grammar_begin: GrammarBegin(raw.grammar_begin),
            grammar_token: raw.grammar_token,
            grammar_goes_on: raw.grammar_goes_on != 0,
            thinking: raw.thinking != 0,
            thinking_tokens: raw.thinking_tokens,
            // generated to here
            stop: Vec::new(),
            logit_bias: Vec::new(),
            grammar: None,
            json_schema: None,
            adapter: None,
            thinking_begin: None,
            thinking_end: None,
        }
    }
}

fn session_defaults() -> raw::rondo_session_options {
    let mut options = MaybeUninit::zeroed();
    unsafe {
        raw::rondo_session_options_init(
            options.as_mut_ptr(),
            size_of::<raw::rondo_session_options>(),
        );
        options.assume_init()
    }
}

impl SessionOptions {
    setters! {
        recommended: bool, grammar: Grammar, adapter: Adapter,
        // generated from here: session options' setters
        temperature: f32,
        top_k: i32,
        top_p: f32,
        min_p: f32,
        repetition_penalty: f32,
        presence_penalty: f32,
        frequency_penalty: f32,
        penalty_last_n: i32,
        ignore_eos: bool,
        logprobs: bool,
        no_repeat_ngram_size: u32,
        seed: u64,
        max_tokens: u64,
        speculation: Speculation,
        max_drafts: u32,
        grammar_begin: GrammarBegin,
        grammar_token: i32,
        grammar_goes_on: bool,
        thinking: bool,
        thinking_tokens: u64,
        // generated to here
    }

    /// The texts around a thought, in place of those of the model's chat template.
    pub fn thinking_texts(mut self, begin: impl Into<String>, end: impl Into<String>) -> Self {
        self.thinking_begin = Some(begin.into());
        self.thinking_end = Some(end.into());
        self
    }

    /// A JSON Schema, of which the session makes a grammar of its own, with `one_space` and
    /// `named_only`: JSON as people write it.
    pub fn json_schema(mut self, schema: impl Into<String>) -> Self {
        self.json_schema = Some(schema.into());
        self
    }

    /// Strings that end a generation.
    pub fn stop<T: Into<String>>(mut self, strings: impl IntoIterator<Item = T>) -> Self {
        self.stop = strings.into_iter().map(Into::into).collect();
        self
    }

    /// (token, what is added to its logit).
    pub fn logit_bias(mut self, bias: impl IntoIterator<Item = (i32, f32)>) -> Self {
        self.logit_bias = bias.into_iter().collect();
        self
    }

    /// What is said wins over what the model's makers recommend.
    pub(crate) fn with_raw<T>(
        &self,
        model: &Model<'_>,
        use_raw: impl FnOnce(&raw::rondo_session_options) -> Result<T>,
    ) -> Result<T> {
        let texts = self.stop.iter().map(|text| c_string(text)).collect::<Result<Vec<_>>>()?;
        let begin = self.thinking_begin.as_deref().map(c_string).transpose()?;
        let end = self.thinking_end.as_deref().map(c_string).transpose()?;
        let stop: Vec<_> = texts.iter().map(|text| text.as_ptr()).collect();
        let bias: Vec<_> = self
            .logit_bias
            .iter()
            .map(|&(token, bias)| raw::rondo_logit_bias { token, bias })
            .collect();
        let mut raw = session_defaults();
        if self.recommended {
            check(unsafe { raw::rondo_model_session_options(model.handle, &mut raw) })?;
        }
        // generated from here: session options said
        raw.temperature = self.temperature.unwrap_or(raw.temperature);
        raw.top_k = self.top_k.unwrap_or(raw.top_k);
        raw.top_p = self.top_p.unwrap_or(raw.top_p);
        raw.min_p = self.min_p.unwrap_or(raw.min_p);
        raw.repetition_penalty = self.repetition_penalty.unwrap_or(raw.repetition_penalty);
        raw.presence_penalty = self.presence_penalty;
        raw.frequency_penalty = self.frequency_penalty;
        raw.penalty_last_n = self.penalty_last_n.unwrap_or(raw.penalty_last_n);
        raw.ignore_eos = u32::from(self.ignore_eos);
        raw.logprobs = u32::from(self.logprobs);
        raw.no_repeat_ngram_size = self.no_repeat_ngram_size.unwrap_or(raw.no_repeat_ngram_size);
        raw.seed = self.seed;
        raw.max_tokens = self.max_tokens;
        raw.speculation = self.speculation.0;
        raw.max_drafts = self.max_drafts;
        raw.grammar_begin = self.grammar_begin.0;
        raw.grammar_token = self.grammar_token;
        raw.grammar_goes_on = u32::from(self.grammar_goes_on);
        raw.thinking = u32::from(self.thinking);
        raw.thinking_tokens = self.thinking_tokens;
        // generated to here
        if !stop.is_empty() {
            raw.stop_strings = stop.as_ptr();
            raw.n_stop_strings = stop.len();
        }
        if !bias.is_empty() {
            raw.logit_bias = bias.as_ptr();
            raw.n_logit_bias = bias.len();
        }
        raw.thinking_begin = begin.as_ref().map_or(ptr::null(), |text| text.as_ptr());
        raw.thinking_end = end.as_ref().map_or(ptr::null(), |text| text.as_ptr());
        let made; // the session keeps it
        let grammar = match (&self.grammar, &self.json_schema) {
            (Some(_), Some(_)) => {
                return Err(Error {
                    status: Status::INVALID_ARGUMENT,
                    message: "of grammar and json_schema one is given".to_string(),
                })
            }
            (None, Some(schema)) => {
                let options = GrammarOptions { one_space: true, named_only: true, ..Default::default() };
                made = Grammar::create(model, GrammarKind::JSON_SCHEMA, schema, &options)?;
                Some(&made)
            }
            (grammar, None) => grammar.as_ref(),
        };
        raw.adapter = self.adapter.as_ref().map_or(ptr::null_mut(), Adapter::handle);
        raw.grammar = grammar.map_or(ptr::null_mut(), Grammar::handle);
        use_raw(&raw)
    }
}
