import CRondo

extension Model {
  /// What the model makes of texts; dimensions 0: it predicts tokens instead.
  public func embedder() throws -> EmbedderFacts {
    var facts = rondo_embedder_facts()
    facts.struct_size = UInt32(MemoryLayout<rondo_embedder_facts>.size)
    try check(rondo_model_embedder(handle, &facts))
    return EmbedderFacts(facts)
  }

  /// The names of the prompts that embeddings are made with.
  public func prompts() throws -> [String] {
    try names { rondo_model_prompt_name(handle, $0, $1, $2, &$3) }
  }

  /// What the model reads of a text: it behind the prompt of this name; nil: the model's usual one,
  /// "": none. For tokenize.
  public func embeddingText(_ said: String, prompt: String? = nil) throws -> String {
    try zeroFree(prompt, "prompt")
    let bytes = Array(said.utf8CString)
    return try text { rondo_embedding_text(handle, prompt, bytes, bytes.count - 1, $0, $1, &$2) }
  }

  /// What a model that scores pairs reads of one. instruction: what makes a document fit, in words;
  /// nil: the model's usual one. For tokenize.
  public func pairText(
    _ query: String, _ document: String, instruction: String? = nil
  ) throws -> String {
    try zeroFree(instruction, "instruction")
    let asked = Array(query.utf8CString)
    let found = Array(document.utf8CString)
    return try text {
      rondo_pair_text(
        handle, instruction, asked, asked.count - 1, found, found.count - 1, $0, $1, &$2)
    }
  }
}

extension Engine {
  /// One vector per text, in their order, of a model that embeds. prompt: the name of one of
  /// Model.prompts; nil: the model's usual one, "": none. dimensions: the first so many numbers alone.
  /// Takes the places for sessions that are free, and gives them back.
  public func embed(
    _ texts: [String], prompt: String? = nil, dimensions: Int? = nil
  ) throws -> [[Float]] {
    try embed(idsOf(texts, prompt), dimensions, Call())
  }

  /// The same on a thread of its own. Where the task is cancelled, so is the call.
  public func embed(
    _ texts: [String], prompt: String? = nil, dimensions: Int? = nil
  ) async throws -> [[Float]] {
    let call = Call()
    return try await Worker().run(call) { [self] in
      try embed(idsOf(texts, prompt), dimensions, call)
    }
  }

  /// How well each document fits the query, of a model that scores pairs. instruction: what makes one fit,
  /// in words; nil: the model's usual one.
  public func score(
    _ query: String, _ documents: [String], instruction: String? = nil
  ) throws -> [Float] {
    try embed(pairs(query, documents, instruction), nil, Call()).map { $0[0] }
  }

  /// The same on a thread of its own. Where the task is cancelled, so is the call.
  public func score(
    _ query: String, _ documents: [String], instruction: String? = nil
  ) async throws -> [Float] {
    let call = Call()
    return try await Worker().run(call) { [self] in
      try embed(pairs(query, documents, instruction), nil, call).map { $0[0] }
    }
  }

  private func idsOf(_ texts: [String], _ prompt: String?) throws -> [[Int32]] {
    _ = try memory()  // refuses an engine that was closed
    return try texts.map { try model.tokenize(model.embeddingText($0, prompt: prompt)) }
  }

  private func pairs(
    _ query: String, _ documents: [String], _ instruction: String?
  ) throws -> [[Int32]] {
    _ = try memory()
    return try documents.map {
      try model.tokenize(model.pairText(query, $0, instruction: instruction))
    }
  }

  private func embed(_ ids: [[Int32]], _ dimensions: Int?, _ call: Call) throws -> [[Float]] {
    var sessions: [Session] = []
    defer { for session in sessions { session.close() } }
    let places = try min(memory().maxSessions, max(ids.count, 1))
    while sessions.count < places {
      do {
        sessions.append(try session())
      } catch let error as RondoError where error.status == .busy && !sessions.isEmpty {
        break  // the others are in use
      }
    }
    try call.begin(sessions)
    return try embed(sessions, ids, dimensions: dimensions)
  }

  /// The same of texts as ids, by sessions of the caller's, which share the work: each takes one text, and
  /// the next when it is done with it. Where a text is refused, the message tells which.
  public func embed(
    _ sessions: [Session], _ texts: [[Int32]], dimensions: Int? = nil
  ) throws -> [[Float]] {
    let n = try dimensions.map { try counted($0, "dimensions", 1, Int(Int32.max)) } ?? self.dimensions
    let handles = sessions.map { Optional($0.handle) }
    let ids = texts.flatMap { $0 }
    let counts = texts.map { $0.count }
    // The library refuses more numbers than there are before it writes; never without an address.
    let room = min(n, max(self.dimensions, 2))
    var vectors = [Float](repeating: 0, count: max(room * texts.count, 1))
    try checkMessage {
      rondo_engine_embed(
        handle, handles, handles.count, ids, counts, counts.count, &vectors, n, $0, $1)
    }
    withExtendedLifetime(sessions) {}
    return texts.indices.map { Array(vectors[$0 * n..<($0 + 1) * n]) }
  }
}
