// Code generated DO NOT EDIT. Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.

package rondo

// #include <rondo/rondo.h>
import "C"

// Status is one of the constants RONDO_STATUS_ of rondo.h.
type Status int32

// Values of Status. A newer library may have others.
const (
	// Done.
	StatusOK Status = 0
	// A value outside of what the call accepts.
	StatusInvalidArgument Status = 16
	// The needed size was reported.
	StatusBufferTooSmall Status = 17
	// In use by another call; or all sessions are open.
	StatusBusy Status = 18
	// Caller and library disagree about the ABI.
	StatusVersionMismatch Status = 19
	// Closed, of another kind, or never given out. Since ABI 10.
	StatusInvalidHandle Status = 20
	// The system could not read it.
	StatusIOError Status = 32
	// Not a Rondo file at all.
	StatusNotAModel Status = 33
	// Of a format version that this library does not know.
	StatusNewerFormat Status = 34
	// Truncated, altered, or contradicting itself.
	StatusCorrupt Status = 35
	// Well formed, but asks for what this library cannot do.
	StatusUnsupported Status = 36
	// The system refused memory, or no address space has it.
	StatusOutOfMemory Status = 48
	// The caller's arena is smaller than the plan.
	StatusArenaTooSmall Status = 49
	// The caller's arena is not aligned as the plan asks.
	StatusArenaMisaligned Status = 50
	// No room for these tokens, and the policy is to stop.
	StatusContextFull Status = 64
	// The caller or a progress callback said so.
	StatusCancelled Status = 65
	// There is nothing to predict from: prefill first.
	StatusNoLogits Status = 66
	// Open sessions use all KV blocks; nothing has happened.
	StatusKVPoolFull Status = 67
	// Of another model, or of other options of the engine.
	StatusSnapshotMismatch Status = 68
	// The session's grammar leaves no token, or ran out of what it has.
	StatusConstraint Status = 69
	// An invariant of ours failed: please report.
	StatusInternal Status = 80
)

// Errors, by their status: errors.Is(err, rondo.ErrBusy). ErrClosed stands apart.
var (
	ErrInvalidArgument  error = StatusInvalidArgument
	ErrBufferTooSmall   error = StatusBufferTooSmall
	ErrBusy             error = StatusBusy
	ErrVersionMismatch  error = StatusVersionMismatch
	ErrInvalidHandle    error = StatusInvalidHandle
	ErrIOError          error = StatusIOError
	ErrNotAModel        error = StatusNotAModel
	ErrNewerFormat      error = StatusNewerFormat
	ErrCorrupt          error = StatusCorrupt
	ErrUnsupported      error = StatusUnsupported
	ErrOutOfMemory      error = StatusOutOfMemory
	ErrArenaTooSmall    error = StatusArenaTooSmall
	ErrArenaMisaligned  error = StatusArenaMisaligned
	ErrContextFull      error = StatusContextFull
	ErrCancelled        error = StatusCancelled
	ErrNoLogits         error = StatusNoLogits
	ErrKVPoolFull       error = StatusKVPoolFull
	ErrSnapshotMismatch error = StatusSnapshotMismatch
	ErrConstraint       error = StatusConstraint
	ErrInternal         error = StatusInternal
)

// Policy is one of the constants RONDO_POLICY_ of rondo.h.
type Policy int32

// Values of Policy. A newer library may have others.
const (
	// A full context ends the generation; nothing is lost.
	PolicyStop Policy = 0
	// The oldest tokens make room, in blocks; SinkTokens stay.
	PolicySlide Policy = 1
)

// String is the constant's name without Policy; of an unknown one its number.
func (v Policy) String() string {
	switch v {
	case PolicyStop:
		return "Stop"
	case PolicySlide:
		return "Slide"
	}
	return unknown("Policy", int32(v))
}

// KVFormat is one of the constants RONDO_KV_ of rondo.h.
type KVFormat int32

