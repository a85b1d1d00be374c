package rondo

// #include <stdlib.h>
// #include <string.h>
// #include <rondo/rondo.h>
//
// int32_t rondoGoProgress(void* user, uint64_t done, uint64_t total);
//
// static void rondo_go_set_progress(rondo_engine_options* options, uintptr_t user) {
//   options->progress = rondoGoProgress;
//   options->progress_user = (void*)user;
// }
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// EngineOptions are those of rondo_engine_options. What is 0 is the default.
type EngineOptions struct {
	// generated from here: engine options

	// Tokens that a session can see. At most 2^24; default 0: the model's context_length.
	Context uint32
	// Sessions open at once, each with a context of its own. 1 to 64; default 1.
	MaxSessions uint32
	// Tokens of one pass of a prefill. 1 to 8192; default 256.
	MaxRows uint32
	// Threads that compute, the caller's among them. At most 256; default 0: the performance cores,
	// as far as the system tells, of those that this process may run on.
	Threads uint32
	// What happens when a session's context is full. One of Policy; default PolicyStop.
	ContextPolicy Policy
	// Under SLIDE the first tokens, which stay; in whole blocks. Default 0.
	SinkTokens uint32
	// How the KV cache holds keys and values. One of Kv; default KVInt8.
	KVFormat KVFormat
	// The name of a kernel set. Default: the best for this CPU, of those that read a packed file
	// where it has some.
	Kernels string
	// Tokens that the KV pool holds, of all sessions together, in whole blocks. At most 2^30;
	// default 0: enough for the context of every session.
	KVTokens uint32
	// Most tokens of a pass while some session decodes, those of drafts included. At most 8192;
	// default 0: MaxRows, the most that there may be.
	RowsPerStep uint32
	// True: nothing is kept for later sessions.
	NoPrefixCache bool
	// Events that the engine's profile remembers, in the arena, 56 bytes each. At most 2^20;
	// default 0: nothing is recorded.
	ProfileEvents uint32
	// The largest share of the time that passes may take. At most 100; default 0: 100.
	DutyPercent uint32
	// True: the draft head in the model's file (`rondo convert --mtp`) runs behind every pass and
	// drafts for sessions of SpeculationDraftHead.
	DraftHead bool
	// To which CPUs the threads that the engine starts are kept. One of Affinity; default
	// AffinitySystem.
	Affinity Affinity
	// The largest rank of adapters that sessions may be given. At most 1024; default 0: none may.
	AdapterRank uint32
	// Rows of inputs that sessions may hold together (rondo_session_append_inputs). At most 2^20;
	// default 0: sessions have tokens only.
	MaxInputRows uint32
	// Rows of pictures that may be there at the same time (rondo_media_create). At most 2^20;
	// default 0: pictures are refused, and all of that takes nothing.
	MaxMediaRows uint32
	// generated to here

	// Draft is a small model of the same vocabulary, for sessions of SpeculationDraftModel.
	Draft *Model
	// CPUs are those of AffinityCPUs, as the system counts them.
	CPUs []uint32
	// Progress is told how far Model.Engine is. False cancels. It must not panic.
	Progress func(done, total uint64) bool
}

type number interface {
	~int32 | ~uint32 | ~uint64 | ~float32
}

// What is 0 is the default.
func set[To, From number](to *To, value From) {
	if value != 0 {
		*to = To(value)
	}
}

func setGiven[To, From number](to *To, value *From) {
	if value != nil {
		*to = To(*value)
	}
}

func pointer[T any](value T) *T { return &value }

