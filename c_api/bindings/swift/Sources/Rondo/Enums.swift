// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
import CRondo

/// The constants RONDO_STATUS_ of rondo.h; newer libraries may have more.
public struct Status: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  /// Done.
  public static let ok = Status(rawValue: 0)
  /// A value outside of what the call accepts.
  public static let invalidArgument = Status(rawValue: 16)
  /// The needed size was reported.
  public static let bufferTooSmall = Status(rawValue: 17)
  /// In use by another call; or all sessions are open.
  public static let busy = Status(rawValue: 18)
  /// Caller and library disagree about the ABI.
  public static let versionMismatch = Status(rawValue: 19)
  /// Closed, of another kind, or never given out. Since ABI 10.
  public static let invalidHandle = Status(rawValue: 20)
  /// The system could not read it.
  public static let ioError = Status(rawValue: 32)
  /// Not a Rondo file at all.
  public static let notAModel = Status(rawValue: 33)
  /// Of a format version that this library does not know.
  public static let newerFormat = Status(rawValue: 34)
  /// Truncated, altered, or contradicting itself.
  public static let corrupt = Status(rawValue: 35)
  /// Well formed, but asks for what this library cannot do.
  public static let unsupported = Status(rawValue: 36)
  /// The system refused memory, or no address space has it.
  public static let outOfMemory = Status(rawValue: 48)
  /// The caller's arena is smaller than the plan.
  public static let arenaTooSmall = Status(rawValue: 49)
  /// The caller's arena is not aligned as the plan asks.
  public static let arenaMisaligned = Status(rawValue: 50)
  /// No room for these tokens, and the policy is to stop.
  public static let contextFull = Status(rawValue: 64)
  /// The caller or a progress callback said so.
  public static let cancelled = Status(rawValue: 65)
  /// There is nothing to predict from: prefill first.
  public static let noLogits = Status(rawValue: 66)
  /// Open sessions use all KV blocks; nothing has happened.
  public static let kvPoolFull = Status(rawValue: 67)
  /// Of another model, or of other options of the engine.
  public static let snapshotMismatch = Status(rawValue: 68)
  /// The session's grammar leaves no token, or ran out of what it has.
  public static let constraint = Status(rawValue: 69)
  /// An invariant of ours failed: please report.
  public static let `internal` = Status(rawValue: 80)

  public var description: String {
    switch self {
    case .ok: return "ok"
    case .invalidArgument: return "invalidArgument"
    case .bufferTooSmall: return "bufferTooSmall"
    case .busy: return "busy"
    case .versionMismatch: return "versionMismatch"
    case .invalidHandle: return "invalidHandle"
    case .ioError: return "ioError"
    case .notAModel: return "notAModel"
    case .newerFormat: return "newerFormat"
    case .corrupt: return "corrupt"
    case .unsupported: return "unsupported"
    case .outOfMemory: return "outOfMemory"
    case .arenaTooSmall: return "arenaTooSmall"
    case .arenaMisaligned: return "arenaMisaligned"
    case .contextFull: return "contextFull"
    case .cancelled: return "cancelled"
    case .noLogits: return "noLogits"
    case .kvPoolFull: return "kvPoolFull"
    case .snapshotMismatch: return "snapshotMismatch"
    case .constraint: return "constraint"
    case .`internal`: return "internal"
    default: return "\(rawValue)"
    }
  }
}

