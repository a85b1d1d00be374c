// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo

internal const val ABI_VERSION = 13

/** The constants RONDO_STATUS_ of rondo.h; newer libraries may have more. */
object Status {
    const val OK = 0
    const val INVALID_ARGUMENT = 16
    const val BUFFER_TOO_SMALL = 17
    const val BUSY = 18
    const val VERSION_MISMATCH = 19
    const val INVALID_HANDLE = 20
    const val IO_ERROR = 32
    const val NOT_A_MODEL = 33
    const val NEWER_FORMAT = 34
    const val CORRUPT = 35
    const val UNSUPPORTED = 36
    const val OUT_OF_MEMORY = 48
    const val ARENA_TOO_SMALL = 49
    const val ARENA_MISALIGNED = 50
    const val CONTEXT_FULL = 64
    const val CANCELLED = 65
    const val NO_LOGITS = 66
    const val KV_POOL_FULL = 67
    const val SNAPSHOT_MISMATCH = 68
    const val CONSTRAINT = 69
    const val INTERNAL = 80
}

/** The constants RONDO_TOKENIZE_ of rondo.h; newer libraries may have more. */
object TokenizeFlags {
    const val ADD_SPECIAL = 1
}

/** The constants RONDO_DETOKENIZE_ of rondo.h; newer libraries may have more. */
object DetokenizeFlags {
    const val SKIP_SPECIAL = 1
}

/** The constants RONDO_GRAMMAR_ of rondo.h; newer libraries may have more. */
object GrammarKind {
    const val JSON_SCHEMA = 0
    const val PATTERN = 1
    const val GBNF = 2
}

/** The constants RONDO_SCHEMA_ of rondo.h; newer libraries may have more. */
object SchemaFlags {
    const val NO_SPACES = 1
    const val ANY_ORDER = 2
    const val ONE_SPACE = 4
    const val NAMED_ONLY = 8
}

/** The constants RONDO_POLICY_ of rondo.h; newer libraries may have more. */
object Policy {
    const val STOP = 0
    const val SLIDE = 1
}

/** The constants RONDO_KV_ of rondo.h; newer libraries may have more. */
object Kv {
    const val INT8 = 0
    const val FLOAT32 = 1
    const val K8V4 = 2
    const val K4V4 = 3
}

/** The constants RONDO_LOG_ of rondo.h; newer libraries may have more. */
object Log {
    const val WARNING = 0
    const val INFO = 1
    const val DEBUG = 2
}

/** The constants RONDO_AFFINITY_ of rondo.h; newer libraries may have more. */
object Affinity {
    const val SYSTEM = 0
    const val PERFORMANCE = 1
    const val CPUS = 2
}

/** The constants RONDO_SEGMENT_ of rondo.h; newer libraries may have more. */
object Segment {
    const val WEIGHTS = 0
    const val KV_POOL = 1
    const val SESSIONS = 2
    const val ACTIVATIONS = 3
    const val WORKSPACE = 4
}

/** The constants RONDO_SPECULATION_ of rondo.h; newer libraries may have more. */
object Speculation {
    const val NONE = 0
    const val PROMPT_LOOKUP = 1
    const val DRAFT_MODEL = 2
    const val DRAFT_HEAD = 3
}

/** The constants RONDO_GRAMMAR_BEGIN_ of rondo.h; newer libraries may have more. */
object GrammarBegin {
    const val AT_ONCE = 0
    const val AFTER_TOKEN = 1
    const val AFTER_THINKING = 2
}

/** The constants RONDO_REASON_ of rondo.h; newer libraries may have more. */
object Reason {
    const val NONE = 0
    const val EOS = 1
    const val STOP_STRING = 2
    const val TOKEN_LIMIT = 3
    const val CONTEXT_FULL = 4
    const val GRAMMAR = 5
}

/** The constants RONDO_CHANNEL_ of rondo.h; newer libraries may have more. */
object Channel {
    const val TEXT = 0
    const val THINKING = 1
}

/** The constants RONDO_ROWS_ of rondo.h; newer libraries may have more. */
object Rows {
    const val FLOAT32 = 0
    const val BFLOAT16 = 1
}

/** The constants RONDO_PIXELS_ of rondo.h; newer libraries may have more. */
object Pixels {
    const val RGB8 = 0
    const val RGBA8 = 1
    const val BGRA8 = 2
    const val GRAY8 = 3
    const val NV12 = 4
    const val NV21 = 5
    const val I420 = 6
}

/** The constants RONDO_YUV_ of rondo.h; newer libraries may have more. */
object YuvRange {
    const val VIDEO = 0
    const val FULL = 1
}

/** The constants RONDO_YUV_ of rondo.h; newer libraries may have more. */
object YuvMatrix {
    const val BT601 = 0
    const val BT709 = 1
}

/** The constants RONDO_CHAT_ of rondo.h; newer libraries may have more. */
object ChatFlags {
    const val ADD_GENERATION_PROMPT = 1
    const val CONTINUE_FINAL = 2
    const val PLAIN_CONTENT = 4
}

/** The constants RONDO_CHAT_PART_ of rondo.h; newer libraries may have more. */
object ChatPartKind {
    const val NONE = 0
    const val CONTENT = 1
    const val THINKING = 2
    const val CALL = 3
    const val ARGUMENTS = 4
    const val CALL_END = 5
}

