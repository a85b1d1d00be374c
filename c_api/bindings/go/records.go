// Code generated DO NOT EDIT. Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.

package rondo

// #include <rondo/rondo.h>
import "C"

// Status is one of the constants RONDO_STATUS_ of rondo.h.
type Status int32

// What rondo.h says of each.
const (
	StatusOK               Status = 0
	StatusInvalidArgument  Status = 16
	StatusBufferTooSmall   Status = 17
	StatusBusy             Status = 18
	StatusVersionMismatch  Status = 19
	StatusInvalidHandle    Status = 20
	StatusIOError          Status = 32
	StatusNotAModel        Status = 33
	StatusNewerFormat      Status = 34
	StatusCorrupt          Status = 35
	StatusUnsupported      Status = 36
	StatusOutOfMemory      Status = 48
	StatusArenaTooSmall    Status = 49
	StatusArenaMisaligned  Status = 50
	StatusContextFull      Status = 64
	StatusCancelled        Status = 65
	StatusNoLogits         Status = 66
	StatusKVPoolFull       Status = 67
	StatusSnapshotMismatch Status = 68
	StatusConstraint       Status = 69
	StatusInternal         Status = 80
)

// Policy is one of the constants RONDO_POLICY_ of rondo.h.
type Policy int32

// What rondo.h says of each.
const (
	PolicyStop  Policy = 0
	PolicySlide Policy = 1
)

// KVFormat is one of the constants RONDO_KV_ of rondo.h.
type KVFormat int32

// What rondo.h says of each.
const (
	KVInt8    KVFormat = 0
	KVFloat32 KVFormat = 1
	KVK8v4    KVFormat = 2
	KVK4v4    KVFormat = 3
)

// LogLevel is one of the constants RONDO_LOG_ of rondo.h.
type LogLevel int32

// What rondo.h says of each.
const (
	LogWarning LogLevel = 0
	LogInfo    LogLevel = 1
	LogDebug   LogLevel = 2
)

// Affinity is one of the constants RONDO_AFFINITY_ of rondo.h.
type Affinity int32

// What rondo.h says of each.
const (
	AffinitySystem      Affinity = 0
	AffinityPerformance Affinity = 1
	AffinityCPUs        Affinity = 2
)

// Segment is one of the constants RONDO_SEGMENT_ of rondo.h.
type Segment int32

// What rondo.h says of each.
const (
	SegmentWeights     Segment = 0
	SegmentKVPool      Segment = 1
	SegmentSessions    Segment = 2
	SegmentActivations Segment = 3
	SegmentWorkspace   Segment = 4
)

// Speculation is one of the constants RONDO_SPECULATION_ of rondo.h.
type Speculation int32

// What rondo.h says of each.
const (
	SpeculationNone         Speculation = 0
	SpeculationPromptLookup Speculation = 1
	SpeculationDraftModel   Speculation = 2
	SpeculationDraftHead    Speculation = 3
)

// GrammarBegin is one of the constants RONDO_GRAMMAR_BEGIN_ of rondo.h.
type GrammarBegin int32

// What rondo.h says of each.
const (
	GrammarBeginAtOnce        GrammarBegin = 0
	GrammarBeginAfterToken    GrammarBegin = 1
	GrammarBeginAfterThinking GrammarBegin = 2
)

// Reason is one of the constants RONDO_REASON_ of rondo.h.
type Reason int32

// What rondo.h says of each.
const (
	ReasonNone        Reason = 0
	ReasonEOS         Reason = 1
	ReasonStopString  Reason = 2
	ReasonTokenLimit  Reason = 3
	ReasonContextFull Reason = 4
	ReasonGrammar     Reason = 5
)

// Channel is one of the constants RONDO_CHANNEL_ of rondo.h.
type Channel int32

// What rondo.h says of each.
const (
	ChannelText     Channel = 0
	ChannelThinking Channel = 1
)

// Pixels is one of the constants RONDO_PIXELS_ of rondo.h.
type Pixels int32

// What rondo.h says of each.
const (
	PixelsRGB8  Pixels = 0
	PixelsRGBA8 Pixels = 1
	PixelsBGRA8 Pixels = 2
	PixelsGray8 Pixels = 3
	PixelsNV12  Pixels = 4
	PixelsNV21  Pixels = 5
	PixelsI420  Pixels = 6
)

// YUVRange is one of the constants RONDO_YUV_ of rondo.h.
type YUVRange int32

// What rondo.h says of each.
const (
	YUVVideo YUVRange = 0
	YUVFull  YUVRange = 1
)

// YUVMatrix is one of the constants RONDO_YUV_ of rondo.h.
type YUVMatrix int32

