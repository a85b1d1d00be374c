import Rondo

// b11 and b12: the compiler refuses by name what does not exist and what is of another type: refused.swift.
let optionTests: [(String, @Sendable () async throws -> Void)] = [
  (
    "b13 ranges",
    {
      let model = try open()
      let engine = try model.engine(few)
      for (name, change) in [
        ("maxSessions", { $0.maxSessions = 1 << 32 + 512 }), ("maxSessions", { $0.maxSessions = 0 }),
        ("context", { $0.context = -1 }), ("context", { $0.context = 1 << 24 + 1 }),
        ("threads", { $0.threads = 257 }), ("cpus", { $0.cpus = [-1] }),
        ("kernels", { $0.kernels = "a\0" }),
      ] as [(String, (inout EngineOptions) -> Void)] {
        try await refuses(name) { _ = try model.plan(EngineOptions(change)) }
      }
      for (name, change) in [
        ("temperature", { $0.temperature = .nan }), ("temperature", { $0.temperature = .infinity }),
        ("topP", { $0.topP = 0 }), ("minP", { $0.minP = 1 }), ("topK", { $0.topK = 1 << 40 }),
        ("maxTokens", { $0.maxTokens = -1 }), ("maxDrafts", { $0.maxDrafts = 8 }),
        ("stop", { $0.stop = ["a\0"] }),
      ] as [(String, (inout SessionOptions) -> Void)] {
        try await refuses(name) { _ = try engine.session(SessionOptions(change)) }
      }
      try await refuses("memoryBytes") {
        _ = try Grammar(model, pattern: "a", GrammarOptions(memoryBytes: 5))
      }
      try await refuses("width") { _ = try model.imagePlan(width: 65536, height: 1) }
    }
  ),
  (
    "b14 names of this binding",
    {
      let model = try open()
      try await fails(.invalidArgument, "contextPolicy") {
        _ = try model.plan(EngineOptions { $0.contextPolicy = Policy(rawValue: 7) })
      }
      try await fails(.invalidArgument, "kvFormat") {
        _ = try model.plan(EngineOptions { $0.kvFormat = Kv(rawValue: 7) })
      }
      let session = try model.engine(few).session()
      let row = [Float](repeating: 0, count: try model.info().hiddenSize)
      try await fails(.invalidArgument, "maxInputRows is 0") { try session.appendInputs([Input(rows: row)]) }
    }
  ),
  (
    "b15 engine options",
    {
      let model = try open()
      let all: [(inout EngineOptions) -> Void] = [
        { $0.context = 128 }, { $0.maxSessions = 2 }, { $0.maxRows = 32 }, { $0.threads = 1 },
        {
          $0.contextPolicy = .slide
          $0.sinkTokens = 16
        },
        { $0.kvFormat = .float32 }, { $0.kernels = "scalar" }, { $0.kvTokens = 2048 }, { $0.rowsPerStep = 8 },
        { $0.noPrefixCache = true }, { $0.profileEvents = 100 }, { $0.dutyPercent = 90 }, { $0.draft = model },
        { $0.cpus = [0] }, { $0.affinity = .performance }, { $0.adapterRank = 4 }, { $0.maxInputRows = 8 },
        { $0.maxMediaRows = 0 },
      ]
      for change in all { try isTrue(try model.plan(EngineOptions(change)).arenaBytes > 0) }
      try await fails(.invalidArgument, "draftHead") {  // the tiny model has none
        _ = try model.plan(EngineOptions { $0.draftHead = true })
      }
      try equal("scalar", model.plan(EngineOptions { $0.kernels = "scalar" }).kernels)
      try equal(128, model.plan(EngineOptions { $0.context = 128 }).context)
      try equal(1, model.plan(EngineOptions { $0.cpus = [0] }).threads)
      // No option is forgotten here.
      try equal(20, Mirror(reflecting: EngineOptions()).children.count)
    }
  ),
  (
    "b16 session options",
    {
      let model = try open()
      let engine = try model.engine(
        EngineOptions {
          $0.context = 256
          $0.adapterRank = 4
          $0.draft = model
        })
      let adapter = try Adapter(model, path: pathOf("ADAPTER"))
      let grammar = try Grammar(model, pattern: "[ab]+")
      let all: [(inout SessionOptions) -> Void] = [
        { $0.recommended = false }, { $0.temperature = 0.5 }, { $0.topK = 3 }, { $0.topP = 0.5 },
        { $0.minP = 0.5 }, { $0.repetitionPenalty = 1.5 }, { $0.presencePenalty = -1 },
        { $0.frequencyPenalty = 1 }, { $0.penaltyLastN = 5 }, { $0.ignoreEos = true }, { $0.logprobs = true },
        { $0.noRepeatNgramSize = 3 }, { $0.seed = .max }, { $0.maxTokens = 3 },
        { $0.speculation = .draftModel }, { $0.maxDrafts = 3 }, { $0.stop = ["mom"] },
        { $0.logitBias = [3: 1] }, { $0.adapter = adapter }, { $0.grammar = grammar },
        { $0.jsonSchema = #"{"enum": [1]}"# },
        {
          $0.grammar = grammar
          $0.grammarBegin = .afterToken
          $0.grammarToken = 5
          $0.grammarGoesOn = true
        },
        {
          $0.thinking = true
          $0.thinkingBegin = " a"
          $0.thinkingEnd = " b"
          $0.thinkingTokens = 3
        },
      ]
      for change in all { try engine.session(SessionOptions(change)).close() }
      try equal(28, Mirror(reflecting: SessionOptions()).children.count)
      let told = try engine.session(SessionOptions { $0.logprobs = true })
      try told.append(model.tokenize(prompt))
      try isTrue(try told.next().logprob < 0)
      try await refuses("jsonSchema") {
        _ = try engine.session(
          SessionOptions {
            $0.grammar = grammar
            $0.jsonSchema = "{}"
          })
      }
    }
  ),
  (
    "b17 recommended",
    {
      let (plain, makers) = (try open(), try open("RECOMMENDING"))
      let engine = try makers.engine(few)
      let recommended = try await text(engine)
      let usual = try await text(plain.engine(few))
      try isTrue(recommended != usual)
      var library = limit()
      library.recommended = false
      let without = try await text(engine, library)
      try equal(usual, without)
      var same = limit()
      same.temperature = 1.5
      let again = try await text(engine, same)
      try equal(recommended, again)
    }
  ),
  (
    "b18 speculation",
    {
      let (model, draft) = (try open(), try open())
      let engine = try model.engine(
        EngineOptions {
          $0.context = 256
          $0.draft = draft
        })
      let usual = try await text(model.engine(few), limit(40))
      draft.close()  // the engine keeps it
      for speculation in [Speculation.draftModel, .promptLookup] {
        var options = limit(40)
        options.speculation = speculation
        let told = try await text(engine, options)
        try equal(usual, told)
      }
      try isTrue(try engine.stats().draftsAccepted > 0)
    }
  ),
]
