package rondo

import java.io.Closeable
import java.nio.ByteBuffer

/** A call that failed: `status` is one of [Status]. */
class RondoException internal constructor(val status: Int, sentence: ByteArray) :
    RuntimeException(String(sentence, Charsets.UTF_8))

/** Told how far the creation of an engine, or the encoding of a picture, is: `done` of `total`. False ends
 * it. */
interface Progress {
    fun tell(done: Long, total: Long): Boolean
}

/** Given the logits behind one token of a prompt. */
interface LogitsRow {
    fun take(index: Int, logits: FloatArray)
}

/** The C API, as jni/rondo_jni.c has it. */
internal object Native {
    init {
        val path = System.getProperty("rondo.jni") // where a desktop's Java finds it
        if (path != null) System.load(path) else System.loadLibrary("rondo_jni")
    }

    @JvmStatic external fun abiVersion(): Int
    @JvmStatic external fun version(): ByteArray
    @JvmStatic external fun query(name: ByteArray): Long

    @JvmStatic external fun openPath(path: ByteArray): Long
    @JvmStatic external fun openDescriptor(fd: Int, offset: Long, length: Long): Long
    @JvmStatic external fun openBuffer(buffer: ByteBuffer, count: Long): Long
    @JvmStatic external fun closeModel(model: Long)
    @JvmStatic external fun info(model: Long): LongArray
    @JvmStatic external fun eosToken(model: Long, index: Int): Int
    @JvmStatic external fun fact(model: Long, key: ByteArray): ByteArray
    @JvmStatic external fun factKey(model: Long, index: Int): ByteArray
    @JvmStatic external fun tokenize(model: Long, text: ByteArray, flags: Int): IntArray
    @JvmStatic external fun detokenize(model: Long, ids: IntArray, flags: Int): ByteArray
    @JvmStatic external fun chatTemplateName(model: Long, index: Int): ByteArray
    @JvmStatic external fun chatTemplate(model: Long, name: ByteArray): ByteArray
    @JvmStatic external fun renderChat(
        model: Long, names: Array<ByteArray>, values: LongArray, texts: Array<ByteArray?>, ids: Boolean
    ): Any
    @JvmStatic external fun chatGrammar(
        model: Long, names: Array<ByteArray>, values: LongArray, texts: Array<ByteArray?>, calls: Int,
        function: ByteArray?
    ): ByteArray
    @JvmStatic external fun chatThinking(
        model: Long, names: Array<ByteArray>, values: LongArray, texts: Array<ByteArray?>,
        around: Array<ByteArray?>
    )

    @JvmStatic external fun embedder(model: Long): LongArray
    @JvmStatic external fun promptName(model: Long, index: Int): ByteArray
    @JvmStatic external fun embeddingText(model: Long, prompt: ByteArray?, text: ByteArray): ByteArray
    @JvmStatic external fun pairText(
        model: Long, instruction: ByteArray?, query: ByteArray, document: ByteArray
    ): ByteArray

    @JvmStatic external fun openAdapter(model: Long, path: ByteArray): Long
    @JvmStatic external fun openAdapterBuffer(model: Long, buffer: ByteBuffer, count: Long): Long
    @JvmStatic external fun adapterInfo(adapter: Long): LongArray
    @JvmStatic external fun closeAdapter(adapter: Long)

    @JvmStatic external fun createParser(
        model: Long, names: Array<ByteArray>, values: LongArray, texts: Array<ByteArray?>
    ): Long
    @JvmStatic external fun push(parser: Long, bytes: ByteArray, last: Boolean)
    @JvmStatic external fun part(parser: Long, texts: Array<ByteArray?>): LongArray
    @JvmStatic external fun resetParser(parser: Long)
    @JvmStatic external fun closeParser(parser: Long)

