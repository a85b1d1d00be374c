"""The constants of rondo.h. Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit."""
from __future__ import annotations

import enum

from ._newer import NewerIntEnum


class Status(NewerIntEnum):
    """RONDO_STATUS_ in rondo.h."""
    OK = 0x0
    """Done."""
    INVALID_ARGUMENT = 0x10
    """A value outside of what the call accepts."""
    BUFFER_TOO_SMALL = 0x11
    """The needed size was reported."""
    BUSY = 0x12
    """In use by another call; or all sessions are open."""
    VERSION_MISMATCH = 0x13
    """Caller and library disagree about the ABI."""
    INVALID_HANDLE = 0x14
    """Closed, of another kind, or never given out. Since ABI 10."""
    IO_ERROR = 0x20
    """The system could not read it."""
    NOT_A_MODEL = 0x21
    """Not a Rondo file at all."""
    NEWER_FORMAT = 0x22
    """Of a format version that this library does not know."""
    CORRUPT = 0x23
    """Truncated, altered, or contradicting itself."""
    UNSUPPORTED = 0x24
    """Well formed, but asks for what this library cannot do."""
    OUT_OF_MEMORY = 0x30
    """The system refused memory, or no address space has it."""
    ARENA_TOO_SMALL = 0x31
    """The caller's arena is smaller than the plan."""
    ARENA_MISALIGNED = 0x32
    """The caller's arena is not aligned as the plan asks."""
    CONTEXT_FULL = 0x40
    """No room for these tokens, and the policy is to stop."""
    CANCELLED = 0x41
    """The caller or a progress callback said so."""
    NO_LOGITS = 0x42
    """There is nothing to predict from: prefill first."""
    KV_POOL_FULL = 0x43
    """Open sessions use all KV blocks; nothing has happened."""
    SNAPSHOT_MISMATCH = 0x44
    """Of another model, or of other options of the engine."""
    CONSTRAINT = 0x45
    """The session's grammar leaves no token, or ran out of what it has."""
    INTERNAL = 0x50
    """An invariant of ours failed: please report."""


class TokenizeFlags(enum.IntFlag):
    """RONDO_TOKENIZE_ in rondo.h."""
    ADD_SPECIAL = 0x1
    """Add what the model expects around a text: BOS and the like."""


class DetokenizeFlags(enum.IntFlag):
    """RONDO_DETOKENIZE_ in rondo.h."""
    SKIP_SPECIAL = 0x1
    """Leave special tokens out."""


class GrammarKind(NewerIntEnum):
    """RONDO_GRAMMAR_ in rondo.h."""
    JSON_SCHEMA = 0x0
    """JSON Schema, draft 2020-12 and 7's spellings: the JSON values that are valid by it. What is
    not understood, or cannot be decided, is refused by its JSON pointer. Formats hold. Strings that
    a pattern or a format bounds are written without needless escapes, whole numbers without ".0",
    zero without a sign where it is the least. Between the parts of a text there is nothing, a
    space, or a new line with up to 32 spaces and tabs, unless a flag says otherwise."""
    PATTERN = 0x1
    """A regular expression of ECMA-262, which is the whole text."""
    GBNF = 0x2
    """Rules in GBNF's notation, which other runtimes have, too: name ::= alternatives of quoted
    texts, [classes], names, groups and repeats; `root` is the text. A rule that begins with itself
    is refused. Beside it: one special token is written by its text, in angle brackets where it has
    none itself, or as <[number]>; %json {...} is a value by this JSON Schema, with the flags below;
    %without "text" is any text in which this does not come up."""