// Values of KVFormat. A newer library may have others.
const (
	// Keys and values in 8 bits.
	KVInt8 KVFormat = 0
	// Four times the memory, slow: the reference that int8 is held against.
	KVFloat32 KVFormat = 1
	// Values in 4 bits, keys in 8: three quarters of INT8's memory, at some loss of predictions,
	// which depends on the model: `rondo eval --against` tells. Small models lose more.
	KVK8v4 KVFormat = 2
	// Both in 4 bits: half of INT8's memory, and a larger loss.
	KVK4v4 KVFormat = 3
)

// String is the constant's name without KV; of an unknown one its number.
func (v KVFormat) String() string {
	switch v {
	case KVInt8:
		return "Int8"
	case KVFloat32:
		return "Float32"
	case KVK8v4:
		return "K8v4"
	case KVK4v4:
		return "K4v4"
	}
	return unknown("KVFormat", int32(v))
}

// LogLevel is one of the constants RONDO_LOG_ of rondo.h.
type LogLevel int32

// Values of LogLevel. A newer library may have others.
const (
	// Something that the host should see to: threads that the system refused, a pool of the host
	// that does not do what it must, a KV pool that is full.
	LogWarning LogLevel = 0
	// Once for an engine or a session: what the engine was made of, a context that begins to
	// slide.
	LogInfo LogLevel = 1
	// Passes: how many tokens of how many sessions, and how long.
	LogDebug LogLevel = 2
)

// String is the constant's name without Log; of an unknown one its number.
func (v LogLevel) String() string {
	switch v {
	case LogWarning:
		return "Warning"
	case LogInfo:
		return "Info"
	case LogDebug:
		return "Debug"
	}
	return unknown("LogLevel", int32(v))
}

// Affinity is one of the constants RONDO_AFFINITY_ of rondo.h.
type Affinity int32

// Values of Affinity. A newer library may have others.
const (
	// Those that the system puts them on.
	AffinitySystem Affinity = 0
	// The performance cores, as far as the system tells; on Apple's systems QoS classes do this in
	// any case.
	AffinityPerformance Affinity = 1
	// Those that rondo_engine_options.cpus names.
	AffinityCPUs Affinity = 2
)

// String is the constant's name without Affinity; of an unknown one its number.
func (v Affinity) String() string {
	switch v {
	case AffinitySystem:
		return "System"
	case AffinityPerformance:
		return "Performance"
	case AffinityCPUs:
		return "CPUs"
	}
	return unknown("Affinity", int32(v))
}

// Segment is one of the constants RONDO_SEGMENT_ of rondo.h.
type Segment int32

// Values of Segment. A newer library may have others.
const (
	// Packed weights.
	SegmentWeights Segment = 0
	// Keys and values of all sessions.
	SegmentKVPool Segment = 1
	// Tokens, samplers, logits, text.
	SegmentSessions Segment = 2
	// Buffers of one pass.
	SegmentActivations Segment = 3
	// Scratch of threads.
	SegmentWorkspace Segment = 4
)

// String is the constant's name without Segment; of an unknown one its number.
func (v Segment) String() string {
	switch v {
	case SegmentWeights:
		return "Weights"
	case SegmentKVPool:
		return "KVPool"
	case SegmentSessions:
		return "Sessions"
	case SegmentActivations:
		return "Activations"
	case SegmentWorkspace:
		return "Workspace"
	}
	return unknown("Segment", int32(v))
}

// Speculation is one of the constants RONDO_SPECULATION_ of rondo.h.
type Speculation int32

// Values of Speculation. A newer library may have others.
const (
	// No drafts, but for those of rondo_session_propose, and for what a grammar or the end of a
	// thought leaves no choice of.
	SpeculationNone Speculation = 0
	// What followed the last tokens where they were before: for texts that repeat their input,
	// code above all.
	SpeculationPromptLookup Speculation = 1
	// What the engine's draft model says; refused where it has none.
	SpeculationDraftModel Speculation = 2
	// What the model's draft head says; refused where the engine has none.
	SpeculationDraftHead Speculation = 3
)

// String is the constant's name without Speculation; of an unknown one its number.
func (v Speculation) String() string {
	switch v {
	case SpeculationNone:
		return "None"
	case SpeculationPromptLookup:
		return "PromptLookup"
	case SpeculationDraftModel:
		return "DraftModel"
	case SpeculationDraftHead:
		return "DraftHead"
	}
	return unknown("Speculation", int32(v))
}

