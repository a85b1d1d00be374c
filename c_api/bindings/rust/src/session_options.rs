//! Options of sessions.
use crate::engine_options::setters;
use crate::error::{c_string, check, Error, Result};
use crate::{raw, Adapter, Grammar, GrammarBegin, GrammarKind, GrammarOptions, Model, Speculation};
use std::mem::{size_of, MaybeUninit};
use std::ptr;

/// What a session samples by, where it stops and what it may say. None, and an empty list: what the
/// model's makers recommend, or the library's default.
///
/// ```
/// let options = rondo::SessionOptions::default().temperature(0.7).max_tokens(64).stop(["\n"]);
/// assert_eq!(options.temperature, Some(0.7));
/// ```
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
    /// Where drafts come from. One of [`Speculation`]; default `Speculation::None`.
    pub speculation: Speculation,
    /// Drafts that one pass verifies; less than max_rows. At most 7; default 0: as many as there
    /// may be.
    pub max_drafts: u32,
    /// Where the grammar begins. One of [`GrammarBegin`]; default `GrammarBegin::AtOnce`.
    pub grammar_begin: GrammarBegin,
    /// The token of `GrammarBegin::AfterToken`. 0 or more; default 0.
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
    /// Strings that end a generation.
    pub stop: Vec<String>,
    /// (token, what is added to its logit).
    pub logit_bias: Vec<(i32, f32)>,
    /// What each generation must be a text of.
    pub grammar: Option<Grammar>,
    /// In its place a JSON Schema, of which the session makes a grammar of its own, read as
    /// [`GrammarOptions::as_people_write`] says.
    pub json_schema: Option<String>,
    /// What is added to the model's matrices; [`crate::EngineOptions::adapter_rank`] has room for it.
    pub adapter: Option<Adapter>,
    /// What begins a thought; none, of this and the next: what the model's chat template has.
    pub thinking_begin: Option<String>,
    /// What ends a thought.
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
            speculation: Speculation::of(raw.speculation),
            max_drafts: raw.max_drafts,
            grammar_begin: GrammarBegin::of(raw.grammar_begin),
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
    #[must_use]
    pub fn thinking_texts(mut self, begin: impl Into<String>, end: impl Into<String>) -> Self {
        self.thinking_begin = Some(begin.into());
        self.thinking_end = Some(end.into());
        self
    }

    /// A JSON Schema, of which the session makes a grammar of its own, with `one_space` and
    /// `named_only`: JSON as people write it.
    #[must_use]
    pub fn json_schema(mut self, schema: impl Into<String>) -> Self {
        self.json_schema = Some(schema.into());
        self
    }

    /// Strings that end a generation.
    #[must_use]
    pub fn stop<T: Into<String>>(mut self, strings: impl IntoIterator<Item = T>) -> Self {
        self.stop = strings.into_iter().map(Into::into).collect();
        self
    }

    /// (token, what is added to its logit).
    #[must_use]
    pub fn logit_bias(mut self, bias: impl IntoIterator<Item = (i32, f32)>) -> Self {
        self.logit_bias = bias.into_iter().collect();
        self
    }

    /// What is said wins over what the model's makers recommend.
    pub(crate) fn with_raw<T>(
        &self,
        model: &Model,
        use_raw: impl FnOnce(&raw::rondo_session_options) -> Result<T>,
    ) -> Result<T> {
        let texts = self.stop.iter().map(c_string).collect::<Result<Vec<_>>>()?;
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
            check(unsafe { raw::rondo_model_session_options(model.handle(), &mut raw) })?;
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
        raw.speculation = self.speculation.code();
        raw.max_drafts = self.max_drafts;
        raw.grammar_begin = self.grammar_begin.code();
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
                return Err(Error::argument("of grammar and json_schema one is given"))
            }
            (None, Some(schema)) => {
                let options = GrammarOptions::as_people_write();
                made = Grammar::create(model, GrammarKind::JsonSchema, schema, &options)?;
                Some(&made)
            }
            (grammar, None) => grammar.as_ref(),
        };
        raw.adapter = self.adapter.as_ref().map_or(ptr::null_mut(), Adapter::handle);
        raw.grammar = grammar.map_or(ptr::null_mut(), Grammar::handle);
        use_raw(&raw)
    }
}