class SchemaFlags(enum.IntFlag):
    """RONDO_SCHEMA_ in rondo.h."""
    NO_SPACES = 0x1
    """No spaces between the parts of a text."""
    ANY_ORDER = 0x2
    """Members in any order; else as the schema has them, and others last."""
    ONE_SPACE = 0x4
    """One space behind each colon and comma and nowhere else, as chat templates and Python write
    JSON: what a model is used to, with no choice left where nothing is said. Not with NO_SPACES.
    Since ABI 9."""
    NAMED_ONLY = 0x8
    """Members that nobody named are not written: an object has those that its schemas name in
    properties, required or a condition, and those that a pattern of patternProperties names, where
    none of these schemas has additionalProperties, which says what others there are. Schemas are
    all that hold of the object, by allOf, $ref and the alternatives chosen, too. Where they name no
    member ({"type": "object"}, true), or fewer than minProperties, names are free as ever. What is
    written stays valid; fewer valid texts can be written. Since ABI 10."""


class Policy(NewerIntEnum):
    """RONDO_POLICY_ in rondo.h."""
    STOP = 0x0
    """A full context ends the generation; nothing is lost."""
    SLIDE = 0x1
    """The oldest tokens make room, in blocks; sink_tokens stay."""


class Kv(NewerIntEnum):
    """RONDO_KV_ in rondo.h."""
    INT8 = 0x0
    """Keys and values in 8 bits."""
    FLOAT32 = 0x1
    """Four times the memory, slow: the reference that int8 is held against."""
    K8V4 = 0x2
    """Values in 4 bits, keys in 8: three quarters of INT8's memory, at some loss of predictions,
    which depends on the model: `rondo eval --against` tells. Small models lose more."""
    K4V4 = 0x3
    """Both in 4 bits: half of INT8's memory, and a larger loss."""


class Log(NewerIntEnum):
    """RONDO_LOG_ in rondo.h."""
    WARNING = 0x0
    """Something that the host should see to: threads that the system refused, a pool of the host
    that does not do what it must, a KV pool that is full."""
    INFO = 0x1
    """Once for an engine or a session: what the engine was made of, a context that begins to
    slide."""
    DEBUG = 0x2
    """Passes: how many tokens of how many sessions, and how long."""


class Affinity(NewerIntEnum):
    """RONDO_AFFINITY_ in rondo.h."""
    SYSTEM = 0x0
    """Those that the system puts them on."""
    PERFORMANCE = 0x1
    """The performance cores, as far as the system tells; on Apple's systems QoS classes do this in
    any case."""
    CPUS = 0x2
    """Those that Engine.options.cpus names."""


class Segment(NewerIntEnum):
    """RONDO_SEGMENT_ in rondo.h."""
    WEIGHTS = 0x0
    """Packed weights."""
    KV_POOL = 0x1
    """Keys and values of all sessions."""
    SESSIONS = 0x2
    """Tokens, samplers, logits, text."""
    ACTIVATIONS = 0x3
    """Buffers of one pass."""
    WORKSPACE = 0x4
    """Scratch of threads."""


class Speculation(NewerIntEnum):
    """RONDO_SPECULATION_ in rondo.h."""
    NONE = 0x0
    """No drafts, but for those of Session.propose, and for what a grammar or the end of a thought
    leaves no choice of."""
    PROMPT_LOOKUP = 0x1
    """What followed the last tokens where they were before: for texts that repeat their input, code
    above all."""
    DRAFT_MODEL = 0x2
    """What the engine's draft model says; refused where it has none."""
    DRAFT_HEAD = 0x3
    """What the model's draft head says; refused where the engine has none."""


class GrammarBegin(NewerIntEnum):
    """RONDO_GRAMMAR_BEGIN_ in rondo.h."""
    AT_ONCE = 0x0
    """With the first token of each generation."""
    AFTER_TOKEN = 0x1
    """Behind grammar_token, where it comes; free before."""
    AFTER_THINKING = 0x2
    """Behind a thought, where the generation begins with one or inside of one, and then no end
    token comes in it; else at once. With `thinking`."""


class Reason(NewerIntEnum):
    """RONDO_REASON_ in rondo.h."""
    NONE = 0x0
    """It goes on."""
    EOS = 0x1
    """An end token; in the event, not appended but by _accept."""
    STOP_STRING = 0x2
    """A stop string came up; the text ends before it."""
    TOKEN_LIMIT = 0x3
    """Max_tokens were generated."""
    CONTEXT_FULL = 0x4
    """Policy STOP and no room for another token."""
    GRAMMAR = 0x5
    """By the session's grammar the text is whole: nothing may follow."""