// GrammarBegin is one of the constants RONDO_GRAMMAR_BEGIN_ of rondo.h.
type GrammarBegin int32

// Values of GrammarBegin. A newer library may have others.
const (
	// With the first token of each generation.
	GrammarBeginAtOnce GrammarBegin = 0
	// Behind GrammarToken, where it comes; free before.
	GrammarBeginAfterToken GrammarBegin = 1
	// Behind a thought, where the generation begins with one or inside of one, and then no end
	// token comes in it; else at once. With `thinking`.
	GrammarBeginAfterThinking GrammarBegin = 2
)

// String is the constant's name without GrammarBegin; of an unknown one its number.
func (v GrammarBegin) String() string {
	switch v {
	case GrammarBeginAtOnce:
		return "AtOnce"
	case GrammarBeginAfterToken:
		return "AfterToken"
	case GrammarBeginAfterThinking:
		return "AfterThinking"
	}
	return unknown("GrammarBegin", int32(v))
}

// Reason is one of the constants RONDO_REASON_ of rondo.h.
type Reason int32

// Values of Reason. A newer library may have others.
const (
	// It goes on.
	ReasonNone Reason = 0
	// An end token; in the event, not appended but by _accept.
	ReasonEOS Reason = 1
	// A stop string came up; the text ends before it.
	ReasonStopString Reason = 2
	// MaxTokens were generated.
	ReasonTokenLimit Reason = 3
	// Policy STOP and no room for another token.
	ReasonContextFull Reason = 4
	// By the session's grammar the text is whole: nothing may follow.
	ReasonGrammar Reason = 5
)

// String is the constant's name without Reason; of an unknown one its number.
func (v Reason) String() string {
	switch v {
	case ReasonNone:
		return "None"
	case ReasonEOS:
		return "EOS"
	case ReasonStopString:
		return "StopString"
	case ReasonTokenLimit:
		return "TokenLimit"
	case ReasonContextFull:
		return "ContextFull"
	case ReasonGrammar:
		return "Grammar"
	}
	return unknown("Reason", int32(v))
}

// Channel is one of the constants RONDO_CHANNEL_ of rondo.h.
type Channel int32

// Values of Channel. A newer library may have others.
const (
	// The answer.
	ChannelText Channel = 0
	// A thought, with what begins and ends it.
	ChannelThinking Channel = 1
)

// String is the constant's name without Channel; of an unknown one its number.
func (v Channel) String() string {
	switch v {
	case ChannelText:
		return "Text"
	case ChannelThinking:
		return "Thinking"
	}
	return unknown("Channel", int32(v))
}

// Pixels is one of the constants RONDO_PIXELS_ of rondo.h.
type Pixels int32

// Values of Pixels. A newer library may have others.
const (
	// Plane0: red, green, blue.
	PixelsRGB8 Pixels = 0
	// Plane0: red, green, blue and alpha, which is dropped, not blended, as processors do.
	PixelsRGBA8 Pixels = 1
	// Plane0: blue, green, red and alpha, which is dropped.
	PixelsBGRA8 Pixels = 2
	// Plane0: one value a pixel.
	PixelsGray8 Pixels = 3
	// Plane0: Y; plane1: U and V in turn, for 2x2 pixels each.
	PixelsNV12 Pixels = 4
	// Plane0: Y; plane1: V and U in turn, for 2x2 pixels each.
	PixelsNV21 Pixels = 5
	// Plane0: Y; plane1: U; plane2: V, for 2x2 pixels each.
	PixelsI420 Pixels = 6
)

// String is the constant's name without Pixels; of an unknown one its number.
func (v Pixels) String() string {
	switch v {
	case PixelsRGB8:
		return "RGB8"
	case PixelsRGBA8:
		return "RGBA8"
	case PixelsBGRA8:
		return "BGRA8"
	case PixelsGray8:
		return "Gray8"
	case PixelsNV12:
		return "NV12"
	case PixelsNV21:
		return "NV21"
	case PixelsI420:
		return "I420"
	}
	return unknown("Pixels", int32(v))
}

