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

// SessionOptions are those of rondo_session_options. What is 0 is the default.
type SessionOptions struct {
	// Recommended: begin with what the model's makers recommend for sampling.
	Recommended       bool
	Temperature       float32
	TopK              int32
	TopP              float32
	MinP              float32
	RepetitionPenalty float32
	PresencePenalty   float32
	FrequencyPenalty  float32
	PenaltyLastN      int32
	NoRepeatNgramSize uint32
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
}

func (o *SessionOptions) with(model *Model, use func(*C.rondo_session_options) error) error {
	raw := (*C.rondo_session_options)(C.malloc(C.sizeof_rondo_session_options))
	defer C.free(unsafe.Pointer(raw))
	if err := check(C.rondo_session_options_init(raw, C.sizeof_rondo_session_options)); err != nil {
		return err
	}
	if o.Recommended {
		err := model.with(func(handle *C.rondo_model) error {
			return check(C.rondo_model_session_options(handle, raw))
		})
		if err != nil {
			return err
		}
	}
	for _, set := range []struct {
		to    *C.float
		value float32
	}{{&raw.temperature, o.Temperature}, {&raw.top_p, o.TopP}, {&raw.min_p, o.MinP},
		{&raw.repetition_penalty, o.RepetitionPenalty}, {&raw.presence_penalty, o.PresencePenalty},
		{&raw.frequency_penalty, o.FrequencyPenalty}} {
		if set.value != 0 {
			*set.to = C.float(set.value)
		}
	}
	if o.TopK != 0 {
		raw.top_k = C.int32_t(o.TopK)
	}
	if o.PenaltyLastN != 0 {
		raw.penalty_last_n = C.int32_t(o.PenaltyLastN)
	}
	if o.NoRepeatNgramSize != 0 {
		raw.no_repeat_ngram_size = C.uint32_t(o.NoRepeatNgramSize)
	}
	raw.ignore_eos = cBool(o.IgnoreEOS)
	raw.logprobs = cBool(o.LogProbs)
	raw.seed = C.uint64_t(o.Seed)
	raw.max_tokens = C.uint64_t(o.MaxTokens)
	raw.speculation = C.int32_t(o.Speculation)
	raw.max_drafts = C.uint32_t(o.MaxDrafts)
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
	return use(raw)
}