/// The constants RONDO_GRAMMAR_ of rondo.h; newer libraries may have more.
public struct GrammarKind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  /// JSON Schema, draft 2020-12 and 7's spellings: the JSON values that are valid by it. What is
  /// not understood, or cannot be decided, is refused by its JSON pointer. Formats hold. Strings
  /// that a pattern or a format bounds are written without needless escapes, whole numbers without
  /// ".0", zero without a sign where it is the least. Between the parts of a text there is nothing,
  /// a space, or a new line with up to 32 spaces and tabs, unless a flag says otherwise.
  public static let jsonSchema = GrammarKind(rawValue: 0)
  /// A regular expression of ECMA-262, which is the whole text.
  public static let pattern = GrammarKind(rawValue: 1)
  /// Rules in GBNF's notation, which other runtimes have, too: name ::= alternatives of quoted
  /// texts, [classes], names, groups and repeats; `root` is the text. A rule that begins with
  /// itself is refused. Beside it: one special token is written by its text, in angle brackets
  /// where it has none itself, or as <[number]>; %json {...} is a value by this JSON Schema, with
  /// the flags below; %without "text" is any text in which this does not come up.
  public static let gbnf = GrammarKind(rawValue: 2)

  public var description: String {
    switch self {
    case .jsonSchema: return "jsonSchema"
    case .pattern: return "pattern"
    case .gbnf: return "gbnf"
    default: return "\(rawValue)"
    }
  }
}

/// The constants RONDO_POLICY_ of rondo.h; newer libraries may have more.
public struct Policy: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  /// A full context ends the generation; nothing is lost.
  public static let stop = Policy(rawValue: 0)
  /// The oldest tokens make room, in blocks; sinkTokens stay.
  public static let slide = Policy(rawValue: 1)

  public var description: String {
    switch self {
    case .stop: return "stop"
    case .slide: return "slide"
    default: return "\(rawValue)"
    }
  }
}

/// The constants RONDO_KV_ of rondo.h; newer libraries may have more.
public struct Kv: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  /// Keys and values in 8 bits.
  public static let int8 = Kv(rawValue: 0)
  /// Four times the memory, slow: the reference that int8 is held against.
  public static let float32 = Kv(rawValue: 1)
  /// Values in 4 bits, keys in 8: three quarters of INT8's memory, at some loss of predictions,
  /// which depends on the model: `rondo eval --against` tells. Small models lose more.
  public static let k8v4 = Kv(rawValue: 2)
  /// Both in 4 bits: half of INT8's memory, and a larger loss.
  public static let k4v4 = Kv(rawValue: 3)

  public var description: String {
    switch self {
    case .int8: return "int8"
    case .float32: return "float32"
    case .k8v4: return "k8v4"
    case .k4v4: return "k4v4"
    default: return "\(rawValue)"
    }
  }
}

/// The constants RONDO_LOG_ of rondo.h; newer libraries may have more.
public struct Log: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  /// Something that the host should see to: threads that the system refused, a pool of the host
  /// that does not do what it must, a KV pool that is full.
  public static let warning = Log(rawValue: 0)
  /// Once for an engine or a session: what the engine was made of, a context that begins to slide.
  public static let info = Log(rawValue: 1)
  /// Passes: how many tokens of how many sessions, and how long.
  public static let debug = Log(rawValue: 2)

  public var description: String {
    switch self {
    case .warning: return "warning"
    case .info: return "info"
    case .debug: return "debug"
    default: return "\(rawValue)"
    }
  }
}

/// The constants RONDO_AFFINITY_ of rondo.h; newer libraries may have more.
public struct Affinity: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  /// Those that the system puts them on.
  public static let system = Affinity(rawValue: 0)
  /// The performance cores, as far as the system tells; on Apple's systems QoS classes do this in
  /// any case.
  public static let performance = Affinity(rawValue: 1)
  /// Those that rondo_engine_options.cpus names.
  public static let cpus = Affinity(rawValue: 2)

  public var description: String {
    switch self {
    case .system: return "system"
    case .performance: return "performance"
    case .cpus: return "cpus"
    default: return "\(rawValue)"
    }
  }
}

/// The constants RONDO_SEGMENT_ of rondo.h; newer libraries may have more.
public struct Segment: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  /// Packed weights.
  public static let weights = Segment(rawValue: 0)
  /// Keys and values of all sessions.
  public static let kvPool = Segment(rawValue: 1)
  /// Tokens, samplers, logits, text.
  public static let sessions = Segment(rawValue: 2)
  /// Buffers of one pass.
  public static let activations = Segment(rawValue: 3)
  /// Scratch of threads.
  public static let workspace = Segment(rawValue: 4)

  public var description: String {
    switch self {
    case .weights: return "weights"
    case .kvPool: return "kvPool"
    case .sessions: return "sessions"
    case .activations: return "activations"
    case .workspace: return "workspace"
    default: return "\(rawValue)"
    }
  }
}