// YUVRange is one of the constants RONDO_YUV_ of rondo.h.
type YUVRange int32

// Values of YUVRange. A newer library may have others.
const (
	// From 16 to 235.
	YUVVideo YUVRange = 0
	// From 0 to 255.
	YUVFull YUVRange = 1
)

// String is the constant's name without YUV; of an unknown one its number.
func (v YUVRange) String() string {
	switch v {
	case YUVVideo:
		return "Video"
	case YUVFull:
		return "Full"
	}
	return unknown("YUVRange", int32(v))
}

// YUVMatrix is one of the constants RONDO_YUV_ of rondo.h.
type YUVMatrix int32

// Values of YUVMatrix. A newer library may have others.
const (
	// ITU-R BT.601.
	YUVBT601 YUVMatrix = 0
	// ITU-R BT.709.
	YUVBT709 YUVMatrix = 1
)

// String is the constant's name without YUV; of an unknown one its number.
func (v YUVMatrix) String() string {
	switch v {
	case YUVBT601:
		return "BT601"
	case YUVBT709:
		return "BT709"
	}
	return unknown("YUVMatrix", int32(v))
}

// ChatPartKind is one of the constants RONDO_CHAT_PART_ of rondo.h.
type ChatPartKind int32

// Values of ChatPartKind. A newer library may have others.
const (
	// Nothing more to hand out yet.
	ChatPartNone ChatPartKind = 0
	// A piece of the answer.
	ChatPartContent ChatPartKind = 1
	// A piece of a thought.
	ChatPartThinking ChatPartKind = 2
	// A call begins: `name`, and `id` where the model writes one.
	ChatPartCall ChatPartKind = 3
	// A piece of the call's arguments: together they are JSON.
	ChatPartArguments ChatPartKind = 4
	// The call is whole.
	ChatPartCallEnd ChatPartKind = 5
)

// String is the constant's name without ChatPart; of an unknown one its number.
func (v ChatPartKind) String() string {
	switch v {
	case ChatPartNone:
		return "None"
	case ChatPartContent:
		return "Content"
	case ChatPartThinking:
		return "Thinking"
	case ChatPartCall:
		return "Call"
	case ChatPartArguments:
		return "Arguments"
	case ChatPartCallEnd:
		return "CallEnd"
	}
	return unknown("ChatPartKind", int32(v))
}

// Calls is one of the constants RONDO_CALLS_ of rondo.h.
type Calls int32

// Values of Calls. A newer library may have others.
const (
	// As many as the model wants, behind content or none.
	CallsAuto Calls = 0
	// One at least, and nothing else.
	CallsRequired Calls = 1
	// Exactly one, and nothing else.
	CallsOne Calls = 2
)

// String is the constant's name without Calls; of an unknown one its number.
func (v Calls) String() string {
	switch v {
	case CallsAuto:
		return "Auto"
	case CallsRequired:
		return "Required"
	case CallsOne:
		return "One"
	}
	return unknown("Calls", int32(v))
}

// Pooling is one of the constants RONDO_POOLING_ of rondo.h.
type Pooling int32

// Values of Pooling. A newer library may have others.
const (
	// The mean of all.
	PoolingMean Pooling = 0
	// The last one.
	PoolingLast Pooling = 1
	// The first one, which then stands for the whole text: [CLS].
	PoolingFirst Pooling = 2
)

// String is the constant's name without Pooling; of an unknown one its number.
func (v Pooling) String() string {
	switch v {
	case PoolingMean:
		return "Mean"
	case PoolingLast:
		return "Last"
	case PoolingFirst:
		return "First"
	}
	return unknown("Pooling", int32(v))
}