    @JvmStatic external fun createGrammar(
        model: Long, names: Array<ByteArray>, values: LongArray, text: ByteArray
    ): Long
    @JvmStatic external fun planGrammar(
        model: Long, names: Array<ByteArray>, values: LongArray, length: Long
    ): Long
    @JvmStatic external fun closeGrammar(grammar: Long)

    @JvmStatic external fun plan(
        model: Long, names: Array<ByteArray>, values: LongArray, kernels: ByteArray?, draft: Long,
        cpus: IntArray, texts: Array<ByteArray?>
    ): LongArray
    @JvmStatic external fun planRegion(
        model: Long, names: Array<ByteArray>, values: LongArray, kernels: ByteArray?, draft: Long,
        cpus: IntArray, index: Int, texts: Array<ByteArray?>
    ): LongArray
    @JvmStatic external fun planFit(
        model: Long, bytes: Long, names: Array<ByteArray>, values: LongArray, kernels: ByteArray?,
        draft: Long, cpus: IntArray
    ): Int
    @JvmStatic external fun createEngine(
        model: Long, names: Array<ByteArray>, values: LongArray, kernels: ByteArray?, draft: Long,
        cpus: IntArray, progress: Progress?
    ): Long
    @JvmStatic external fun closeEngine(engine: Long)
    @JvmStatic external fun memory(engine: Long, texts: Array<ByteArray?>): LongArray
    @JvmStatic external fun memoryRegion(engine: Long, index: Int, texts: Array<ByteArray?>): LongArray
    @JvmStatic external fun engineStats(engine: Long): LongArray
    @JvmStatic external fun profile(
        engine: Long, cursor: LongArray, texts: Array<ByteArray?>
    ): LongArray?
    @JvmStatic external fun embedAll(
        engine: Long, sessions: LongArray, ids: IntArray, counts: IntArray, vectors: FloatArray,
        dimensions: Int
    )
    @JvmStatic external fun step(engine: Long, sessions: LongArray)

    @JvmStatic external fun imagePlan(
        model: Long, width: Int, height: Int, names: Array<ByteArray>, values: LongArray
    ): LongArray
    @JvmStatic external fun createMedia(
        engine: Long, planes: Array<ByteBuffer>, strides: IntArray, facts: IntArray,
        names: Array<ByteArray>, values: LongArray, progress: Progress?
    ): Long
    @JvmStatic external fun mediaInfo(media: Long): LongArray
    @JvmStatic external fun closeMedia(media: Long)

    @JvmStatic external fun openSession(
        engine: Long, session: Long, recommendedBy: Long, names: Array<ByteArray>, values: LongArray,
        stop: Array<ByteArray>, tokens: IntArray, biases: FloatArray, grammar: Long,
        adapter: Long, thinking: Array<ByteArray?>
    ): Long
    @JvmStatic external fun closeSession(session: Long)
    @JvmStatic external fun prefill(session: Long, ids: IntArray)
    @JvmStatic external fun embed(session: Long, ids: IntArray, vector: FloatArray, dimensions: Int)
    @JvmStatic external fun append(session: Long, ids: IntArray)
    @JvmStatic external fun appendInputs(
        session: Long, arrays: Array<Any>, coordinates: Array<IntArray?>, facts: IntArray
    )
    @JvmStatic external fun appendMedia(session: Long, ids: IntArray, media: LongArray)
    @JvmStatic external fun propose(session: Long, ids: IntArray)
    @JvmStatic external fun prefillLogits(session: Long, ids: IntArray, row: LogitsRow)
    @JvmStatic external fun next(session: Long, texts: Array<ByteArray?>): LongArray
    @JvmStatic external fun event(session: Long, texts: Array<ByteArray?>): LongArray
    @JvmStatic external fun logits(session: Long): FloatArray
    @JvmStatic external fun accept(session: Long, token: Int)
    @JvmStatic external fun undo(session: Long, n: Long)
    @JvmStatic external fun reset(session: Long)
    @JvmStatic external fun position(session: Long): Long
    @JvmStatic external fun remaining(session: Long): Long
    @JvmStatic external fun evicted(session: Long): LongArray
    @JvmStatic external fun progress(session: Long): LongArray
    @JvmStatic external fun sessionStats(session: Long): LongArray
    @JvmStatic external fun tokens(session: Long): IntArray
    @JvmStatic external fun callNumber(session: Long): Long
    @JvmStatic external fun cancelCall(session: Long, number: Long)
    @JvmStatic external fun cancel(session: Long)
    @JvmStatic external fun save(session: Long): ByteArray
    @JvmStatic external fun restore(session: Long, snapshot: ByteArray)
}

