// What Kotlin has of its own, with the tiny model; a number is that of a behaviour. Java's tests hold for the
// rest, which is the same code.
import java.util.concurrent.atomic.AtomicInteger
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.async
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.collect
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeoutOrNull
import rondo.*
import rondo.kotlin.*

const val PROMPT = "Today's weather is so"

fun file(name: String): String = System.getenv("RONDO_TEST_$name")

val model: Model = Model.open(file("MODEL"))
val engine: Engine = model.engine(engineOptions(context = 256, maxSessions = 4))
val expected: String = engine.session(sessionOptions(maxTokens = 16)).use { it.generate(PROMPT) }

/** Whose passes take one part of a hundred of the time, so that calls wait. */
val slow: Engine = model.engine(engineOptions { context = 256; maxSessions = 2; dutyPercent = 1; noPrefixCache = true })

fun equal(expected: Any?, actual: Any?) {
    if (expected != actual) throw AssertionError("expected $expected, got $actual")
}

inline fun <reified T : Throwable> fails(words: String, call: () -> Unit): T {
    try {
        call()
    } catch (error: Throwable) {
        if (error !is T || words !in error.message.orEmpty()) throw AssertionError("it fails otherwise: $error", error)
        return error
    }
    throw AssertionError("it should fail: $words")
}

fun session(maxTokens: Long = 16, block: (Session) -> Unit) =
    engine.session(sessionOptions(maxTokens = maxTokens)).use(block)

/** b04, b09: Java's classes as they are. */
fun factsAndPlans() {
    equal(2048, model.info().vocabSize())
    equal(model.plan(engineOptions(context = 256, maxSessions = 4)).arenaBytes(), engine.memory().arenaBytes())
}

/** b13, b14, b15: by names, in a block, or both; refused by the option's name. */
fun engineOptionsByNames() {
    val both = engineOptions(context = 128, kvFormat = Kv.FLOAT32) { maxSessions = 2 }
    val plan = model.plan(both)
    equal(Pair(128, 2), Pair(plan.context(), plan.maxSessions()))
    var told = 0L
    model.engine(engineOptions(context = 128, progress = { done, _ -> told = done; true })).close()
    equal(true, told > 0)
    fails<IllegalArgumentException>("maxSessions is 65") { engineOptions { maxSessions = 65 } }
    fails<IllegalArgumentException>("context is -1") { engineOptions(context = -1) }
    fails<RondoException>("rowsPerStep") { model.engine(engineOptions(maxRows = 64, rowsPerStep = 65)) }
    fails<ArithmeticException>("ours") { model.engine(engineOptions(progress = { _, _ -> throw ArithmeticException("ours") })) }
}

/** b16, b22, b26. */
fun sessionOptionsByNames() {
    fun text(options: SessionOptions) = engine.session(options).use { it.generate(PROMPT) }
    equal(expected.substring(0, 4), text(sessionOptions(stop = listOf(expected.substring(4, 8)))))
    val warm = sessionOptions { temperature = 1; seed = 7; maxTokens = 16 }
    equal(text(warm), text(sessionOptions(temperature = 1.0, seed = 7, maxTokens = 16)))
    equal(false, text(warm) == text(sessionOptions(temperature = 1, seed = 8, maxTokens = 16)))
    equal("[1, 2]", text(sessionOptions(jsonSchema = """{"const": [1, 2]}""")))
    fails<IllegalArgumentException>("temperature is NaN") { sessionOptions(temperature = Double.NaN) }
}

/** b19, b37: a suspended call, and a coroutine's cancel. */
fun suspended() = runBlocking {
    session { session -> runBlocking { equal(expected, session.awaitText(PROMPT)) } }
    slow.session(sessionOptions()).use { session ->
        val call = launch { session.awaitText(PROMPT) }
        delay(60)
        call.cancel()
        call.join()
        session.reset() // is free at once
        session.prefill(*model.tokenize("a"))
        equal(null, withTimeoutOrNull(60) { session.awaitText(PROMPT) })
        session.reset()
    }
    model.awaitEngine(engineOptions(context = 64)).close()
}