// ModelFacts is rondo_model_facts of rondo.h.
type ModelFacts struct {
	// Token ids are 0 to vocab_size - 1.
	VocabSize int
	// Tokens that the model was trained for.
	ContextLength int
	// Values of a token between layers.
	HiddenSize int
	// Transformer layers.
	NLayers int
	// Query heads, of the first layer.
	NHeads int
	// Heads of keys and values, of the first layer, which query heads share in groups.
	NKVHeads int
	// Values of a head, of the first layer.
	HeadDim int
	// -1: none.
	BosToken int32
	// See rondo_model_eos_token.
	NEOSTokens int
	// False: token ids only.
	HasTokenizer bool
	// Of the file.
	FormatVersion int
	// Size of the file, or of the part that was opened.
	FileBytes uint64
	// Values in all weights; a tied embedding counts once.
	Parameters uint64
	// What opening took of memory for texts to be tokenized in: fixed, at most 2 MB; 0: none.
	TokenizerBytes uint64
	// The token that stands for a picture (rondo_session_append_media); -1: the model does not
	// see.
	PictureToken int32
}

func modelFactsOf(from *C.rondo_model_facts) ModelFacts {
	return ModelFacts{
		VocabSize:      int(from.vocab_size),
		ContextLength:  int(from.context_length),
		HiddenSize:     int(from.hidden_size),
		NLayers:        int(from.n_layers),
		NHeads:         int(from.n_heads),
		NKVHeads:       int(from.n_kv_heads),
		HeadDim:        int(from.head_dim),
		BosToken:       int32(from.bos_token),
		NEOSTokens:     int(from.n_eos_tokens),
		HasTokenizer:   from.has_tokenizer != 0,
		FormatVersion:  int(from.format_version),
		FileBytes:      uint64(from.file_bytes),
		Parameters:     uint64(from.parameters),
		TokenizerBytes: uint64(from.tokenizer_bytes),
		PictureToken:   int32(from.picture_token),
	}
}

// AdapterFacts is rondo_adapter_facts of rondo.h.
type AdapterFacts struct {
	// The largest of its matrices: what AdapterRank must be at least.
	Rank int
	// Of the model's file, that it changes.
	NMatrices int
	// Size of the file: what it takes of memory, shared between processes.
	FileBytes uint64
}

func adapterFactsOf(from *C.rondo_adapter_facts) AdapterFacts {
	return AdapterFacts{
		Rank:      int(from.rank),
		NMatrices: int(from.n_matrices),
		FileBytes: uint64(from.file_bytes),
	}
}

// MemoryPlan is rondo_memory_plan of rondo.h.
type MemoryPlan struct {
	// See rondo_plan_region.
	NRegions int
	// What rondo_engine_create takes.
	ArenaBytes uint64
	// Where an arena of the caller's may begin.
	ArenaAlignment uint64
	// Weights; this and the next four add up to arena_bytes.
	WeightsBytes uint64
	// Keys and values of all sessions.
	KVPoolBytes uint64
	// Tokens, samplers, logits, text.
	SessionsBytes uint64
	// Buffers of one pass.
	ActivationsBytes uint64
	// Scratch of threads.
	WorkspaceBytes uint64
	// The most that is live at once: no layout can be smaller.
	ActivationsLowerBound uint64
	// Of one session, in layers of every window together.
	KVBytesPerToken int32
	// Tokens in a block of the KV pool.
	KVBlockTokens int
	// Tokens that a session can see.
	Context int
	// Open at once.
	MaxSessions int
	// Tokens of one pass.
	MaxRows int
	// The caller's among them.
	Threads int
	// Tokens that stay under SLIDE.
	SinkTokens int
	// The kernel set's name; static.
	Kernels string
	// Weights of a packed file, used where they lie: not in arena_bytes, and shared between
	// processes.
	MappedBytes uint64
	// Tokens that the KV pool holds.
	KVTokens uint64
	// Most tokens of a pass in which some session decodes.
	RowsPerStep int
}

func memoryPlanOf(from *C.rondo_memory_plan) MemoryPlan {
	return MemoryPlan{
		NRegions:              int(from.n_regions),
		ArenaBytes:            uint64(from.arena_bytes),
		ArenaAlignment:        uint64(from.arena_alignment),
		WeightsBytes:          uint64(from.weights_bytes),
		KVPoolBytes:           uint64(from.kv_pool_bytes),
		SessionsBytes:         uint64(from.sessions_bytes),
		ActivationsBytes:      uint64(from.activations_bytes),
		WorkspaceBytes:        uint64(from.workspace_bytes),
		ActivationsLowerBound: uint64(from.activations_lower_bound),
		KVBytesPerToken:       int32(from.kv_bytes_per_token),
		KVBlockTokens:         int(from.kv_block_tokens),
		Context:               int(from.context),
		MaxSessions:           int(from.max_sessions),
		MaxRows:               int(from.max_rows),
		Threads:               int(from.threads),
		SinkTokens:            int(from.sink_tokens),
		Kernels:               C.GoString(from.kernels),
		MappedBytes:           uint64(from.mapped_bytes),
		KVTokens:              uint64(from.kv_tokens),
		RowsPerStep:           int(from.rows_per_step),
	}
}

