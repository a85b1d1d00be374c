import CRondo

/// The events of a generation, from an await to the next: no token is computed ahead. It computes on a thread
/// of the session's own; where the task is cancelled, so is the call, and CancellationError is thrown.
public struct EventStream: AsyncSequence, Sendable {
  public typealias Element = Event
  let session: Session
  let ids: [Int32]?

  public func makeAsyncIterator() -> Iterator { Iterator(session: session, ids: ids) }

  public struct Iterator: AsyncIteratorProtocol {
    let session: Session
    var ids: [Int32]?
    private var isOver = false

    init(session: Session, ids: [Int32]?) {
      self.session = session
      self.ids = ids
    }

    public mutating func next() async throws -> Event? {
      if isOver { return nil }
      let prompt = ids
      ids = nil
      isOver = true  // behind an error, too
      let (session, call) = (session, Call())
      let event = try await session.worker.run(call) {
        if let prompt { try session.append(prompt) }
        try call.begin([session])
        return try session.next()
      }
      isOver = event.reason != .none
      return event
    }
  }
}

/// The parts of an answer as they come, as EventStream has its events.
public struct ChatStream: AsyncSequence, Sendable {
  public typealias Element = ChatPart
  let session: Session
  let messages: [ChatMessage]
  let options: ChatOptions

  public func makeAsyncIterator() -> Iterator {
    Iterator(session: session, messages: messages, options: options)
  }

  public struct Iterator: AsyncIteratorProtocol {
    let session: Session
    let messages: [ChatMessage]
    let options: ChatOptions
    private var reading: (parser: ChatParser, events: EventStream.Iterator)?
    private var waiting: ArraySlice<ChatPart> = []

    init(session: Session, messages: [ChatMessage], options: ChatOptions) {
      self.session = session
      self.messages = messages
      self.options = options
    }

    public mutating func next() async throws -> ChatPart? {
      if reading == nil {
        _ = try session.position()  // refuses one that was closed
        let parser = try ChatParser(session.engine.model, messages, options)
        try session.ask(messages, options)
        reading = (parser, EventStream(session: session, ids: nil).makeAsyncIterator())
      }
      while waiting.isEmpty {
        guard let event = try await reading!.events.next() else { return nil }
        waiting = try reading!.parser.take(event)[...]
      }
      return waiting.removeFirst()
    }
  }
}

extension Session {
  /// Goes on with a text, event by event, up to the one with the reason.
  public func stream(_ prompt: String) throws -> EventStream {
    EventStream(session: self, ids: try ids(of: prompt))
  }

  /// The same of a prompt as ids; nil: goes on with what the session has.
  public func stream(_ ids: [Int32]? = nil) -> EventStream { EventStream(session: self, ids: ids) }

  /// Goes on with a text: the rest of it, up to the end of the generation. This thread waits.
  public func generate(_ prompt: String) throws -> String { try generate(ids(of: prompt)) }

  /// The same of a prompt as ids; nil: goes on with what the session has.
  public func generate(_ ids: [Int32]? = nil) throws -> String {
    if let ids { try append(ids) }
    var text = ""
    var event: Event
    repeat {
      event = try next()
      text += event.text
    } while event.reason == .none
    return text
  }

  /// The same, while this thread does other things. Where the task is cancelled, so is the call.
  public func generate(_ prompt: String) async throws -> String {
    try await generate(ids(of: prompt))
  }

  /// The same of a prompt as ids; nil: goes on with what the session has.
  public func generate(_ ids: [Int32]? = nil) async throws -> String {
    var text = ""
    for try await event in stream(ids) { text += event.text }
    return text
  }

  /// The parts of the answer to a conversation as they come: content, thoughts, and calls of the options'
  /// tools. The session's tokens become the conversation's. A stop string is part of the content.
  public func chatStream(
    _ messages: [ChatMessage], _ options: ChatOptions = ChatOptions()
  ) -> ChatStream {
    ChatStream(session: self, messages: messages, options: options)
  }

  /// The whole answer. Where the task is cancelled, so is the call.
  public func chat(
    _ messages: [ChatMessage], _ options: ChatOptions = ChatOptions()
  ) async throws -> ChatReply {
    var reply = ChatReply()
    for try await part in chatStream(messages, options) { reply.add(part) }
    return reply
  }

  /// The answer to one message of the user's.
  public func chat(_ message: String, _ options: ChatOptions = ChatOptions()) async throws -> ChatReply {
    try await chat([.user(message)], options)
  }

  func ask(_ messages: [ChatMessage], _ options: ChatOptions) throws {
    let ids = try engine.model.chatIds(messages, options)
    try reset()
    try appendMedia(ids, options.media)
  }

  /// What a text is in this session: the model's marks of a beginning stand before the first alone.
  private func ids(of prompt: String) throws -> [Int32] {
    try engine.model.tokenize(prompt, addSpecial: position() == 0)
  }
}
