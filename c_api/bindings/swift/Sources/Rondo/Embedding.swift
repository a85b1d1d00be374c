import CRondo

extension Model {
  /// What the model makes of texts; dimensions 0: it predicts tokens instead.
  public func embedder() throws -> EmbedderFacts {
    var facts = rondo_embedder_facts()
    facts.struct_size = UInt32(MemoryLayout<rondo_embedder_facts>.size)
    try check(rondo_model_embedder(handle, &facts))
    return EmbedderFacts(facts)
  }

  /// The names of the prompts that embeddingText takes.
  public func prompts() throws -> [String] {
    try names { rondo_model_prompt_name(handle, $0, $1, $2, &$3) }
  }

  /// What the model reads of a text: it behind the prompt of this name; nil: the model's usual one,
  /// "": none. For tokenize.
  public func embeddingText(_ said: String, prompt: String? = nil) throws -> String {
    let bytes = Array(said.utf8CString)
    return try text { rondo_embedding_text(handle, prompt, bytes, bytes.count - 1, $0, $1, &$2) }
  }

  /// What a model that scores pairs reads of one. instruction: what makes a document fit, in words;
  /// nil: the model's usual one. For tokenize.
  public func pairText(
    _ query: String, _ document: String, instruction: String? = nil
  ) throws -> String {
    let asked = Array(query.utf8CString)
    let found = Array(document.utf8CString)
    return try text {
      rondo_pair_text(
        handle, instruction, asked, asked.count - 1, found, found.count - 1, $0, $1, &$2)
    }
  }

  /// How many numbers are meant, where 0 means all, and for how many there need be room: the library
  /// refuses more than the model makes.
  func dimensions(_ wanted: Int) throws -> (meant: Int, room: Int) {
    let all = try Int(embedder().dimensions)
    return (wanted == 0 ? all : wanted, all)
  }
}

extension Engine {
  /// One vector per text, in their order, each as Session.embed makes it. The sessions share the work:
  /// each takes one text, and the next when it is done with it. Where a text is refused, the message
  /// tells which; Status.busy: a session is in another call.
  public func embed(
    _ sessions: [Session], _ texts: [[Int32]], dimensions: Int = 0
  ) throws -> [[Float]] {
    let (n, room) = try model.dimensions(dimensions)
    let handles = sessions.map { Optional($0.handle) }
    let ids = texts.flatMap { $0 }
    let counts = texts.map { $0.count }
    // Never without an address: where the model makes none, the library says so.
    var vectors = [Float](repeating: 0, count: max(room * texts.count, 1))
    try checkMessage {
      rondo_engine_embed(
        handle, handles, handles.count, ids, counts, counts.count, &vectors, n, $0, $1)
    }
    withExtendedLifetime(sessions) {}
    return texts.indices.map { Array(vectors[$0 * n..<($0 + 1) * n]) }
  }
}
