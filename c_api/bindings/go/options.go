package rondo

// #include <stdlib.h>
// #include <rondo/rondo.h>
import "C"

import "unsafe"

// EngineOptions are those of rondo_engine_options. What is 0 is the default.
type EngineOptions struct {
	// generated from here: engine options

	// Tokens that a session can see. At most 2^24; default 0: the model's context_length.
	Context int
	// Sessions open at once, each with a context of its own. 1 to 64; default 1.
	MaxSessions int
	// Tokens of one pass of a prefill. 1 to 8192; default 256.
	MaxRows int
	// Threads that compute, the caller's among them. At most 256; default 0: the performance cores,
	// as far as the system tells, of those that this process may run on.
	Threads int
	// What happens when a session's context is full. One of Policy; default PolicyStop.
	ContextPolicy Policy
	// Under SLIDE the first tokens, which stay; in whole blocks. Default 0.
	SinkTokens int
	// How the KV cache holds keys and values. One of Kv; default KVInt8.
	KVFormat KVFormat
	// The name of a kernel set. Default: the best for this CPU, of those that read a packed file
	// where it has some.
	Kernels string
	// Tokens that the KV pool holds, of all sessions together, in whole blocks. At most 2^30;
	// default 0: enough for the context of every session.
	KVTokens int
	// Most tokens of a pass while some session decodes, those of drafts included. At most 8192;
	// default 0: MaxRows, the most that there may be.
	RowsPerStep int
	// True: nothing is kept for later sessions.
	NoPrefixCache bool
	// Events that the engine's profile remembers, in the arena, 56 bytes each. At most 2^20;
	// default 0: nothing is recorded.
	ProfileEvents int
	// The largest share of the time that passes may take. At most 100; default 0: 100.
	DutyPercent int
	// True: the draft head in the model's file (`rondo convert --mtp`) runs behind every pass and
	// drafts for sessions of SpeculationDraftHead.
	DraftHead bool
	// To which CPUs the threads that the engine starts are kept. One of Affinity; default
	// AffinitySystem.
	Affinity Affinity
	// The largest rank of adapters that sessions may be given. At most 1024; default 0: none may.
	AdapterRank int
	// Rows of inputs that sessions may hold together (rondo_session_append_inputs). At most 2^20;
	// default 0: sessions have tokens only.
	MaxInputRows int
	// Rows of pictures that may be there at the same time (rondo_media_create). At most 2^20;
	// default 0: pictures are refused, and all of that takes nothing.
	MaxMediaRows int
	// generated to here

	// Draft is a small model of the same vocabulary, for sessions of SpeculationDraftModel.
	Draft *Model
	// CPUs are those of AffinityCPUs, as the system counts them.
	CPUs []int
	// Progress is told how far Model.Engine is.
	Progress Progress
}