func (o *EngineOptions) with(use func(*C.rondo_engine_options) error) error {
	raw := (*C.rondo_engine_options)(C.malloc(C.sizeof_rondo_engine_options))
	defer C.free(unsafe.Pointer(raw))
	if err := check(C.rondo_engine_options_init(raw, C.sizeof_rondo_engine_options)); err != nil {
		return err
	}
	// generated from here: engine options said
	set(&raw.context, o.Context)
	set(&raw.max_sessions, o.MaxSessions)
	set(&raw.max_rows, o.MaxRows)
	set(&raw.threads, o.Threads)
	set(&raw.context_policy, o.ContextPolicy)
	set(&raw.sink_tokens, o.SinkTokens)
	set(&raw.kv_format, o.KVFormat)
	if o.Kernels != "" {
		raw.kernels = C.CString(o.Kernels)
		defer C.free(unsafe.Pointer(raw.kernels))
	}
	set(&raw.kv_tokens, o.KVTokens)
	set(&raw.rows_per_step, o.RowsPerStep)
	raw.no_prefix_cache = cBool(o.NoPrefixCache)
	set(&raw.profile_events, o.ProfileEvents)
	set(&raw.duty_percent, o.DutyPercent)
	raw.draft_head = cBool(o.DraftHead)
	set(&raw.affinity, o.Affinity)
	set(&raw.adapter_rank, o.AdapterRank)
	set(&raw.max_input_rows, o.MaxInputRows)
	set(&raw.max_media_rows, o.MaxMediaRows)
	// generated to here
	if n := len(o.CPUs); n > 0 {
		raw.affinity = C.RONDO_AFFINITY_CPUS
		raw.cpus = (*C.uint32_t)(C.malloc(C.size_t(n) * C.sizeof_uint32_t))
		defer C.free(unsafe.Pointer(raw.cpus))
		for i, cpu := range o.CPUs {
			unsafe.Slice(raw.cpus, n)[i] = C.uint32_t(cpu)
		}
		raw.n_cpus = C.uint32_t(n)
	}
	if o.Progress != nil {
		handle := cgo.NewHandle(o.Progress)
		defer handle.Delete()
		C.rondo_go_set_progress(raw, C.uintptr_t(handle))
	}
	if o.Draft != nil {
		return o.Draft.with(func(handle *C.rondo_model) error {
			raw.draft = handle
			return use(raw)
		})
	}
	return use(raw)
}

//export rondoGoProgress
func rondoGoProgress(user unsafe.Pointer, done, total C.uint64_t) C.int32_t {
	if cgo.Handle(uintptr(user)).Value().(func(done, total uint64) bool)(uint64(done), uint64(total)) {
		return 0
	}
	return 1
}