/** The constants RONDO_CALLS_ of rondo.h; newer libraries may have more. */
object Calls {
    const val AUTO = 0
    const val REQUIRED = 1
    const val ONE = 2
}

/** The constants RONDO_POOLING_ of rondo.h; newer libraries may have more. */
object Pooling {
    const val MEAN = 0
    const val LAST = 1
    const val FIRST = 2
}

/** rondo_model_facts of rondo.h. */
class ModelFacts internal constructor(n: LongArray) {
    val vocabSize = n[0].toInt()
    val contextLength = n[1].toInt()
    val hiddenSize = n[2].toInt()
    val nLayers = n[3].toInt()
    val nHeads = n[4].toInt()
    val nKvHeads = n[5].toInt()
    val headDim = n[6].toInt()
    val bosToken = n[7].toInt()
    val nEosTokens = n[8].toInt()
    val hasTokenizer = n[9].toInt()
    val formatVersion = n[10].toInt()
    val fileBytes = n[11]
    val parameters = n[12]
    val tokenizerBytes = n[13]
    val pictureToken = n[14].toInt()
}

/** rondo_adapter_facts of rondo.h. */
class AdapterFacts internal constructor(n: LongArray) {
    val rank = n[0].toInt()
    val nMatrices = n[1].toInt()
    val fileBytes = n[2]
}

/** rondo_memory_plan of rondo.h. */
class MemoryPlan internal constructor(n: LongArray, t: Array<String?>) {
    val nRegions = n[0].toInt()
    val arenaBytes = n[1]
    val arenaAlignment = n[2]
    val weightsBytes = n[3]
    val kvPoolBytes = n[4]
    val sessionsBytes = n[5]
    val activationsBytes = n[6]
    val workspaceBytes = n[7]
    val activationsLowerBound = n[8]
    val kvBytesPerToken = n[9]
    val kvBlockTokens = n[10].toInt()
    val context = n[11].toInt()
    val maxSessions = n[12].toInt()
    val maxRows = n[13].toInt()
    val threads = n[14].toInt()
    val sinkTokens = n[15].toInt()
    val mappedBytes = n[16]
    val kvTokens = n[17]
    val rowsPerStep = n[18].toInt()
    val kernels = t[0] ?: ""
}

/** rondo_memory_region of rondo.h. */
class MemoryRegion internal constructor(n: LongArray, t: Array<String?>) {
    val segment = n[0].toInt()
    val offset = n[1]
    val bytes = n[2]
    val firstStep = n[3].toInt()
    val lastStep = n[4].toInt()
    val name = t[0] ?: ""
}

/** rondo_engine_counters of rondo.h. */
class EngineCounters internal constructor(n: LongArray) {
    val sessionsOpen = n[0].toInt()
    val ownsArena = n[1].toInt()
    val tokensPrefilled = n[2]
    val tokensGenerated = n[3]
    val tokensTakenOver = n[4]
    val parallelFaults = n[5]
    val passes = n[6]
    val rows = n[7]
    val prefillNs = n[8]
    val decodeNs = n[9]
    val sampleNs = n[10]
    val prefixHits = n[11]
    val tokensEvicted = n[12]
    val kvBytesUsed = n[13]
    val kvBytesTotal = n[14]
    val draftsProposed = n[15]
    val draftsAccepted = n[16]
}

/** rondo_profile_event of rondo.h. */
class ProfileEvent internal constructor(n: LongArray, t: Array<String?>) {
    val layer = n[0].toInt()
    val rows = n[1].toInt()
    val inputs = n[2].toInt()
    val outputs = n[3].toInt()
    val beginNs = n[4]
    val durationNs = n[5]
    val thread = n[6]
    val name = t[0] ?: ""
}

/** rondo_image_facts of rondo.h. */
class ImageFacts internal constructor(n: LongArray) {
    val rows = n[0].toInt()
    val positions = n[1].toInt()
    val tileColumns = n[2].toInt()
    val tileRows = n[3].toInt()
    val tilePixels = n[4].toInt()
    val wholeWidth = n[5].toInt()
    val wholeHeight = n[6].toInt()
    val patches = n[7]
}

/** rondo_session_counters of rondo.h. */
class SessionCounters internal constructor(n: LongArray) {
    val tokensPrefilled = n[0]
    val tokensGenerated = n[1]
    val tokensTakenOver = n[2]
    val passes = n[3]
    val rows = n[4]
    val prefillNs = n[5]
    val decodeNs = n[6]
    val sampleNs = n[7]
    val prefixHits = n[8]
    val tokensEvicted = n[9]
    val kvBytesHeld = n[10]
    val draftsProposed = n[11]
    val draftsAccepted = n[12]
}

/** rondo_embedder_facts of rondo.h. */
class EmbedderFacts internal constructor(n: LongArray) {
    val dimensions = n[0].toInt()
    val maxTokens = n[1].toInt()
    val wholeTexts = n[2].toInt()
    val normalized = n[3].toInt()
    val scoresPairs = n[4].toInt()
    val pooling = n[5].toInt()
    val nPrompts = n[6].toInt()
    val defaultPrompt = n[7].toInt()
}