class Channel(NewerIntEnum):
    """RONDO_CHANNEL_ in rondo.h."""
    TEXT = 0x0
    """The answer."""
    THINKING = 0x1
    """A thought, with what begins and ends it."""


class Rows(NewerIntEnum):
    """RONDO_ROWS_ in rondo.h."""
    FLOAT32 = 0x0
    """Float, of the machine's byte order."""
    BFLOAT16 = 0x1
    """The upper half of a float32."""


class Pixels(NewerIntEnum):
    """RONDO_PIXELS_ in rondo.h."""
    RGB8 = 0x0
    """Plane0: red, green, blue."""
    RGBA8 = 0x1
    """Plane0: red, green, blue and alpha, which is dropped, not blended, as processors do."""
    BGRA8 = 0x2
    """Plane0: blue, green, red and alpha, which is dropped."""
    GRAY8 = 0x3
    """Plane0: one value a pixel."""
    NV12 = 0x4
    """Plane0: Y; plane1: U and V in turn, for 2x2 pixels each."""
    NV21 = 0x5
    """Plane0: Y; plane1: V and U in turn, for 2x2 pixels each."""
    I420 = 0x6
    """Plane0: Y; plane1: U; plane2: V, for 2x2 pixels each."""


class YuvRange(NewerIntEnum):
    """RONDO_YUV_ in rondo.h."""
    VIDEO = 0x0
    """From 16 to 235."""
    FULL = 0x1
    """From 0 to 255."""


class YuvMatrix(NewerIntEnum):
    """RONDO_YUV_ in rondo.h."""
    BT601 = 0x0
    """ITU-R BT.601."""
    BT709 = 0x1
    """ITU-R BT.709."""


class ChatFlags(enum.IntFlag):
    """RONDO_CHAT_ in rondo.h."""
    ADD_GENERATION_PROMPT = 0x1
    """The text ends where the assistant's answer begins."""
    CONTINUE_FINAL = 0x2
    """The text ends inside of the last message, which the model goes on with; not with the flag
    above."""
    PLAIN_CONTENT = 0x4
    """In the ids, only what the template itself wrote becomes special tokens: the text of messages,
    tools and variables stays text, through whatever the template does with it. For chat with
    strangers. Special is every token that the tokenizer looks for in a text before all else, also
    where its makers do not call it so ("<think>"), but white space alone. The role of a message is
    the template's where it is "system", "developer", "user", "assistant", "tool" or "function".
    Since ABI 8."""


class ChatPartKind(NewerIntEnum):
    """RONDO_CHAT_PART_ in rondo.h."""
    NONE = 0x0
    """Nothing more to hand out yet."""
    CONTENT = 0x1
    """A piece of the answer."""
    THINKING = 0x2
    """A piece of a thought."""
    CALL = 0x3
    """A call begins: `name`, and `id` where the model writes one."""
    ARGUMENTS = 0x4
    """A piece of the call's arguments: together they are JSON."""
    CALL_END = 0x5
    """The call is whole."""


class Calls(NewerIntEnum):
    """RONDO_CALLS_ in rondo.h."""
    AUTO = 0x0
    """As many as the model wants, behind content or none."""
    REQUIRED = 0x1
    """One at least, and nothing else."""
    ONE = 0x2
    """Exactly one, and nothing else."""


class Pooling(NewerIntEnum):
    """RONDO_POOLING_ in rondo.h."""
    MEAN = 0x0
    """The mean of all."""
    LAST = 0x1
    """The last one."""
    FIRST = 0x2
    """The first one, which then stands for the whole text: [CLS]."""