// What rondo.h says of each.
const (
	YUVBT601 YUVMatrix = 0
	YUVBT709 YUVMatrix = 1
)

// ChatPartKind is one of the constants RONDO_CHAT_PART_ of rondo.h.
type ChatPartKind int32

// What rondo.h says of each.
const (
	ChatPartNone      ChatPartKind = 0
	ChatPartContent   ChatPartKind = 1
	ChatPartThinking  ChatPartKind = 2
	ChatPartCall      ChatPartKind = 3
	ChatPartArguments ChatPartKind = 4
	ChatPartCallEnd   ChatPartKind = 5
)

// Calls is one of the constants RONDO_CALLS_ of rondo.h.
type Calls int32

// What rondo.h says of each.
const (
	CallsAuto     Calls = 0
	CallsRequired Calls = 1
	CallsOne      Calls = 2
)

// Pooling is one of the constants RONDO_POOLING_ of rondo.h.
type Pooling int32

// What rondo.h says of each.
const (
	PoolingMean  Pooling = 0
	PoolingLast  Pooling = 1
	PoolingFirst Pooling = 2
)

// ModelFacts is rondo_model_facts of rondo.h.
type ModelFacts struct {
	VocabSize      uint32
	ContextLength  uint32
	HiddenSize     uint32
	NLayers        uint32
	NHeads         uint32
	NKVHeads       uint32
	HeadDim        uint32
	BosToken       int32
	NEOSTokens     uint32
	HasTokenizer   uint32
	FormatVersion  uint32
	FileBytes      uint64
	Parameters     uint64
	TokenizerBytes uint64
	PictureToken   int32
}

func modelFactsOf(from *C.rondo_model_facts) ModelFacts {
	return ModelFacts{
		VocabSize:      uint32(from.vocab_size),
		ContextLength:  uint32(from.context_length),
		HiddenSize:     uint32(from.hidden_size),
		NLayers:        uint32(from.n_layers),
		NHeads:         uint32(from.n_heads),
		NKVHeads:       uint32(from.n_kv_heads),
		HeadDim:        uint32(from.head_dim),
		BosToken:       int32(from.bos_token),
		NEOSTokens:     uint32(from.n_eos_tokens),
		HasTokenizer:   uint32(from.has_tokenizer),
		FormatVersion:  uint32(from.format_version),
		FileBytes:      uint64(from.file_bytes),
		Parameters:     uint64(from.parameters),
		TokenizerBytes: uint64(from.tokenizer_bytes),
		PictureToken:   int32(from.picture_token),
	}
}

// AdapterFacts is rondo_adapter_facts of rondo.h.
type AdapterFacts struct {
	Rank      uint32
	NMatrices uint32
	FileBytes uint64
}

func adapterFactsOf(from *C.rondo_adapter_facts) AdapterFacts {
	return AdapterFacts{
		Rank:      uint32(from.rank),
		NMatrices: uint32(from.n_matrices),
		FileBytes: uint64(from.file_bytes),
	}
}

// MemoryPlan is rondo_memory_plan of rondo.h.
type MemoryPlan struct {
	NRegions              uint32
	ArenaBytes            uint64
	ArenaAlignment        uint64
	WeightsBytes          uint64
	KVPoolBytes           uint64
	SessionsBytes         uint64
	ActivationsBytes      uint64
	WorkspaceBytes        uint64
	ActivationsLowerBound uint64
	KVBytesPerToken       uint64
	KVBlockTokens         uint32
	Context               uint32
	MaxSessions           uint32
	MaxRows               uint32
	Threads               uint32
	SinkTokens            uint32
	Kernels               string
	MappedBytes           uint64
	KVTokens              uint64
	RowsPerStep           uint32
}

func memoryPlanOf(from *C.rondo_memory_plan) MemoryPlan {
	return MemoryPlan{
		NRegions:              uint32(from.n_regions),
		ArenaBytes:            uint64(from.arena_bytes),
		ArenaAlignment:        uint64(from.arena_alignment),
		WeightsBytes:          uint64(from.weights_bytes),
		KVPoolBytes:           uint64(from.kv_pool_bytes),
		SessionsBytes:         uint64(from.sessions_bytes),
		ActivationsBytes:      uint64(from.activations_bytes),
		WorkspaceBytes:        uint64(from.workspace_bytes),
		ActivationsLowerBound: uint64(from.activations_lower_bound),
		KVBytesPerToken:       uint64(from.kv_bytes_per_token),
		KVBlockTokens:         uint32(from.kv_block_tokens),
		Context:               uint32(from.context),
		MaxSessions:           uint32(from.max_sessions),
		MaxRows:               uint32(from.max_rows),
		Threads:               uint32(from.threads),
		SinkTokens:            uint32(from.sink_tokens),
		Kernels:               C.GoString(from.kernels),
		MappedBytes:           uint64(from.mapped_bytes),
		KVTokens:              uint64(from.kv_tokens),
		RowsPerStep:           uint32(from.rows_per_step),
	}
}