func (o *EngineOptions) with(use func(*C.rondo_engine_options) error) error {
	raw := (*C.rondo_engine_options)(C.malloc(C.sizeof_rondo_engine_options))
	defer C.free(unsafe.Pointer(raw))
	if err := check(C.rondo_engine_options_init(raw, C.sizeof_rondo_engine_options)); err != nil {
		return err
	}
	s := setting{}
	defer s.free()
	// generated from here: engine options said
	number(&s, &raw.context, "Context", o.Context)
	number(&s, &raw.max_sessions, "MaxSessions", o.MaxSessions)
	number(&s, &raw.max_rows, "MaxRows", o.MaxRows)
	number(&s, &raw.threads, "Threads", o.Threads)
	raw.context_policy = C.int32_t(o.ContextPolicy)
	number(&s, &raw.sink_tokens, "SinkTokens", o.SinkTokens)
	raw.kv_format = C.int32_t(o.KVFormat)
	raw.kernels = s.text("Kernels", o.Kernels)
	number(&s, &raw.kv_tokens, "KVTokens", o.KVTokens)
	number(&s, &raw.rows_per_step, "RowsPerStep", o.RowsPerStep)
	raw.no_prefix_cache = cBool(o.NoPrefixCache)
	number(&s, &raw.profile_events, "ProfileEvents", o.ProfileEvents)
	number(&s, &raw.duty_percent, "DutyPercent", o.DutyPercent)
	raw.draft_head = cBool(o.DraftHead)
	raw.affinity = C.int32_t(o.Affinity)
	number(&s, &raw.adapter_rank, "AdapterRank", o.AdapterRank)
	number(&s, &raw.max_input_rows, "MaxInputRows", o.MaxInputRows)
	number(&s, &raw.max_media_rows, "MaxMediaRows", o.MaxMediaRows)
	// generated to here
	if n := len(o.CPUs); n > 0 {
		raw.affinity = C.RONDO_AFFINITY_CPUS
		raw.cpus = (*C.uint32_t)(s.memory.take(n * C.sizeof_uint32_t))
		for i, cpu := range o.CPUs {
			to := &unsafe.Slice(raw.cpus, n)[i]
			*to = 0
			number(&s, to, "CPUs", cpu)
		}
		raw.n_cpus = C.uint32_t(n)
	}
	if s.err != nil {
		return s.err
	}
	if o.Draft != nil {
		return o.Draft.with(func(handle *C.rondo_model) error {
			raw.draft = handle
			return use(raw)
		})
	}
	return use(raw)
}

// SessionOptions are those of rondo_session_options. What is nil is as the model's makers recommend
// it, or else the library's default, as what is 0.
type SessionOptions struct {
	// LibraryDefaults: what the model's makers recommend is not followed.
	LibraryDefaults bool
	// generated from here: session options

	// Divides the logits before the draw. 0 or more; default 0: the most likely token; of equals,
	// the lowest id.
	Temperature *float64
	// Keep the k most likely. 0 or more; default 0: off.
	TopK *int
	// Keep the fewest that together reach this share. Above 0, at most 1; default 1: off.
	TopP *float64
	// Keep those of at least this share of the best's probability. From 0, below 1; default 0: off.
	MinP *float64
	// Divides positive and multiplies negative logits. Above 0; default 1: off.
	RepetitionPenalty *float64
	// Subtracted once from the logit of each token seen. Default 0.
	PresencePenalty float64
	// Subtracted for each time that it was seen. Default 0.
	FrequencyPenalty float64
	// Last tokens that penalties look at. 0 to 4096; default 64.
	PenaltyLastN *int
	// True: end tokens are tokens like others, but that a grammar's text has none that it does not
	// name.
	IgnoreEOS bool
	// True: events tell log-probabilities.
	LogProbs bool
	// N: no n tokens are generated that follow each other in the last 4096 tokens of the sequence,
	// prompt included. At most 256; default 0: off.
	NoRepeatNgramSize *int
	// Equal ones give equal draws. Default 0.
	Seed uint64
	// Tokens generated after each prefill. Default 0: no limit.
	MaxTokens int
	// Where drafts come from. One of Speculation; default SpeculationNone.
	Speculation Speculation
	// Drafts that one pass verifies; less than MaxRows. At most 7; default 0: as many as there may
	// be.
	MaxDrafts int
	// Where the grammar begins. One of GrammarBegin; default GrammarBeginAtOnce.
	GrammarBegin GrammarBegin
	// The token of GrammarBeginAfterToken. 0 or more; default 0.
	GrammarToken int32
	// True: where the grammar's text is whole the generation goes on without it, with AFTER_TOKEN
	// up to the next GrammarToken; an end token ends it as ever.
	GrammarGoesOn bool
	// True: thoughts are told from the rest; the text of a grammar has none.
	Thinking bool
	// What begins a thought. Default: as the model's chat template has it; refused where it has
	// none.
	ThinkingBegin string
	// What ends a thought, with the white space that Rondo writes. Default: as the model's chat
	// template has it.
	ThinkingEnd string
	// Of a thought: where it has so many, and a whole character, it is ended by the tokens of
	// ThinkingEnd, whatever the model would say. Default 0: no limit.
	ThinkingTokens int
	// generated to here

	// Stop holds strings that end a generation.
	Stop []string
	// LogitBias is added to a token's logit, by its id.
	LogitBias map[int32]float32
	// Grammar is what each generation must be a text of.
	Grammar *Grammar
	// JSONSchema is a schema in its place, as Model.Grammar takes it, of which the session makes a
	// grammar of its own, with OneSpace and NamedOnly: JSON as people write it.
	JSONSchema any
	// Adapter is of Model.Adapter; EngineOptions.AdapterRank has room for it.
	Adapter *Adapter
}