internal fun String.utf8() = toByteArray(Charsets.UTF_8)
internal fun ByteArray.utf8() = String(this, Charsets.UTF_8)

/** A record whose numbers `call` gives, and its text in what it is given. */
internal fun <T> record(
    make: (LongArray, Array<String?>) -> T, call: (Array<ByteArray?>) -> LongArray
): T {
    val texts = arrayOfNulls<ByteArray>(1)
    val numbers = call(texts)
    return make(numbers, arrayOf(texts[0]?.utf8()))
}

/** The name of index 0, of index 1, up to the first that is not there. */
internal fun names(call: (Int) -> ByteArray): List<String> {
    val names = mutableListOf<String>()
    while (true) {
        try {
            names += call(names.size).utf8()
        } catch (error: RondoException) {
            if (error.status != Status.INVALID_ARGUMENT) throw error
            return names
        }
    }
}

/** Fields of a C struct by their names: those that were set. */
internal class Fields {
    private val values = linkedMapOf<String, Long>()

    fun set(name: String, value: Int?) = value?.let { values[name] = it.toLong() }
    fun set(name: String, value: Long?) = value?.let { values[name] = it }
    fun set(name: String, value: Float?) = value?.let { values[name] = it.toRawBits().toLong() }
    fun set(name: String, value: Boolean) { if (value) values[name] = 1 }

    fun names() = values.keys.map { it.utf8() }.toTypedArray()
    fun values() = values.values.toLongArray()
}

/** A handle that is given up once, and not under a call of another thread: that waits for the call. */
abstract class Handle internal constructor(private val handle: Long, private val give: (Long) -> Unit) :
    Closeable {
    private val lock = Object()
    private var calls = 0
    private var isClosed = false

    internal fun <T> with(use: (Long) -> T): T {
        val handle = synchronized(lock) {
            check(!isClosed) { "this ${javaClass.simpleName} is closed" }
            hold()
        }
        try {
            return use(handle)
        } finally {
            letGo()
        }
    }

    /** Under [with], or where another holds it: until [letGo] the handle is there, also where this is
     * closed meanwhile. */
    internal fun hold(): Long = synchronized(lock) {
        ++calls
        handle
    }

    internal fun letGo() {
        val last = synchronized(lock) { --calls == 0 && isClosed }
        if (last) give(handle)
    }

    /** Closing twice does nothing. */
    override fun close() {
        val last = synchronized(lock) {
            if (isClosed) return
            isClosed = true
            calls == 0
        }
        if (last) give(handle)
    }
}

/** Calls `use` with the handles of all of these, which stay meanwhile. */
internal fun withAll(all: List<Handle>, use: (LongArray) -> Unit) {
    val handles = LongArray(all.size)
    fun enter(i: Int) {
        if (i == handles.size) return use(handles)
        all[i].with {
            handles[i] = it
            enter(i + 1)
        }
    }
    enter(0)
}

/** The library itself. */
object Library {
    /** Its release. */
    val version: String get() = Native.version().utf8()
    /** That of the library, which may be newer than this binding's. */
    val abiVersion: Int get() = Native.abiVersion()
    /** What it can do, by name: "limit.sessions", "chat" and others of rondo.h. */
    fun query(name: String): Long = Native.query(name.utf8())
}