// MemoryRegion is rondo_memory_region of rondo.h.
type MemoryRegion struct {
	Segment   int32
	Offset    uint64
	Bytes     uint64
	FirstStep int32
	LastStep  int32
	Name      string
}

func memoryRegionOf(from *C.rondo_memory_region) MemoryRegion {
	return MemoryRegion{
		Segment:   int32(from.segment),
		Offset:    uint64(from.offset),
		Bytes:     uint64(from.bytes),
		FirstStep: int32(from.first_step),
		LastStep:  int32(from.last_step),
		Name:      C.GoString(&from.name[0]),
	}
}

// EngineCounters is rondo_engine_counters of rondo.h.
type EngineCounters struct {
	SessionsOpen    uint32
	OwnsArena       uint32
	TokensPrefilled uint64
	TokensGenerated uint64
	TokensTakenOver uint64
	ParallelFaults  uint64
	Passes          uint64
	Rows            uint64
	PrefillNs       uint64
	DecodeNs        uint64
	SampleNs        uint64
	PrefixHits      uint64
	TokensEvicted   uint64
	KVBytesUsed     uint64
	KVBytesTotal    uint64
	DraftsProposed  uint64
	DraftsAccepted  uint64
}

func engineCountersOf(from *C.rondo_engine_counters) EngineCounters {
	return EngineCounters{
		SessionsOpen:    uint32(from.sessions_open),
		OwnsArena:       uint32(from.owns_arena),
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
	Layer      int32
	Rows       uint32
	Inputs     uint32
	Outputs    uint32
	BeginNs    uint64
	DurationNs uint64
	Thread     uint64
	Name       string
}

func profileEventOf(from *C.rondo_profile_event) ProfileEvent {
	return ProfileEvent{
		Layer:      int32(from.layer),
		Rows:       uint32(from.rows),
		Inputs:     uint32(from.inputs),
		Outputs:    uint32(from.outputs),
		BeginNs:    uint64(from.begin_ns),
		DurationNs: uint64(from.duration_ns),
		Thread:     uint64(from.thread),
		Name:       C.GoString(from.name),
	}
}

// ImageFacts is rondo_image_facts of rondo.h.
type ImageFacts struct {
	Rows        uint32
	Positions   uint32
	TileColumns uint32
	TileRows    uint32
	TilePixels  uint32
	WholeWidth  uint32
	WholeHeight uint32
	Patches     uint64
}

func imageFactsOf(from *C.rondo_image_facts) ImageFacts {
	return ImageFacts{
		Rows:        uint32(from.rows),
		Positions:   uint32(from.positions),
		TileColumns: uint32(from.tile_columns),
		TileRows:    uint32(from.tile_rows),
		TilePixels:  uint32(from.tile_pixels),
		WholeWidth:  uint32(from.whole_width),
		WholeHeight: uint32(from.whole_height),
		Patches:     uint64(from.patches),
	}
}

// SessionCounters is rondo_session_counters of rondo.h.
type SessionCounters struct {
	TokensPrefilled uint64
	TokensGenerated uint64
	TokensTakenOver uint64
	Passes          uint64
	Rows            uint64
	PrefillNs       uint64
	DecodeNs        uint64
	SampleNs        uint64
	PrefixHits      uint64
	TokensEvicted   uint64
	KVBytesHeld     uint64
	DraftsProposed  uint64
	DraftsAccepted  uint64
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
	Dimensions    uint32
	MaxTokens     uint32
	WholeTexts    uint32
	Normalized    uint32
	ScoresPairs   uint32
	Pooling       int32
	NPrompts      uint32
	DefaultPrompt int32
}

func embedderFactsOf(from *C.rondo_embedder_facts) EmbedderFacts {
	return EmbedderFacts{
		Dimensions:    uint32(from.dimensions),
		MaxTokens:     uint32(from.max_tokens),
		WholeTexts:    uint32(from.whole_texts),
		Normalized:    uint32(from.normalized),
		ScoresPairs:   uint32(from.scores_pairs),
		Pooling:       int32(from.pooling),
		NPrompts:      uint32(from.n_prompts),
		DefaultPrompt: int32(from.default_prompt),
	}
}