/** b21, b25: a flow is what generate gives, and computes nothing ahead. */
fun flows() = runBlocking {
    session { session ->
        runBlocking {
            val text = StringBuilder()
            session.flow(PROMPT).collect { text.append(it.text()) }
            equal(expected, text.toString())
        }
        equal(16L, session.stats().tokensGenerated())
    }
}

/** b24, b25, b37: a collector that throws, and one that is cancelled. */
fun flowsThatAreLeft() = runBlocking {
    session(100) { session ->
        runBlocking {
            fails<ArithmeticException>("enough") { session.flow(PROMPT).collect { throw ArithmeticException("enough") } }
        }
        equal(1L, session.stats().tokensGenerated())
        session.reset()
        equal(true, session.generate(PROMPT).startsWith(expected))
    }
    slow.session(sessionOptions()).use { session ->
        val events = AtomicInteger()
        val collecting = launch { session.flow("a").collect { events.incrementAndGet() } }
        while (events.get() < 1) delay(5)
        collecting.cancel()
        collecting.join()
        session.reset()
    }
}

/** b39: calls of several sessions wait together, on no thread of the coroutines'. */
fun together() = runBlocking {
    val prompts = listOf(PROMPT, "Once upon a time", "The cat")
    val texts = prompts.map { prompt ->
        async { engine.session(sessionOptions(maxTokens = 16)).use { it.awaitText(prompt) } }
    }
    equal(prompts.map { prompt -> engine.session(sessionOptions(maxTokens = 16)).use { it.generate(prompt) } },
        texts.map { it.await() })
}

/** b27, b28: answers, whole and as a flow. */
fun chats() = Model.open(file("CALLING")).use { calling ->
    calling.engine(engineOptions(context = 256)).use { engine ->
        engine.session(sessionOptions(maxTokens = 12)).use { session ->
            runBlocking {
                val chat = chatOf(Message.system("Be brief."), Message.user("How is the weather?"))
                val text = StringBuilder()
                session.chatFlow(chat).collect { if (it.kind() == ChatPartKind.CONTENT) text.append(it.text()) }
                val reply = session.awaitReply(chat)
                equal(text.toString(), reply.text())
                equal(Reason.TOKEN_LIMIT, reply.reason())
                equal("x!", calling.renderChat(
                    chatOf(Message.user("x"), template = "{{ messages[0].content }}{{ tail }}", variables = """{"tail": "!"}""")))
            }
        }
    }
}

/** b31, b32: vectors and scores. */
fun vectors() = runBlocking {
    Model.open(file("EMBEDDER")).use { model ->
        model.engine(engineOptions(maxSessions = 2)).use { engine ->
            val texts = listOf("Once upon a time", "the sky is blue")
            equal(engine.embed(texts).map { it.toList() }, engine.awaitVectors(texts).map { it.toList() })
            equal(192, engine.awaitVectors(texts, prompt = "document")[0].size)
        }
    }
    Model.open(file("SCORER")).use { model ->
        model.engine(engineOptions()).use { equal(2, it.awaitScores("Where?", listOf("a hill", "the sea")).size) }
    }
}

/** b40, b42: what a call throws reaches the coroutine. */
fun failures() = runBlocking {
    val closed = engine.session(sessionOptions())
    closed.close()
    fails<IllegalStateException>("closed") { closed.awaitText(PROMPT) }
    fails<IllegalStateException>("closed") { closed.flow(PROMPT).collect { } }
    val error = fails<RondoException>("absent.rondo") { calling { Model.open("absent.rondo") } }
    equal(Status.IO_ERROR, error.status())
}

/** b41, b43, b47: `use` closes, in any order. */
fun closing() {
    val session = Model.open(file("MODEL")).use { model ->
        model.engine(engineOptions(context = 256)).use { it.session(sessionOptions(maxTokens = 16)) }
    }
    equal(expected, session.use { it.generate(PROMPT) })
    session.close()
    equal(0, engine.stats().sessionsOpen())
}

fun main() {
    val tests = listOf(::factsAndPlans, ::engineOptionsByNames, ::sessionOptionsByNames, ::suspended, ::flows,
        ::flowsThatAreLeft, ::together, ::chats, ::vectors, ::failures, ::closing)
    for (test in tests) {
        try {
            test()
        } catch (error: Throwable) {
            throw AssertionError(test.name, error)
        }
    }
    println("${tests.size} passed, 0 failed")
}