// MemoryRegion is rondo_memory_region of rondo.h.
type MemoryRegion struct {
	// The part of the arena that it is in.
	Segment Segment
	// From the start of the arena.
	Offset uint64
	// Its size.
	Bytes uint64
	// Of activations: the first step of a pass in which it is live. Regions that are never live
	// together may share memory. Elsewhere 0.
	FirstStep int
	// The last such step. Elsewhere INT32_MAX.
	LastStep int
	// What it is for, zero-terminated.
	Name string
}

func memoryRegionOf(from *C.rondo_memory_region) MemoryRegion {
	return MemoryRegion{
		Segment:   Segment(from.segment),
		Offset:    uint64(from.offset),
		Bytes:     uint64(from.bytes),
		FirstStep: int(from.first_step),
		LastStep:  int(from.last_step),
		Name:      C.GoString(&from.name[0]),
	}
}

// EngineCounters is rondo_engine_counters of rondo.h.
type EngineCounters struct {
	// Now, forks included.
	SessionsOpen int
	// False: the arena is the caller's.
	OwnsArena bool
	// By all sessions so far, by rondo_session_prefill, ..._logits, _append.
	TokensPrefilled uint64
	// By rondo_session_next, _accept and steps.
	TokensGenerated uint64
	// Of those prefilled: the prefix cache had them.
	TokensTakenOver uint64
	// Times that the host's pool did not do what ParallelFor must.
	ParallelFaults uint64
	// Forward passes, cancelled ones included.
	Passes uint64
	// Tokens that they evaluated; not those of sessions cancelled in them.
	Rows uint64
	// Nanoseconds that passes took, whatever the number of threads: those in which some session
	// had several tokens to evaluate, and those in which each had one, and drafts.
	PrefillNs uint64
	// Nanoseconds that the other passes took.
	DecodeNs uint64
	// Nanoseconds that choosing tokens took.
	SampleNs uint64
	// Times that a session began with what the prefix cache had.
	PrefixHits uint64
	// SLIDE: tokens that made room; again where they were undone between.
	TokensEvicted uint64
	// Bytes of KV that open sessions hold now; what they share counts once.
	KVBytesUsed uint64
	// That there are: the rest is free, or kept by the prefix cache.
	KVBytesTotal uint64
	// That passes verified.
	DraftsProposed uint64
	// And that were right and generated: each saved a pass.
	DraftsAccepted uint64
}

func engineCountersOf(from *C.rondo_engine_counters) EngineCounters {
	return EngineCounters{
		SessionsOpen:    int(from.sessions_open),
		OwnsArena:       from.owns_arena != 0,
		TokensPrefilled: uint64(from.tokens_prefilled),
		TokensGenerated: uint64(from.tokens_generated),
		TokensTakenOver: uint64(from.tokens_taken_over),
		ParallelFaults:  uint64(from.parallel_faults),
		Passes:          uint64(from.passes),
		Rows:            uint64(from.rows),
		PrefillNs:       uint64(from.prefill_ns),
		DecodeNs:        uint64(from.decode_ns),
		SampleNs:        uint64(from.sample_ns),
		PrefixHits:      uint64(from.prefix_hits),
		TokensEvicted:   uint64(from.tokens_evicted),
		KVBytesUsed:     uint64(from.kv_bytes_used),
		KVBytesTotal:    uint64(from.kv_bytes_total),
		DraftsProposed:  uint64(from.drafts_proposed),
		DraftsAccepted:  uint64(from.drafts_accepted),
	}
}

