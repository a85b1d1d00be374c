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
	Context       uint32
	MaxSessions   uint32
	MaxRows       uint32
	Threads       uint32
	ContextPolicy Policy
	SinkTokens    uint32
	KVFormat      KVFormat
	Kernels       string
	KVTokens      uint32
	RowsPerStep   uint32
	NoPrefixCache bool
	ProfileEvents uint32
	DutyPercent   uint32
	// Draft is a small model of the same vocabulary, for sessions of SpeculationDraftModel.
	Draft *Model
	// DraftHead runs that of the model's file, for sessions of SpeculationDraftHead.
	DraftHead bool
	// AdapterRank is the largest of adapters that sessions may be given.
	AdapterRank uint32
	// MaxInputRows is how many rows of inputs (Session.AppendInputs) sessions may hold together.
	MaxInputRows uint32
	// Affinity: which CPUs the engine's own threads run on. AffinityCPUs where CPUs has some.
	Affinity Affinity
	// CPUs are those of AffinityCPUs, as the system counts them.
	CPUs []uint32
	// Progress is told how far Model.Engine is. False cancels. It must not panic.
	Progress func(done, total uint64) bool
}

func (o *EngineOptions) with(use func(*C.rondo_engine_options) error) error {
	raw := (*C.rondo_engine_options)(C.malloc(C.sizeof_rondo_engine_options))
	defer C.free(unsafe.Pointer(raw))
	if err := check(C.rondo_engine_options_init(raw, C.sizeof_rondo_engine_options)); err != nil {
		return err
	}
	raw.context = C.uint32_t(o.Context)
	if o.MaxSessions != 0 {
		raw.max_sessions = C.uint32_t(o.MaxSessions)
	}
	if o.MaxRows != 0 {
		raw.max_rows = C.uint32_t(o.MaxRows)
	}
	raw.threads = C.uint32_t(o.Threads)
	raw.context_policy = C.int32_t(o.ContextPolicy)
	raw.sink_tokens = C.uint32_t(o.SinkTokens)
	raw.kv_format = C.int32_t(o.KVFormat)
	raw.kv_tokens = C.uint32_t(o.KVTokens)
	raw.rows_per_step = C.uint32_t(o.RowsPerStep)
	raw.no_prefix_cache = cBool(o.NoPrefixCache)
	raw.profile_events = C.uint32_t(o.ProfileEvents)
	raw.duty_percent = C.uint32_t(o.DutyPercent)
	raw.draft_head = cBool(o.DraftHead)
	raw.adapter_rank = C.uint32_t(o.AdapterRank)
	raw.max_input_rows = C.uint32_t(o.MaxInputRows)
	raw.affinity = C.int32_t(o.Affinity)
	if n := len(o.CPUs); n > 0 {
		raw.affinity = C.RONDO_AFFINITY_CPUS
		raw.cpus = (*C.uint32_t)(C.malloc(C.size_t(n) * C.sizeof_uint32_t))
		defer C.free(unsafe.Pointer(raw.cpus))
		for i, cpu := range o.CPUs {
			unsafe.Slice(raw.cpus, n)[i] = C.uint32_t(cpu)
		}
		raw.n_cpus = C.uint32_t(n)
	}
	if o.Kernels != "" {
		raw.kernels = C.CString(o.Kernels)
		defer C.free(unsafe.Pointer(raw.kernels))
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
	LibraryDefaults   bool
	Temperature       *float32
	TopK              *int32
	TopP              *float32
	MinP              *float32
	RepetitionPenalty *float32
	PenaltyLastN      *int32
	NoRepeatNgramSize *uint32
	PresencePenalty   float32
	FrequencyPenalty  float32
	IgnoreEOS         bool
	LogProbs          bool
	Seed              uint64
	MaxTokens         uint64
	Speculation       Speculation
	MaxDrafts         uint32
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
	// GrammarBegin says where the grammar begins.
	GrammarBegin  GrammarBegin
	GrammarToken  int32
	GrammarGoesOn bool
	// Thinking: events tell thoughts from the rest.
	Thinking bool
	// ThinkingBegin and ThinkingEnd: empty for both: what the model's chat template puts around a
	// thought.
	ThinkingBegin  string
	ThinkingEnd    string
	ThinkingTokens uint64
}

// Float32 is for options that may be nil: Temperature: rondo.Float32(0.8).
func Float32(value float32) *float32 { return &value }

// Int32 is as Float32.
func Int32(value int32) *int32 { return &value }

// Uint32 is as Float32.
func Uint32(value uint32) *uint32 { return &value }

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
		options = SessionOptions{
			Temperature:       Float32(float32(raw.temperature)),
			TopK:              Int32(int32(raw.top_k)),
			TopP:              Float32(float32(raw.top_p)),
			MinP:              Float32(float32(raw.min_p)),
			RepetitionPenalty: Float32(float32(raw.repetition_penalty)),
			PenaltyLastN:      Int32(int32(raw.penalty_last_n)),
			NoRepeatNgramSize: Uint32(uint32(raw.no_repeat_ngram_size)),
		}
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
	o.Temperature = or(o.Temperature, recommended.Temperature)
	o.TopK = or(o.TopK, recommended.TopK)
	o.TopP = or(o.TopP, recommended.TopP)
	o.MinP = or(o.MinP, recommended.MinP)
	o.RepetitionPenalty = or(o.RepetitionPenalty, recommended.RepetitionPenalty)
	o.PenaltyLastN = or(o.PenaltyLastN, recommended.PenaltyLastN)
	o.NoRepeatNgramSize = or(o.NoRepeatNgramSize, recommended.NoRepeatNgramSize)
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
	for _, set := range []struct {
		to    *C.float
		value *float32
	}{{&raw.temperature, o.Temperature}, {&raw.top_p, o.TopP}, {&raw.min_p, o.MinP},
		{&raw.repetition_penalty, o.RepetitionPenalty}} {
		if set.value != nil {
			*set.to = C.float(*set.value)
		}
	}
	if o.TopK != nil {
		raw.top_k = C.int32_t(*o.TopK)
	}
	if o.PenaltyLastN != nil {
		raw.penalty_last_n = C.int32_t(*o.PenaltyLastN)
	}
	if o.NoRepeatNgramSize != nil {
		raw.no_repeat_ngram_size = C.uint32_t(*o.NoRepeatNgramSize)
	}
	raw.presence_penalty = C.float(o.PresencePenalty)
	raw.frequency_penalty = C.float(o.FrequencyPenalty)
	raw.ignore_eos = cBool(o.IgnoreEOS)
	raw.logprobs = cBool(o.LogProbs)
	raw.seed = C.uint64_t(o.Seed)
	raw.max_tokens = C.uint64_t(o.MaxTokens)
	raw.speculation = C.int32_t(o.Speculation)
	raw.max_drafts = C.uint32_t(o.MaxDrafts)
	raw.grammar_begin = C.int32_t(o.GrammarBegin)
	raw.grammar_token = C.int32_t(o.GrammarToken)
	raw.grammar_goes_on = cBool(o.GrammarGoesOn)
	raw.thinking = cBool(o.Thinking)
	raw.thinking_tokens = C.uint64_t(o.ThinkingTokens)
	if o.ThinkingBegin != "" {
		raw.thinking_begin = C.CString(o.ThinkingBegin)
		defer C.free(unsafe.Pointer(raw.thinking_begin))
	}
	if o.ThinkingEnd != "" {
		raw.thinking_end = C.CString(o.ThinkingEnd)
		defer C.free(unsafe.Pointer(raw.thinking_end))
	}
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