/// The constants RONDO_SPECULATION_ of rondo.h; newer libraries may have more.
public struct Speculation: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  /// No drafts, but for those of rondo_session_propose, and for what a grammar or the end of a
  /// thought leaves no choice of.
  public static let none = Speculation(rawValue: 0)
  /// What followed the last tokens where they were before: for texts that repeat their input, code
  /// above all.
  public static let promptLookup = Speculation(rawValue: 1)
  /// What the engine's draft model says; refused where it has none.
  public static let draftModel = Speculation(rawValue: 2)
  /// What the model's draft head says; refused where the engine has none.
  public static let draftHead = Speculation(rawValue: 3)

  public var description: String {
    switch self {
    case .none: return "none"
    case .promptLookup: return "promptLookup"
    case .draftModel: return "draftModel"
    case .draftHead: return "draftHead"
    default: return "\(rawValue)"
    }
  }
}

/// The constants RONDO_GRAMMAR_BEGIN_ of rondo.h; newer libraries may have more.
public struct GrammarBegin: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  /// With the first token of each generation.
  public static let atOnce = GrammarBegin(rawValue: 0)
  /// Behind grammarToken, where it comes; free before.
  public static let afterToken = GrammarBegin(rawValue: 1)
  /// Behind a thought, where the generation begins with one or inside of one, and then no end token
  /// comes in it; else at once. With `thinking`.
  public static let afterThinking = GrammarBegin(rawValue: 2)

  public var description: String {
    switch self {
    case .atOnce: return "atOnce"
    case .afterToken: return "afterToken"
    case .afterThinking: return "afterThinking"
    default: return "\(rawValue)"
    }
  }
}

/// The constants RONDO_REASON_ of rondo.h; newer libraries may have more.
public struct Reason: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  /// It goes on.
  public static let none = Reason(rawValue: 0)
  /// An end token; in the event, not appended but by _accept.
  public static let eos = Reason(rawValue: 1)
  /// A stop string came up; the text ends before it.
  public static let stopString = Reason(rawValue: 2)
  /// MaxTokens were generated.
  public static let tokenLimit = Reason(rawValue: 3)
  /// Policy STOP and no room for another token.
  public static let contextFull = Reason(rawValue: 4)
  /// By the session's grammar the text is whole: nothing may follow.
  public static let grammar = Reason(rawValue: 5)

  public var description: String {
    switch self {
    case .none: return "none"
    case .eos: return "eos"
    case .stopString: return "stopString"
    case .tokenLimit: return "tokenLimit"
    case .contextFull: return "contextFull"
    case .grammar: return "grammar"
    default: return "\(rawValue)"
    }
  }
}

/// The constants RONDO_CHANNEL_ of rondo.h; newer libraries may have more.
public struct Channel: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  /// The answer.
  public static let text = Channel(rawValue: 0)
  /// A thought, with what begins and ends it.
  public static let thinking = Channel(rawValue: 1)

  public var description: String {
    switch self {
    case .text: return "text"
    case .thinking: return "thinking"
    default: return "\(rawValue)"
    }
  }
}

/// The constants RONDO_ROWS_ of rondo.h; newer libraries may have more.
public struct Rows: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  /// Float, of the machine's byte order.
  public static let float32 = Rows(rawValue: 0)
  /// The upper half of a float32.
  public static let bfloat16 = Rows(rawValue: 1)

  public var description: String {
    switch self {
    case .float32: return "float32"
    case .bfloat16: return "bfloat16"
    default: return "\(rawValue)"
    }
  }
}