CONSTANTS = {
    "RONDO_STATUS_OK": "Status.OK",
    "RONDO_STATUS_INVALID_ARGUMENT": "Status.INVALID_ARGUMENT",
    "RONDO_STATUS_BUFFER_TOO_SMALL": "Status.BUFFER_TOO_SMALL",
    "RONDO_STATUS_BUSY": "Status.BUSY",
    "RONDO_STATUS_VERSION_MISMATCH": "Status.VERSION_MISMATCH",
    "RONDO_STATUS_INVALID_HANDLE": "Status.INVALID_HANDLE",
    "RONDO_STATUS_IO_ERROR": "Status.IO_ERROR",
    "RONDO_STATUS_NOT_A_MODEL": "Status.NOT_A_MODEL",
    "RONDO_STATUS_NEWER_FORMAT": "Status.NEWER_FORMAT",
    "RONDO_STATUS_CORRUPT": "Status.CORRUPT",
    "RONDO_STATUS_UNSUPPORTED": "Status.UNSUPPORTED",
    "RONDO_STATUS_OUT_OF_MEMORY": "Status.OUT_OF_MEMORY",
    "RONDO_STATUS_ARENA_TOO_SMALL": "Status.ARENA_TOO_SMALL",
    "RONDO_STATUS_ARENA_MISALIGNED": "Status.ARENA_MISALIGNED",
    "RONDO_STATUS_CONTEXT_FULL": "Status.CONTEXT_FULL",
    "RONDO_STATUS_CANCELLED": "Status.CANCELLED",
    "RONDO_STATUS_NO_LOGITS": "Status.NO_LOGITS",
    "RONDO_STATUS_KV_POOL_FULL": "Status.KV_POOL_FULL",
    "RONDO_STATUS_SNAPSHOT_MISMATCH": "Status.SNAPSHOT_MISMATCH",
    "RONDO_STATUS_CONSTRAINT": "Status.CONSTRAINT",
    "RONDO_STATUS_INTERNAL": "Status.INTERNAL",
    "RONDO_TOKENIZE_ADD_SPECIAL": "TokenizeFlags.ADD_SPECIAL",
    "RONDO_DETOKENIZE_SKIP_SPECIAL": "DetokenizeFlags.SKIP_SPECIAL",
    "RONDO_GRAMMAR_JSON_SCHEMA": "GrammarKind.JSON_SCHEMA",
    "RONDO_GRAMMAR_PATTERN": "GrammarKind.PATTERN",
    "RONDO_GRAMMAR_GBNF": "GrammarKind.GBNF",
    "RONDO_SCHEMA_NO_SPACES": "SchemaFlags.NO_SPACES",
    "RONDO_SCHEMA_ANY_ORDER": "SchemaFlags.ANY_ORDER",
    "RONDO_SCHEMA_ONE_SPACE": "SchemaFlags.ONE_SPACE",
    "RONDO_SCHEMA_NAMED_ONLY": "SchemaFlags.NAMED_ONLY",
    "RONDO_POLICY_STOP": "Policy.STOP",
    "RONDO_POLICY_SLIDE": "Policy.SLIDE",
    "RONDO_KV_INT8": "Kv.INT8",
    "RONDO_KV_FLOAT32": "Kv.FLOAT32",
    "RONDO_KV_K8V4": "Kv.K8V4",
    "RONDO_KV_K4V4": "Kv.K4V4",
    "RONDO_LOG_WARNING": "Log.WARNING",
    "RONDO_LOG_INFO": "Log.INFO",
    "RONDO_LOG_DEBUG": "Log.DEBUG",
    "RONDO_AFFINITY_SYSTEM": "Affinity.SYSTEM",
    "RONDO_AFFINITY_PERFORMANCE": "Affinity.PERFORMANCE",
    "RONDO_AFFINITY_CPUS": "Affinity.CPUS",
    "RONDO_SEGMENT_WEIGHTS": "Segment.WEIGHTS",
    "RONDO_SEGMENT_KV_POOL": "Segment.KV_POOL",
    "RONDO_SEGMENT_SESSIONS": "Segment.SESSIONS",
    "RONDO_SEGMENT_ACTIVATIONS": "Segment.ACTIVATIONS",
    "RONDO_SEGMENT_WORKSPACE": "Segment.WORKSPACE",
    "RONDO_SPECULATION_NONE": "Speculation.NONE",
    "RONDO_SPECULATION_PROMPT_LOOKUP": "Speculation.PROMPT_LOOKUP",
    "RONDO_SPECULATION_DRAFT_MODEL": "Speculation.DRAFT_MODEL",
    "RONDO_SPECULATION_DRAFT_HEAD": "Speculation.DRAFT_HEAD",
    "RONDO_GRAMMAR_BEGIN_AT_ONCE": "GrammarBegin.AT_ONCE",
    "RONDO_GRAMMAR_BEGIN_AFTER_TOKEN": "GrammarBegin.AFTER_TOKEN",
    "RONDO_GRAMMAR_BEGIN_AFTER_THINKING": "GrammarBegin.AFTER_THINKING",
    "RONDO_REASON_NONE": "Reason.NONE",
    "RONDO_REASON_EOS": "Reason.EOS",
    "RONDO_REASON_STOP_STRING": "Reason.STOP_STRING",
    "RONDO_REASON_TOKEN_LIMIT": "Reason.TOKEN_LIMIT",
    "RONDO_REASON_CONTEXT_FULL": "Reason.CONTEXT_FULL",
    "RONDO_REASON_GRAMMAR": "Reason.GRAMMAR",
    "RONDO_CHANNEL_TEXT": "Channel.TEXT",
    "RONDO_CHANNEL_THINKING": "Channel.THINKING",
    "RONDO_ROWS_FLOAT32": "Rows.FLOAT32",
    "RONDO_ROWS_BFLOAT16": "Rows.BFLOAT16",
    "RONDO_PIXELS_RGB8": "Pixels.RGB8",
    "RONDO_PIXELS_RGBA8": "Pixels.RGBA8",
    "RONDO_PIXELS_BGRA8": "Pixels.BGRA8",
    "RONDO_PIXELS_GRAY8": "Pixels.GRAY8",
    "RONDO_PIXELS_NV12": "Pixels.NV12",
    "RONDO_PIXELS_NV21": "Pixels.NV21",
    "RONDO_PIXELS_I420": "Pixels.I420",
    "RONDO_YUV_VIDEO": "YuvRange.VIDEO",
    "RONDO_YUV_FULL": "YuvRange.FULL",
    "RONDO_YUV_BT601": "YuvMatrix.BT601",
    "RONDO_YUV_BT709": "YuvMatrix.BT709",
    "RONDO_CHAT_ADD_GENERATION_PROMPT": "ChatFlags.ADD_GENERATION_PROMPT",
    "RONDO_CHAT_CONTINUE_FINAL": "ChatFlags.CONTINUE_FINAL",
    "RONDO_CHAT_PLAIN_CONTENT": "ChatFlags.PLAIN_CONTENT",
    "RONDO_CHAT_PART_NONE": "ChatPartKind.NONE",
    "RONDO_CHAT_PART_CONTENT": "ChatPartKind.CONTENT",
    "RONDO_CHAT_PART_THINKING": "ChatPartKind.THINKING",
    "RONDO_CHAT_PART_CALL": "ChatPartKind.CALL",
    "RONDO_CHAT_PART_ARGUMENTS": "ChatPartKind.ARGUMENTS",
    "RONDO_CHAT_PART_CALL_END": "ChatPartKind.CALL_END",
    "RONDO_CALLS_AUTO": "Calls.AUTO",
    "RONDO_CALLS_REQUIRED": "Calls.REQUIRED",
    "RONDO_CALLS_ONE": "Calls.ONE",
    "RONDO_POOLING_MEAN": "Pooling.MEAN",
    "RONDO_POOLING_LAST": "Pooling.LAST",
    "RONDO_POOLING_FIRST": "Pooling.FIRST",
}