// ProfileEvent is rondo_profile_event of rondo.h.
type ProfileEvent struct {
	// Counted from 0; -1: of none.
	Layer int
	// Tokens that were computed; 0: of "sample".
	Rows int
	// Of a product, whose matrix is [outputs, inputs]; else 0.
	Inputs int
	// Of a product; else 0.
	Outputs int
	// Nanoseconds since the engine was created, by a clock that never jumps.
	BeginNs uint64
	// Nanoseconds.
	DurationNs uint64
	// That computed, or waited for the engine's other threads: differs between any two that live
	// at the same time.
	Thread uint64
	// "pass", "embed", "attention", "mlp", "product", "head", "sample" and others that may come:
	// static ASCII letters; empty: there is no event.
	Name string
}

func profileEventOf(from *C.rondo_profile_event) ProfileEvent {
	return ProfileEvent{
		Layer:      int(from.layer),
		Rows:       int(from.rows),
		Inputs:     int(from.inputs),
		Outputs:    int(from.outputs),
		BeginNs:    uint64(from.begin_ns),
		DurationNs: uint64(from.duration_ns),
		Thread:     uint64(from.thread),
		Name:       C.GoString(from.name),
	}
}

// ImageFacts is rondo_image_facts of rondo.h.
type ImageFacts struct {
	// Rows of the text's: what it takes of MaxMediaRows.
	Rows int
	// What it takes of the context: rows, and the tokens around them.
	Positions int
	// Columns of tiles that it is cut into; 0 where it is not.
	TileColumns int
	// Rows of tiles; 0 where it is not cut.
	TileRows int
	// Of a tile's side; 0 where there are none.
	TilePixels int
	// The width that the whole is resized to; 0 where only tiles are seen.
	WholeWidth int
	// The height of that; 0 where only tiles are seen.
	WholeHeight int
	// Patches that the tower looks at.
	Patches uint64
}

func imageFactsOf(from *C.rondo_image_facts) ImageFacts {
	return ImageFacts{
		Rows:        int(from.rows),
		Positions:   int(from.positions),
		TileColumns: int(from.tile_columns),
		TileRows:    int(from.tile_rows),
		TilePixels:  int(from.tile_pixels),
		WholeWidth:  int(from.whole_width),
		WholeHeight: int(from.whole_height),
		Patches:     uint64(from.patches),
	}
}

// SessionCounters is rondo_session_counters of rondo.h.
type SessionCounters struct {
	// By rondo_session_prefill, ..._logits, _append.
	TokensPrefilled uint64
	// By rondo_session_next, _accept and steps.
	TokensGenerated uint64
	// That the prefix cache had: not evaluated.
	TokensTakenOver uint64
	// That evaluated tokens of it.
	Passes uint64
	// These tokens; some again, after undo or for logits.
	Rows uint64
	// Nanoseconds that these passes took, whoever was in them, too: those in which it had several
	// tokens to evaluate, and those in which it had one, and drafts.
	PrefillNs uint64
	// Nanoseconds that the other passes took.
	DecodeNs uint64
	// Nanoseconds that choosing its tokens took.
	SampleNs uint64
	// Times that it began with what the prefix cache had.
	PrefixHits uint64
	// SLIDE: tokens that made room; again where they were undone between.
	TokensEvicted uint64
	// Bytes of KV that it holds now, those that it shares included.
	KVBytesHeld uint64
	// That passes verified.
	DraftsProposed uint64
	// And that were right and generated: each saved a pass.
	DraftsAccepted uint64
}

func sessionCountersOf(from *C.rondo_session_counters) SessionCounters {
	return SessionCounters{
		TokensPrefilled: uint64(from.tokens_prefilled),
		TokensGenerated: uint64(from.tokens_generated),
		TokensTakenOver: uint64(from.tokens_taken_over),
		Passes:          uint64(from.passes),
		Rows:            uint64(from.rows),
		PrefillNs:       uint64(from.prefill_ns),
		DecodeNs:        uint64(from.decode_ns),
		SampleNs:        uint64(from.sample_ns),
		PrefixHits:      uint64(from.prefix_hits),
		TokensEvicted:   uint64(from.tokens_evicted),
		KVBytesHeld:     uint64(from.kv_bytes_held),
		DraftsProposed:  uint64(from.drafts_proposed),
		DraftsAccepted:  uint64(from.drafts_accepted),
	}
}