/// The constants RONDO_PIXELS_ of rondo.h; newer libraries may have more.
public struct Pixels: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  /// Plane0: red, green, blue.
  public static let rgb8 = Pixels(rawValue: 0)
  /// Plane0: red, green, blue and alpha, which is dropped, not blended, as processors do.
  public static let rgba8 = Pixels(rawValue: 1)
  /// Plane0: blue, green, red and alpha, which is dropped.
  public static let bgra8 = Pixels(rawValue: 2)
  /// Plane0: one value a pixel.
  public static let gray8 = Pixels(rawValue: 3)
  /// Plane0: Y; plane1: U and V in turn, for 2x2 pixels each.
  public static let nv12 = Pixels(rawValue: 4)
  /// Plane0: Y; plane1: V and U in turn, for 2x2 pixels each.
  public static let nv21 = Pixels(rawValue: 5)
  /// Plane0: Y; plane1: U; plane2: V, for 2x2 pixels each.
  public static let i420 = Pixels(rawValue: 6)

  public var description: String {
    switch self {
    case .rgb8: return "rgb8"
    case .rgba8: return "rgba8"
    case .bgra8: return "bgra8"
    case .gray8: return "gray8"
    case .nv12: return "nv12"
    case .nv21: return "nv21"
    case .i420: return "i420"
    default: return "\(rawValue)"
    }
  }
}

/// The constants RONDO_YUV_ of rondo.h; newer libraries may have more.
public struct YuvRange: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  /// From 16 to 235.
  public static let video = YuvRange(rawValue: 0)
  /// From 0 to 255.
  public static let full = YuvRange(rawValue: 1)

  public var description: String {
    switch self {
    case .video: return "video"
    case .full: return "full"
    default: return "\(rawValue)"
    }
  }
}

/// The constants RONDO_YUV_ of rondo.h; newer libraries may have more.
public struct YuvMatrix: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  /// ITU-R BT.601.
  public static let bt601 = YuvMatrix(rawValue: 0)
  /// ITU-R BT.709.
  public static let bt709 = YuvMatrix(rawValue: 1)

  public var description: String {
    switch self {
    case .bt601: return "bt601"
    case .bt709: return "bt709"
    default: return "\(rawValue)"
    }
  }
}

/// The constants RONDO_CHAT_PART_ of rondo.h; newer libraries may have more.
public struct ChatPartKind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  /// Nothing more to hand out yet.
  public static let none = ChatPartKind(rawValue: 0)
  /// A piece of the answer.
  public static let content = ChatPartKind(rawValue: 1)
  /// A piece of a thought.
  public static let thinking = ChatPartKind(rawValue: 2)
  /// A call begins: `name`, and `id` where the model writes one.
  public static let call = ChatPartKind(rawValue: 3)
  /// A piece of the call's arguments: together they are JSON.
  public static let arguments = ChatPartKind(rawValue: 4)
  /// The call is whole.
  public static let callEnd = ChatPartKind(rawValue: 5)

  public var description: String {
    switch self {
    case .none: return "none"
    case .content: return "content"
    case .thinking: return "thinking"
    case .call: return "call"
    case .arguments: return "arguments"
    case .callEnd: return "callEnd"
    default: return "\(rawValue)"
    }
  }
}

/// The constants RONDO_CALLS_ of rondo.h; newer libraries may have more.
public struct Calls: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  /// As many as the model wants, behind content or none.
  public static let auto = Calls(rawValue: 0)
  /// One at least, and nothing else.
  public static let required = Calls(rawValue: 1)
  /// Exactly one, and nothing else.
  public static let one = Calls(rawValue: 2)

  public var description: String {
    switch self {
    case .auto: return "auto"
    case .required: return "required"
    case .one: return "one"
    default: return "\(rawValue)"
    }
  }
}

/// The constants RONDO_POOLING_ of rondo.h; newer libraries may have more.
public struct Pooling: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  /// The mean of all.
  public static let mean = Pooling(rawValue: 0)
  /// The last one.
  public static let last = Pooling(rawValue: 1)
  /// The first one, which then stands for the whole text: [CLS].
  public static let first = Pooling(rawValue: 2)

  public var description: String {
    switch self {
    case .mean: return "mean"
    case .last: return "last"
    case .first: return "first"
    default: return "\(rawValue)"
    }
  }
}
