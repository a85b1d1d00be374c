package rondo

/** A model made runnable. May be used from any thread. `kept`: what the library reads while it lives. It
 * holds the model, for what its makers recommend to sessions. */
class Engine internal constructor(
    handle: Long, internal val model: Model, @Suppress("unused") private val kept: List<Any?>
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

    /** One pass for several sessions; [Session.event] tells what each got. */
    fun step(sessions: List<Session>) {
        val handles = LongArray(sessions.size)
        fun enter(i: Int) {
            if (i == handles.size) return with { Native.step(it, handles) }
            sessions[i].with {
                handles[i] = it
                enter(i + 1)
            }
        }
        enter(0)
    }
}