// EmbedderFacts is rondo_embedder_facts of rondo.h.
type EmbedderFacts struct {
	// Numbers of a vector; 0: the model embeds nothing. All below is 0, default_prompt -1.
	Dimensions int
	// Of a text, with those that the model has around it; see whole_texts.
	MaxTokens int
	// True: it reads texts whole, so one may have at most MaxRows tokens.
	WholeTexts bool
	// True: vectors have length 1, those that are cut, too.
	Normalized bool
	// True: dimensions is 1, the score, from 0 to 1 as a rule; two numbers can be had: the second
	// is the logit, which the score is made of and which tells high ones apart.
	ScoresPairs bool
	// Which of a text's tokens its vector is made of.
	Pooling Pooling
	// See rondo_model_prompt_name.
	NPrompts int
	// Number of the one that is used where none is named; -1: none.
	DefaultPrompt int
}

func embedderFactsOf(from *C.rondo_embedder_facts) EmbedderFacts {
	return EmbedderFacts{
		Dimensions:    int(from.dimensions),
		MaxTokens:     int(from.max_tokens),
		WholeTexts:    from.whole_texts != 0,
		Normalized:    from.normalized != 0,
		ScoresPairs:   from.scores_pairs != 0,
		Pooling:       Pooling(from.pooling),
		NPrompts:      int(from.n_prompts),
		DefaultPrompt: int(from.default_prompt),
	}
}

// What options are called in the library's sentences, and here.
var optionNames = map[string]string{
	"adapter":              "Adapter",
	"adapter_rank":         "AdapterRank",
	"affinity":             "Affinity",
	"context":              "Context",
	"context_policy":       "ContextPolicy",
	"cpus":                 "CPUs",
	"draft":                "Draft",
	"draft_head":           "DraftHead",
	"duty_percent":         "DutyPercent",
	"frequency_penalty":    "FrequencyPenalty",
	"grammar":              "Grammar",
	"grammar_begin":        "GrammarBegin",
	"grammar_goes_on":      "GrammarGoesOn",
	"grammar_token":        "GrammarToken",
	"ignore_eos":           "IgnoreEOS",
	"kernels":              "Kernels",
	"kv_format":            "KVFormat",
	"kv_tokens":            "KVTokens",
	"local_time":           "LocalTime",
	"logit_bias":           "LogitBias",
	"logprobs":             "LogProbs",
	"max_drafts":           "MaxDrafts",
	"max_input_rows":       "MaxInputRows",
	"max_media_rows":       "MaxMediaRows",
	"max_rows":             "MaxRows",
	"max_sessions":         "MaxSessions",
	"max_tokens":           "MaxTokens",
	"memory_bytes":         "MemoryBytes",
	"min_p":                "MinP",
	"min_tokens":           "MinTokens",
	"n_cpus":               "CPUs",
	"n_logit_bias":         "LogitBias",
	"n_stop_strings":       "Stop",
	"no_prefix_cache":      "NoPrefixCache",
	"no_repeat_ngram_size": "NoRepeatNgramSize",
	"one_tile":             "OneTile",
	"penalty_last_n":       "PenaltyLastN",
	"presence_penalty":     "PresencePenalty",
	"profile_events":       "ProfileEvents",
	"repetition_penalty":   "RepetitionPenalty",
	"rows_per_step":        "RowsPerStep",
	"seed":                 "Seed",
	"sees_whole":           "SeesWhole",
	"sink_tokens":          "SinkTokens",
	"speculation":          "Speculation",
	"stop_strings":         "Stop",
	"temperature":          "Temperature",
	"template_name":        "TemplateName",
	"template_text":        "Template",
	"thinking":             "Thinking",
	"thinking_begin":       "ThinkingBegin",
	"thinking_end":         "ThinkingEnd",
	"thinking_tokens":      "ThinkingTokens",
	"threads":              "Threads",
	"top_k":                "TopK",
	"top_p":                "TopP",
}