// Float is for options that may be nil: Temperature: rondo.Float(0.8).
func Float(value float64) *float64 { return pointer(value) }

// Int is as Float: TopK: rondo.Int(40).
func Int(value int) *int { return pointer(value) }

// What the model's makers recommend, copied: it outlives the model.
func recommendedBy(model *Model) (options SessionOptions, err error) {
	var raw C.rondo_session_options
	if err = check(C.rondo_session_options_init(&raw, C.sizeof_rondo_session_options)); err != nil {
		return options, err
	}
	err = model.with(func(handle *C.rondo_model) error {
		if err := check(C.rondo_model_session_options(handle, &raw)); err != nil {
			return err
		}
		// generated from here: recommended
		options.Temperature = pointer(float64(raw.temperature))
		options.TopK = pointer(int(raw.top_k))
		options.TopP = pointer(float64(raw.top_p))
		options.MinP = pointer(float64(raw.min_p))
		options.RepetitionPenalty = pointer(float64(raw.repetition_penalty))
		options.PenaltyLastN = pointer(int(raw.penalty_last_n))
		options.NoRepeatNgramSize = pointer(int(raw.no_repeat_ngram_size))
		// generated to here
		for _, text := range unsafe.Slice(raw.stop_strings, int(raw.n_stop_strings)) {
			options.Stop = append(options.Stop, C.GoString(text))
		}
		options.LogitBias = map[int32]float32{}
		for _, one := range unsafe.Slice(raw.logit_bias, int(raw.n_logit_bias)) {
			options.LogitBias[int32(one.token)] = float32(one.bias)
		}
		return nil
	})
	return options, err
}

func or[T any](said, recommended *T) *T {
	if said != nil {
		return said
	}
	return recommended
}

// What is said wins over what is recommended.
func (o SessionOptions) over(recommended *SessionOptions) SessionOptions {
	if o.LibraryDefaults {
		return o
	}
	// generated from here: over
	o.Temperature = or(o.Temperature, recommended.Temperature)
	o.TopK = or(o.TopK, recommended.TopK)
	o.TopP = or(o.TopP, recommended.TopP)
	o.MinP = or(o.MinP, recommended.MinP)
	o.RepetitionPenalty = or(o.RepetitionPenalty, recommended.RepetitionPenalty)
	o.PenaltyLastN = or(o.PenaltyLastN, recommended.PenaltyLastN)
	o.NoRepeatNgramSize = or(o.NoRepeatNgramSize, recommended.NoRepeatNgramSize)
	// generated to here
	if len(o.Stop) == 0 {
		o.Stop = recommended.Stop
	}
	if len(o.LogitBias) == 0 {
		o.LogitBias = recommended.LogitBias
	}
	return o
}

