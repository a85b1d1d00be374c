package rondo

/** A model made runnable. May be used from any thread. `dimensions`: of vectors; `hiddenSize`: of
 * rows. `kept`: what the library reads while it lives. It holds the model, for what its makers
 * recommend to sessions. */
class Engine internal constructor(
    handle: Long, internal val model: Model, internal val dimensions: Int,
    internal val hiddenSize: Int,
    @Suppress("unused") private val kept: List<Any?>
) : Handle(handle, {
    Native.closeEngine(it)
    model.letGo()
}) {
    init {
        model.hold()
    }

    val memory: MemoryPlan get() = with { engine -> record(::MemoryPlan) { Native.memory(engine, it) } }

    val memoryRegions: List<MemoryRegion>
        get() = List(memory.nRegions) { index ->
            with { engine -> record(::MemoryRegion) { Native.memoryRegion(engine, index, it) } }
        }

    val stats: EngineCounters get() = EngineCounters(with { Native.engineStats(it) })

    /** The next event of the profile from number cursor[0] on, which becomes the number behind it; null:
     * there is none yet. */
    fun profile(cursor: LongArray): ProfileEvent? = with { engine ->
        val texts = arrayOfNulls<ByteArray>(1)
        Native.profile(engine, cursor, texts)?.let { ProfileEvent(it, arrayOf(texts[0]?.utf8())) }
    }

    /** An empty session in one of the engine's places. */
    fun session(options: SessionOptions = SessionOptions()): Session = Session(this, null, options)

    /** One vector per text, in their order, each as [Session.embed] makes it: its first `dimensions`
     * numbers; 0: all. The sessions share the work: each takes one text, and the next when it is done with
     * it. Where a text is refused, the message tells which; [Status].BUSY: a session is in another call. */
    fun embed(sessions: List<Session>, texts: List<IntArray>, dimensions: Int = 0): List<FloatArray> {
        val n = if (dimensions == 0) this.dimensions else dimensions
        val ids = texts.flatMap { it.asList() }.toIntArray()
        val counts = texts.map { it.size }.toIntArray()
        val vectors = FloatArray(maxOf(Math.multiplyExact(texts.size, n), 1))
        withAll(sessions) { handles ->
            with { Native.embedAll(it, handles, ids, counts, vectors, n) }
        }
        return texts.indices.map { vectors.copyOfRange(it * n, (it + 1) * n) }
    }

    /** One pass for several sessions; [Session.event] tells what each got. */
    fun step(sessions: List<Session>) = withAll(sessions) { handles -> with { Native.step(it, handles) } }

    /** Encodes a picture, between the passes of sessions. For engines with the option maxMediaRows. What
     * `progress` throws comes through. */
    fun media(
        image: Image, options: ImageOptions = ImageOptions(), progress: Progress? = null
    ): Media = with { engine ->
        val fields = options.fields()
        val media = Native.createMedia(
            engine, image.planes, image.strides.copyOf(3), image.facts(), fields.names(),
            fields.values(), progress
        )
        Media(media, this)
    }
}