// SessionOptions are those of rondo_session_options. What is nil is as the model's makers recommend
// it, or else the library's default, as what is 0.
type SessionOptions struct {
	// LibraryDefaults: what the model's makers recommend is not followed.
	LibraryDefaults bool
	// generated from here: session options

	// Divides the logits before the draw. 0 or more; default 0: the most likely token; of equals,
	// the lowest id.
	Temperature *float32
	// Keep the k most likely. 0 or more; default 0: off.
	TopK *int32
	// Keep the fewest that together reach this share. Above 0, at most 1; default 1: off.
	TopP *float32
	// Keep those of at least this share of the best's probability. From 0, below 1; default 0: off.
	MinP *float32
	// Divides positive and multiplies negative logits. Above 0; default 1: off.
	RepetitionPenalty *float32
	// Subtracted once from the logit of each token seen. Default 0.
	PresencePenalty float32
	// Subtracted for each time that it was seen. Default 0.
	FrequencyPenalty float32
	// Last tokens that penalties look at. 0 to 4096; default 64.
	PenaltyLastN *int32
	// True: end tokens are tokens like others, but that a grammar's text has none that it does not
	// name.
	IgnoreEOS bool
	// True: events tell log-probabilities.
	LogProbs bool
	// N: no n tokens are generated that follow each other in the last 4096 tokens of the sequence,
	// prompt included. At most 256; default 0: off.
	NoRepeatNgramSize *uint32
	// Equal ones give equal draws. Default 0.
	Seed uint64
	// Tokens generated after each prefill. Default 0: no limit.
	MaxTokens uint64
	// Where drafts come from. One of Speculation; default SpeculationNone.
	Speculation Speculation
	// Drafts that one pass verifies; less than MaxRows. At most 7; default 0: as many as there may
	// be.
	MaxDrafts uint32
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
	ThinkingTokens uint64
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

// Float32 is for options that may be nil: Temperature: rondo.Float32(0.8).
func Float32(value float32) *float32 { return pointer(value) }

// Int32 is as Float32.
func Int32(value int32) *int32 { return pointer(value) }

// Uint32 is as Float32.
func Uint32(value uint32) *uint32 { return pointer(value) }

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
		options.Temperature = pointer(float32(raw.temperature))
		options.TopK = pointer(int32(raw.top_k))
		options.TopP = pointer(float32(raw.top_p))
		options.MinP = pointer(float32(raw.min_p))
		options.RepetitionPenalty = pointer(float32(raw.repetition_penalty))
		options.PenaltyLastN = pointer(int32(raw.penalty_last_n))
		options.NoRepeatNgramSize = pointer(uint32(raw.no_repeat_ngram_size))
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
			return &Error{StatusInvalidArgument, "of Grammar and JSONSchema one is given"}
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
	// generated from here: session options said
	setGiven(&raw.temperature, o.Temperature)
	setGiven(&raw.top_k, o.TopK)
	setGiven(&raw.top_p, o.TopP)
	setGiven(&raw.min_p, o.MinP)
	setGiven(&raw.repetition_penalty, o.RepetitionPenalty)
	set(&raw.presence_penalty, o.PresencePenalty)
	set(&raw.frequency_penalty, o.FrequencyPenalty)
	setGiven(&raw.penalty_last_n, o.PenaltyLastN)
	raw.ignore_eos = cBool(o.IgnoreEOS)
	raw.logprobs = cBool(o.LogProbs)
	setGiven(&raw.no_repeat_ngram_size, o.NoRepeatNgramSize)
	set(&raw.seed, o.Seed)
	set(&raw.max_tokens, o.MaxTokens)
	set(&raw.speculation, o.Speculation)
	set(&raw.max_drafts, o.MaxDrafts)
	set(&raw.grammar_begin, o.GrammarBegin)
	set(&raw.grammar_token, o.GrammarToken)
	raw.grammar_goes_on = cBool(o.GrammarGoesOn)
	raw.thinking = cBool(o.Thinking)
	if o.ThinkingBegin != "" {
		raw.thinking_begin = C.CString(o.ThinkingBegin)
		defer C.free(unsafe.Pointer(raw.thinking_begin))
	}
	if o.ThinkingEnd != "" {
		raw.thinking_end = C.CString(o.ThinkingEnd)
		defer C.free(unsafe.Pointer(raw.thinking_end))
	}
	set(&raw.thinking_tokens, o.ThinkingTokens)
	// generated to here
	if n := len(o.Stop); n > 0 {
		list := C.malloc(C.size_t(n) * C.size_t(unsafe.Sizeof(uintptr(0))))
		defer C.free(list)
		for i, text := range o.Stop {
			pointer := C.CString(text)
			defer C.free(unsafe.Pointer(pointer))
			unsafe.Slice((**C.char)(list), n)[i] = pointer
		}
		raw.stop_strings = (**C.char)(list)
		raw.n_stop_strings = C.size_t(n)
	}
	if n := len(o.LogitBias); n > 0 {
		list := C.malloc(C.size_t(n) * C.sizeof_rondo_logit_bias)
		defer C.free(list)
		i := 0
		for token, bias := range o.LogitBias {
			unsafe.Slice((*C.rondo_logit_bias)(list), n)[i] =
				C.rondo_logit_bias{token: C.int32_t(token), bias: C.float(bias)}
			i++
		}
		raw.logit_bias = (*C.rondo_logit_bias)(list)
		raw.n_logit_bias = C.size_t(n)
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