func (o SessionOptions) with(engine *Engine, use func(*C.rondo_session_options) error) error {
	o = o.over(&engine.recommended)
	if o.JSONSchema != nil {
		if o.Grammar != nil {
			return refused("of Grammar and JSONSchema one is given")
		}
		grammar, err := engine.model.Grammar(o.JSONSchema, GrammarOptions{OneSpace: true, NamedOnly: true})
		if err != nil {
			return err
		}
		defer grammar.Close()
		o.Grammar = grammar
	}
	raw := (*C.rondo_session_options)(C.malloc(C.sizeof_rondo_session_options))
	defer C.free(unsafe.Pointer(raw))
	if err := check(C.rondo_session_options_init(raw, C.sizeof_rondo_session_options)); err != nil {
		return err
	}
	s := setting{}
	defer s.free()
	// generated from here: session options said
	realGiven(&s, &raw.temperature, "Temperature", o.Temperature)
	numberGiven(&s, &raw.top_k, "TopK", o.TopK)
	realGiven(&s, &raw.top_p, "TopP", o.TopP)
	realGiven(&s, &raw.min_p, "MinP", o.MinP)
	realGiven(&s, &raw.repetition_penalty, "RepetitionPenalty", o.RepetitionPenalty)
	real(&s, &raw.presence_penalty, "PresencePenalty", o.PresencePenalty)
	real(&s, &raw.frequency_penalty, "FrequencyPenalty", o.FrequencyPenalty)
	numberGiven(&s, &raw.penalty_last_n, "PenaltyLastN", o.PenaltyLastN)
	raw.ignore_eos = cBool(o.IgnoreEOS)
	raw.logprobs = cBool(o.LogProbs)
	numberGiven(&s, &raw.no_repeat_ngram_size, "NoRepeatNgramSize", o.NoRepeatNgramSize)
	raw.seed = C.uint64_t(o.Seed)
	number(&s, &raw.max_tokens, "MaxTokens", o.MaxTokens)
	raw.speculation = C.int32_t(o.Speculation)
	number(&s, &raw.max_drafts, "MaxDrafts", o.MaxDrafts)
	raw.grammar_begin = C.int32_t(o.GrammarBegin)
	raw.grammar_token = C.int32_t(o.GrammarToken)
	raw.grammar_goes_on = cBool(o.GrammarGoesOn)
	raw.thinking = cBool(o.Thinking)
	raw.thinking_begin = s.text("ThinkingBegin", o.ThinkingBegin)
	raw.thinking_end = s.text("ThinkingEnd", o.ThinkingEnd)
	number(&s, &raw.thinking_tokens, "ThinkingTokens", o.ThinkingTokens)
	// generated to here
	if n := len(o.Stop); n > 0 {
		raw.stop_strings = (**C.char)(s.memory.take(n * int(unsafe.Sizeof(uintptr(0)))))
		raw.n_stop_strings = C.size_t(n)
		for i, text := range o.Stop {
			if text == "" {
				s.refuse("Stop has an empty text")
			}
			unsafe.Slice(raw.stop_strings, n)[i] = s.text("Stop", text)
		}
	}
	if n := len(o.LogitBias); n > 0 {
		raw.logit_bias = (*C.rondo_logit_bias)(s.memory.take(n * C.sizeof_rondo_logit_bias))
		raw.n_logit_bias = C.size_t(n)
		i := 0
		for token, bias := range o.LogitBias {
			unsafe.Slice(raw.logit_bias, n)[i] = C.rondo_logit_bias{token: C.int32_t(token), bias: C.float(bias)}
			i++
		}
	}
	if s.err != nil {
		return s.err
	}
	if o.Grammar == nil {
		return o.withAdapter(raw, use)
	}
	return o.Grammar.with(func(handle *C.rondo_grammar) error {
		raw.grammar = handle
		return o.withAdapter(raw, use)
	})
}

func (o *SessionOptions) withAdapter(raw *C.rondo_session_options,
	use func(*C.rondo_session_options) error) error {
	if o.Adapter == nil {
		return use(raw)
	}
	return o.Adapter.with(func(handle *C.rondo_adapter) error {
		raw.adapter = handle
		return use(raw)
	})
}
