package rondo

/** What one step of a generation brought. */
class Event internal constructor(n: LongArray, t: Array<ByteArray?>) {
    /** -1: no token came. */
    val token = n[0].toInt()
    val logprob = java.lang.Float.intBitsToFloat(n[1].toInt())
    /** One of [Reason]: why the generation ended; NONE: it goes on. */
    val reason = n[2].toInt()
    /** Tokens of the prompt that still wait for passes. */
    val pending = n[3]
    /** Tokens that the prefix cache had. */
    val takenOver = n[4]
    /** One of [Channel]: what the token belongs to, with the option thinking. */
    val channel = n[5].toInt()
    /** The token's own. */
    val bytes = t[0]!!
    /** What can be shown now: whole characters; may be empty. */
    val text = t[1]!!.utf8()
}

/** A sequence of tokens. One call at a time, but for [cancelCall], [cancel], [progress] and [close]. Calls compute on
 * the thread that they are made on: on Android not the main one. */
class Session internal constructor(private val engine: Engine, from: Session?, options: SessionOptions) :
    Handle(open(engine, from, options), {
        Native.closeSession(it)
        engine.model.letGo()
    }) {

    companion object {
        private fun open(engine: Engine, from: Session?, options: SessionOptions): Long {
            val fields = options.fields()
            val bias = options.logitBias.toList()
            fun open(engine: Long, session: Long, model: Long) = options.withGrammar(model) { grammar ->
                options.withAdapter { adapter ->
                    Native.openSession(
                        engine, session, if (options.recommended) model else 0, fields.names(),
                        fields.values(), options.stop.map { it.utf8() }.toTypedArray(),
                        bias.map { it.first }.toIntArray(), bias.map { it.second }.toFloatArray(),
                        grammar, adapter,
                        arrayOf(options.thinkingBegin?.utf8(), options.thinkingEnd?.utf8())
                    )
                }
            }
            fun held(open: (model: Long) -> Long): Long {
                val model = engine.model.hold()
                try {
                    return open(model)
                } catch (failure: Throwable) {
                    engine.model.letGo()
                    throw failure
                }
            }
            if (from == null) return engine.with { held { model -> open(it, 0, model) } }
            return from.with { held { model -> open(0, it, model) } }
        }
    }

    /** This, and so its bytes, lives as long. */
    private val adapter: Adapter? = options.adapter ?: from?.adapter

    /** Appends and evaluates a prompt. All or nothing. */
    fun prefill(ids: IntArray) = with { Native.prefill(it, ids) }

    /** The same, and gives the logits behind each token. What `row` throws comes through. */
    fun prefillLogits(ids: IntArray, row: LogitsRow) = with { Native.prefillLogits(it, ids, row) }

    /** Queues tokens, which the next steps of the engine evaluate. */
    fun append(ids: IntArray) = with { Native.append(it, ids) }

    /** Queues inputs, 1 to 64, one behind another. For engines with the option maxInputRows. */
    fun appendInputs(inputs: List<Input>) {
        val arrays = inputs.map { it.numbers }.toTypedArray()
        val coordinates = inputs.map { it.coordinates }.toTypedArray()
        val facts = inputs.flatMap { it.facts(engine.hiddenSize) }.toIntArray()
        with { Native.appendInputs(it, arrays, coordinates, facts) }
    }

    /** Queues ids, of which each that is [ModelFacts].pictureToken stands for the next of `media`. Chat
     * templates write that token where a message has a part {"type": "image"}. */
    fun appendMedia(ids: IntArray, media: List<Media>) =
        withAll(media) { handles -> with { Native.appendMedia(it, ids, handles) } }

    /** Tokens that may come next: the next pass verifies them, and no token is another for it. */
    fun propose(ids: IntArray) = with { Native.propose(it, ids) }

    fun accept(token: Int) = with { Native.accept(it, token) }

    /** The vector of a text that is given as ids, or the score of a pair, which is one number: its first
     * `dimensions` numbers; 0: all. The session has no tokens behind the call. Fails with
     * [Status].UNSUPPORTED where the model predicts tokens, and with CONTEXT_FULL where the text is too
     * long. */
    fun embed(ids: IntArray, dimensions: Int = 0): FloatArray {
        val n = if (dimensions == 0) engine.dimensions else dimensions
        val vector = FloatArray(maxOf(n, 1))
        with { Native.embed(it, ids, vector, n) }
        return vector
    }

    /** Generates one token. */
    fun next(): Event = read { session, texts -> Native.next(session, texts) }

    /** What the last step of the engine, or [accept], had for this session, once. */
    fun event(): Event = read { session, texts -> Native.event(session, texts) }

    private fun read(call: (Long, Array<ByteArray?>) -> LongArray): Event = with {
        val texts = arrayOfNulls<ByteArray>(2)
        Event(call(it, texts), texts)
    }

    /** Generates as it is walked, up to the event with the reason. */
    fun stream(): Sequence<Event> = sequence {
        do {
            val event = next()
            yield(event)
        } while (event.reason == Reason.NONE)
    }

    /** The answer to a conversation, as it is walked; the session's tokens become the conversation's. */
    fun chat(chat: Chat): Sequence<Event> {
        reset()
        appendMedia(engine.model.chatIds(chat), listOf()) // refuses ids in which pictures are missing
        return stream()
    }

    /** As [chat], taken apart: content, thoughts, and calls of the chat's tools. A stop string is part of
     * the content. It is asked when the walk begins, and what takes it apart is closed where that ends. */
    fun chatParts(chat: Chat): Sequence<ChatPart> = sequence {
        engine.model.chatParser(chat).use { parser ->
            for (event in chat(chat)) yieldAll(parser.take(event))
        }
    }

    /** The text of a whole generation. */
    fun generate(): String = stream().joinToString("") { it.text }

    /** The logits after the last token, copied. */
    fun logits(): FloatArray = with { Native.logits(it) }

    fun undo(n: Long) = with { Native.undo(it, n) }

    fun reset() = with { Native.reset(it) }

    val position: Long get() = with { Native.position(it) }

    /** Tokens that fit; Long.MAX_VALUE under [Policy].SLIDE. */
    val remaining: Long
        get() = with { Native.remaining(it) }.let { if (it < 0) Long.MAX_VALUE else it }

    /** Under [Policy].SLIDE: the positions that are no longer seen. */
    val evicted: LongRange get() = with { Native.evicted(it) }.let { it[0] until it[1] }

    /** How many tokens of a prompt are evaluated, and of how many; also while they are. */
    val progress: Pair<Long, Long> get() = with { Native.progress(it) }.let { Pair(it[0], it[1]) }

    val stats: SessionCounters get() = SessionCounters(with { Native.sessionStats(it) })

    /** The tokens that it remembers, the last ones up to [position]; -1 for a row of an input. */
    val tokens: IntArray get() = with { Native.tokens(it) }

    /** The number of the call that computes on another thread, or else of the next one. */
    val callNumber: Long get() = with { Native.callNumber(it) }

    /** Ends the call of this number, and no other: nothing where it is over. */
    fun cancelCall(number: Long) = with { Native.cancelCall(it, number) }

    /** Ends the call that another thread is in, or else the next one that computes. */
    fun cancel() = with { Native.cancel(it) }

    /** A session with the same tokens, and with options of its own. */
    fun fork(options: SessionOptions = SessionOptions()): Session = Session(engine, this, options)

    /** The bytes hold the conversation: keep them as secret as its text. */
    fun save(): ByteArray = with { Native.save(it) }

    /** On failure the session is as before. */
    fun restore(snapshot: ByteArray) = with { Native.restore(it, snapshot) }
}
