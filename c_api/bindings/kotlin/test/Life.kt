// A whole life with the tiny model, whose file RONDO_TEST_MODEL names.
import java.io.File
import java.io.RandomAccessFile
import java.nio.ByteBuffer
import java.nio.channels.FileChannel
import rondo.*

fun equal(expected: Any?, actual: Any?) {
    if (expected != actual) throw Exception("expected $expected, got $actual")
}

fun fails(status: Int, words: String, call: () -> Unit) {
    try {
        call()
    } catch (error: RondoException) {
        equal(status, error.status)
        equal(true, words in error.message!!)
        return
    }
    throw Exception("it should fail with $status")
}

/** With a library of tomorrow, which tells constants that this version does not know. */
fun newerLibrary(model: Model) {
    fails(1000, "") { Library.query("of tomorrow") }
    model.engine(EngineOptions().apply { context = 256 }).use { engine ->
        engine.session(SessionOptions().apply { maxTokens = 4 }).use { session ->
            session.prefill(model.tokenize("Once"))
            val told = session.stream().map { Pair(it.reason, it.channel) }.toList()
            equal(listOf(Pair(0, 0), Pair(0, 0), Pair(0, 0), Pair(1000, 1000)), told)
        }
    }
    Model.open(System.getenv("RONDO_TEST_CALLING")).use { it.chatParser(Chat("[]")) }.use {
        it.push("hi".toByteArray(), last = true)
        equal(listOf<ChatPart>(ChatPart.Other(1000, "hi")), it.parts())
    }
}

fun adapters(model: Model, ids: IntArray) {
    val path = System.getenv("RONDO_TEST_ADAPTER")
    val adapter = model.adapter(path)
    equal(4, adapter.info.rank)
    fun with(given: Adapter?) = SessionOptions().apply { maxTokens = 12; this.adapter = given }
    model.engine(EngineOptions().apply { context = 256 }).use { narrow ->
        fails(Status.INVALID_ARGUMENT, "adapter_rank is 0") { narrow.session(with(adapter)) }
    }
    val roomy = EngineOptions().apply { context = 256; maxSessions = 4; adapterRank = 4 }
    model.engine(roomy).use { engine ->
        fun text(session: Session) = session.use {
            it.prefill(ids)
            it.generate()
        }
        val plain = text(engine.session(with(null)))
        val session = engine.session(with(adapter))
        adapter.close() // the session goes on
        val fork = session.fork(with(null))
        val adapted = text(session)
        equal(false, adapted == plain)
        equal(adapted, text(fork))
        RandomAccessFile(File(path), "r").use { file ->
            val mapped = file.channel.map(FileChannel.MapMode.READ_ONLY, 0, file.length())
            equal(adapted, text(engine.session(with(model.adapter(mapped)))))
        }
        closed { engine.session(with(adapter)) }
    }
    fails(Status.NOT_A_MODEL, "it is a model") { model.adapter(System.getenv("RONDO_TEST_MODEL")) }
}

fun inputs(model: Model, ids: IntArray) {
    val n = model.info.hiddenSize
    val rows = Input(FloatArray(2 * n))
    val halves = Input(ShortArray(3 * n), intArrayOf(0, 0, 0, 0, 0, 1, 0, 1, 0), seesWhole = true)
    model.engine(EngineOptions().apply { context = 256 }).use { none ->
        fails(Status.INVALID_ARGUMENT, "max_input_rows is 0") {
            none.session().appendInputs(listOf(rows))
        }
    }
    model.engine(EngineOptions().apply { context = 256; maxInputRows = 8 }).use { engine ->
        val session = engine.session()
        val text = Input(ids)
        session.appendInputs(listOf(text, rows, halves))
        equal(ids.toList() + List(5) { -1 }, session.tokens.toList())
        equal(2048, session.logits().size)
        session.appendInputs(listOf(Input(intArrayOf(3))))
        equal(true, session.next().token >= 0)
        val refused = listOf(
            Input(FloatArray(2 * n - 1)), Input(FloatArray(0)), Input(ShortArray(1)),
            Input(FloatArray(2 * n), intArrayOf(0, 0, 0))
        )
        for (one in refused) {
            try {
                session.appendInputs(listOf(text, one))
                equal("such an input", "refused")
            } catch (error: IllegalArgumentException) {
                equal(true, "rows have" in error.message!!)
            }
        }
        fails(Status.INVALID_ARGUMENT, "max_input_rows is 8") {
            session.appendInputs(listOf(text, Input(FloatArray(9 * n))))
        }
        fails(Status.INVALID_ARGUMENT, "no tokens") {
            session.appendInputs(listOf(Input(IntArray(0))))
        }
        fails(Status.INVALID_ARGUMENT, "0 inputs") { session.appendInputs(emptyList()) }
        fails(Status.INVALID_ARGUMENT, "64 inputs") { session.appendInputs(List(65) { text }) }
        equal(ids.size + 7L, session.position)
    }
}

/** Bytes in a direct buffer, from a position on that is not its beginning. */
fun direct(bytes: ByteArray): ByteBuffer {
    val buffer = ByteBuffer.allocateDirect(bytes.size + 3)
    buffer.position(3)
    buffer.put(bytes)
    buffer.position(3)
    return buffer
}

/** A picture of so many bytes. */
fun pixels(count: Int) = ByteArray(count) { (it * 37 % 251).toByte() }

/** A model that does not see. */
fun blindness(model: Model, engine: Engine, ids: IntArray) {
    equal(-1, model.info.pictureToken)
    fails(Status.UNSUPPORTED, "reads texts alone") { model.imagePlan(640, 480) }
    val image = Image(Pixels.RGB8, 2, 2, direct(pixels(12)))
    fails(Status.UNSUPPORTED, "max_media_rows is 0") { engine.media(image) }
    image.strides = intArrayOf(7, 0, 0)
    fails(Status.INVALID_ARGUMENT, "plane 0 of the image has 12 bytes") { engine.media(image) }
    engine.session().use {
        it.appendMedia(ids, emptyList())
        equal(ids.size.toLong(), it.position)
    }
}

fun seeing(model: Model) {
    val options = EngineOptions().apply { context = 256; maxSessions = 2; maxMediaRows = 100 }
    val ids = model.tokenize("See <image> here", addSpecial = false)
    equal(listOf(model.info.pictureToken), model.tokenize("<image>", addSpecial = false).toList())
    val plan = model.imagePlan(5, 7)
    equal(true, plan.tileColumns > 1 && plan.positions > plan.rows)
    equal(true, model.imagePlan(5, 7, ImageOptions().apply { oneTile = true }).rows < plan.rows)
    fails(Status.UNSUPPORTED, "min_tokens") {
        model.imagePlan(5, 7, ImageOptions().apply { minTokens = 3 })
    }
    val engine = model.engine(options)
    val picture = Image(Pixels.RGB8, 5, 7, direct(pixels(5 * 7 * 3)))
    val media = engine.media(picture)
    equal(listOf(plan.rows, plan.positions), media.info.run { listOf(rows, positions) })
    engine.session(SessionOptions().apply { maxTokens = 4 }).use { session ->
        session.appendMedia(ids, listOf(media))
        equal(ids.size - 1L + plan.positions, session.position)
        session.generate()
        fails(Status.INVALID_ARGUMENT, "") { session.appendMedia(ids, emptyList()) }
        fails(Status.INVALID_ARGUMENT, "64 pictures") { session.appendMedia(ids, List(65) { media }) }
        session.reset()
        session.appendMedia(ids + ids, listOf(media, media))
        media.close() // the session goes on
        closed { session.appendMedia(ids, listOf(media)) }
        closed { media.info }
        session.generate()
        model.engine(options).use { other ->
            fails(Status.INVALID_ARGUMENT, "another engine") {
                session.appendMedia(ids, listOf(other.media(picture)))
            }
        }
    }
    images(engine, ids)
    val gray = Image(Pixels.GRAY8, 64, 64, direct(pixels(64 * 64)))
    fun telling(tell: () -> Boolean) = object : Progress {
        override fun tell(done: Long, total: Long) = tell()
    }
    fails(Status.CANCELLED, "") { engine.media(gray, progress = telling { false }) }
    closed { engine.media(gray, progress = telling { throw IllegalStateException() }) }
    engine.close()
}

fun images(engine: Engine, ids: IntArray) {
    fun see(image: Image): List<Float> = engine.media(image).use { media ->
        engine.session().use {
            it.appendMedia(ids, listOf(media))
            it.logits().toList()
        }
    }
    val rgb = pixels(9 * 7 * 3)
    val image = Image(Pixels.RGB8, 9, 7, direct(rgb))
    val seen = see(image)
    val rgba = ByteArray(9 * 7 * 4) { if (it % 4 < 3) rgb[it / 4 * 3 + it % 4] else 99 }
    equal(seen, see(Image(Pixels.RGBA8, 9, 7, direct(rgba))))
    val rows = rgb.toList().chunked(27)
    val apart = rows.dropLast(1).flatMap { it + List(5) { 0.toByte() } } + rows.last()
    equal(seen, see(Image(Pixels.RGB8, 9, 7, direct(apart.toByteArray())).apply { strides[0] = 32 }))
    image.rotation = 180
    equal(false, seen == see(image))
    val back = rgb.toList().chunked(3).reversed().flatten().toByteArray()
    val turned = Image(Pixels.RGB8, 9, 7, direct(back)).apply { rotation = 180 }
    equal(seen, see(turned))
    equal(false, seen == see(turned.apply { mirror = true }))

    // Frames as cameras give them: rows 11 and 12 bytes apart, the last row ends with its pixels.
    val y = direct(pixels(6 * 11 + 9))
    val u = pixels(3 * 6 + 5)
    val v = ByteArray(u.size) { (200 - it).toByte() }
    val planar = see(Image.yuv420(9, 7, y, 11, direct(u), direct(v), 6, 1))
    fun inTurn(first: ByteArray, second: ByteArray): List<ByteBuffer> {
        val both = direct(ByteArray(2 * u.size) { (if (it % 2 == 0) first else second)[it / 2] })
        val begin = both.position()
        return listOf(0, 1).map {
            both.limit(begin + 2 * u.size - 1 + it)
            both.position(begin + it)
            both.slice()
        }
    }
    val (u12, v12) = inTurn(u, v)
    val (v21, u21) = inTurn(v, u)
    equal(planar, see(Image.yuv420(9, 7, y, 11, u12, v12, 12, 2)))
    equal(planar, see(Image.yuv420(9, 7, y, 11, u21, v21, 12, 2)))
    equal(false, planar == see(Image.yuv420(9, 7, y, 11, v21, u21, 12, 2)))
    val video = Image.yuv420(9, 7, y, 11, u12, v12, 12, 2).apply { yuvRange = YuvRange.VIDEO }
    equal(false, planar == see(video))

    fun refused(words: String, image: Image) = fails(Status.INVALID_ARGUMENT, words) { see(image) }
    val short = direct(rgb.copyOf(rgb.size - 1))
    refused("plane 0", Image(Pixels.RGB8, 9, 7, short))
    refused("plane 0", Image(Pixels.RGB8, 9, 7))
    refused("plane 1", Image(Pixels.NV12, 9, 7, y, direct(ByteArray(39))))
    refused("plane 2", Image(Pixels.I420, 9, 7, y, direct(u)))
    refused("plane 0", Image(Pixels.RGB8, 9, 7, direct(rgb)).apply { strides[0] = -1 })
    refused("stride of 26", Image(Pixels.RGB8, 9, 7, direct(rgb)).apply { strides[0] = 26 })
    refused("no format", Image(7, 9, 7, direct(rgb)))
    refused("45", Image(Pixels.RGB8, 9, 7, direct(rgb)).apply { rotation = 45 })
    refused("plane 0", Image(Pixels.RGB8, -1, 7, direct(rgb)))
    refused("not in turn", Image.yuv420(9, 7, y, 11, direct(u + u), direct(v + v), 12, 2))
    refused("plane 1", Image.yuv420(9, 7, y, 11, u12, v12, 13, 2))
    try {
        Image(Pixels.RGB8, 9, 7, ByteBuffer.wrap(rgb))
        equal("such a buffer", "refused")
    } catch (error: IllegalArgumentException) {
    }
}

fun closed(call: () -> Unit) {
    try {
        call()
    } catch (error: IllegalStateException) {
        return
    }
    throw Exception("it should be closed")
}

fun embedding(predicts: Model, predicting: Engine) {
    val model = Model.open(System.getenv("RONDO_TEST_EMBEDDER"))
    model.embedder.run {
        equal(listOf(192, 100, 0, Pooling.MEAN), listOf(dimensions, maxTokens, scoresPairs, pooling))
    }
    equal(setOf("query", "document"), model.prompts.toSet())
    equal("Query: Grüße", model.embeddingText("Grüße"))
    equal("Grüße", model.embeddingText("Grüße", "document"))
    equal("", model.embeddingText("", ""))
    fails(Status.INVALID_ARGUMENT, "") { model.embeddingText("a", "none") }
    fails(Status.UNSUPPORTED, "") { model.pairText("a", "b") }
    val texts = listOf("Once upon a time", "there was", "a girl who liked to play").map {
        model.tokenize(model.embeddingText(it))
    }
    val engine = model.engine(EngineOptions().apply { context = 128; maxSessions = 2 })
    model.close() // the engine goes on
    engine.use { makes ->
        val sessions = List(2) { makes.session() }
        val (a, b) = sessions
        val vectors = makes.embed(sessions, texts)
        equal(3, vectors.size)
        for ((ids, vector) in texts zip vectors) {
            equal(192, vector.size)
            equal(true, Math.abs(vector.map { it * it }.sum() - 1) < 1e-5)
            equal(vector.toList(), a.embed(ids).toList())
        }
        equal(0L, a.position)
        val few = b.embed(texts[0], 8)
        equal(8, few.size)
        equal(few.toList(), makes.embed(listOf(a), texts.take(1), 8)[0].toList())
        equal(0, makes.embed(sessions, emptyList()).size)
        fails(Status.INVALID_ARGUMENT, "text 1 has no tokens") {
            makes.embed(sessions, listOf(texts[0], IntArray(0)))
        }
        fails(Status.INVALID_ARGUMENT, "twice") { makes.embed(listOf(a, a), texts) }
        fails(Status.INVALID_ARGUMENT, "") { makes.embed(emptyList(), texts) }
        fails(Status.INVALID_ARGUMENT, "64 sessions") { predicting.embed(List(65) { a }, texts) }
        fails(Status.INVALID_ARGUMENT, "") { a.embed(texts[0], 193) }
        fails(Status.INVALID_ARGUMENT, "") { a.embed(texts[0], -1) }
        fails(Status.CONTEXT_FULL, "100") { a.embed(IntArray(101) { 5 }) }
        fails(Status.UNSUPPORTED, "") { a.prefill(texts[0]) }
        sessions.forEach { it.close() }
        closed { makes.embed(sessions, texts) }
    }
    equal(0, predicts.embedder.dimensions)
    fails(Status.UNSUPPORTED, "") { predicts.embeddingText("a") }
    predicting.session().use {
        fails(Status.UNSUPPORTED, "predicts tokens") { it.embed(intArrayOf(5)) }
        fails(Status.UNSUPPORTED, "predicts tokens") { predicting.embed(listOf(it), texts) }
    }
}

fun scores() = Model.open(System.getenv("RONDO_TEST_SCORER")).use { model ->
    equal(1, model.embedder.scoresPairs)
    val pair = model.pairText("Grüße?", "a hill", "Find it")
    equal(true, listOf("Find it", "Grüße?", "a hill").all { it in pair })
    equal(false, "Find it" in model.pairText("Grüße?", "a hill"))
    fails(Status.UNSUPPORTED, "") { model.embeddingText("a") }
    val texts = listOf("a hill", "the sea", "her mom").map { model.tokenize(model.pairText("Where?", it)) }
    model.engine(EngineOptions().apply { maxSessions = 2 }).use { engine ->
        val sessions = List(2) { engine.session() }
        val scores = engine.embed(sessions, texts)
        equal(true, scores.all { it.size == 1 && it[0] > 0 && it[0] < 1 })
        equal(3, scores.map { it[0] }.toSet().size)
        equal(scores[2].toList(), sessions[1].embed(texts[2]).toList())
        sessions.forEach { it.close() }
    }
}

const val PERSON = """{"type":"object","properties":{"name":{"type":"string","maxLength":12},
    "age":{"type":"integer","minimum":0,"maximum":130}},"required":["name","age"]}"""

/** All that PERSON allows with one space. */
fun isPerson(text: String) {
    val person = Regex("""\{"name": "([^"\\\x00-\x1f]|\\[^u]|\\u....){0,12}", "age": (-?[0-9]{1,3})}""")
    val age = person.matchEntire(text)?.groupValues?.get(2)?.toInt()
    if (age == null || age !in 0..130) throw Exception("no JSON of a person: $text")
}

fun grammars(model: Model, engine: Engine, ids: IntArray) {
    fun warm(say: SessionOptions.() -> Unit) =
        engine.session(SessionOptions().apply { temperature = 1f; seed = 7 }.apply(say))
    fun textOf(session: Session): String = session.use {
        it.prefill(ids)
        val events = it.stream().toList()
        equal(true, events.last().reason in setOf(Reason.GRAMMAR, Reason.EOS))
        events.joinToString("") { it.text }
    }
    val dense = GrammarOptions().apply { noSpaces = true }
    val said = textOf(warm { jsonSchema = PERSON })
    isPerson(said)
    val grammar = model.grammar(PERSON, GrammarOptions().apply { oneSpace = true; namedOnly = true })
    val session = warm { this.grammar = grammar }
    val letters = model.patternGrammar("[ab]{4}c")
    val fork = session.fork(SessionOptions().apply { this.grammar = letters })
    try {
        warm { this.grammar = grammar; jsonSchema = PERSON }
        equal("two grammars", "refused")
    } catch (error: IllegalArgumentException) {
    }
    grammar.close() // the session goes on
    equal(said, textOf(session))
    equal(true, Regex("[ab]{4}c").matches(textOf(fork)))
    val ones = """{"type": "array", "items": {"enum": [1]}, "minItems": 2, "maxItems": 2}"""
    equal("[1,1]", textOf(warm { this.grammar = model.grammar(ones, dense) }))
    val both = """{"type":"object","properties":{"a":{"enum":[1]},"b":{"enum":[2]}},
        "required":["a","b"],"additionalProperties":false}"""
    equal("""{"a":1,"b":2}""", textOf(warm { this.grammar = model.grammar(both, dense) }))
    dense.anyOrder = true
    equal("""{"b":2,"a":1}""", textOf(warm { this.grammar = model.grammar(both, dense) }))

    val refused = """{"properties":{"a":{"uniqueItems":true}}}"""
    fails(Status.UNSUPPORTED, "#/properties/a/uniqueItems") { model.grammar(refused) }
    fails(Status.UNSUPPORTED, "#/properties/a/uniqueItems") { warm { jsonSchema = refused } }

    val few = GrammarOptions().apply { memoryBytes = 1 shl 20 }
    val small = model.planGrammar(PERSON, few)
    equal(true, small > 0 && small < model.planGrammar(PERSON))
    equal(small, model.planPatternGrammar("a", few))
}

fun rulesAndThoughts(model: Model, engine: Engine, ids: IntArray) {
    fun textWith(say: SessionOptions.() -> Unit) =
        engine.session(SessionOptions().apply { maxTokens = 16 }.apply(say)).use {
            it.prefill(ids)
            it.generate()
        }
    val sky = "root ::= \"sky\" | \"sea\""
    equal(true, textWith { grammar = model.rulesGrammar(sky) } in setOf("sky", "sea"))
    equal(true, model.planRulesGrammar(sky) > 0)
    val first = engine.session().use {
        it.prefill(ids)
        it.next()
    }
    val letters = model.patternGrammar("[ab]{3}")
    fun behind(goesOn: Boolean) = textWith {
        grammar = letters
        grammarBegin = GrammarBegin.AFTER_TOKEN
        grammarToken = first.token
        grammarGoesOn = goesOn
    }
    val whole = behind(false)
    equal(true, Regex(Regex.escape(first.text) + "[ab]{3}").matches(whole))
    equal(true, behind(true).run { startsWith(whole) && length > whole.length })

    fun channels(say: SessionOptions.() -> Unit): List<Int> {
        val warm = SessionOptions().apply { maxTokens = 32; temperature = 1f; seed = 3 }.apply(say)
        return engine.session(warm).use {
            it.prefill(model.tokenize("Lily saw her mom"))
            it.stream().map { it.channel }.toList()
        }
    }
    val words: SessionOptions.() -> Unit = {
        thinking = true
        thinkingBegin = " mom"
        thinkingEnd = " day.\n"
    }
    equal(setOf(Channel.TEXT), channels { }.toSet())
    equal(Channel.THINKING, channels(words)[0])
    equal(true, channels { words(); thinkingTokens = 1 }.indexOf(Channel.TEXT) in 1..7)
    fails(Status.UNSUPPORTED, "chat template") { channels { thinking = true } }
}

const val TOOLS = """[{"type": "function", "function": {"name": "weather", "parameters": {
    "type": "object", "properties": {"city": {"enum": ["Rome", "Oslo"]}}, "required": ["city"],
    "additionalProperties": false}}}]"""

/** With a model whose template knows functions and thoughts. */
fun answers(model: Model) {
    val chat = Chat("""[{"role": "user", "content": "How is the weather?"}]""").apply { tools = TOOLS }
    val answer = "<think>\nso\n</think>\n\nGrüße<tool_call>\n" +
        """{"name": "weather", "arguments": {"city": "Rome"}}""" + "\n</tool_call>"
    model.chatParser(chat).use { parser ->
        repeat(2) {
            val parts = mutableListOf<ChatPart>()
            for (byte in answer.toByteArray()) {
                parser.push(byteArrayOf(byte))
                parts += parser.parts()
            }
            parser.push(ByteArray(0), last = true)
            parts += parser.parts()
            equal("so", parts.filterIsInstance<ChatPart.Thinking>().joinToString("") { it.text })
            equal("Grüße", parts.filterIsInstance<ChatPart.Content>().joinToString("") { it.text })
            equal(true, ChatPart.Call(0, "weather", "") in parts)
            val arguments = parts.filterIsInstance<ChatPart.Arguments>().joinToString("") { it.text }
            equal("""{"city": "Rome"}""", arguments)
            equal(ChatPart.CallEnd(0, "weather", "", arguments), parts.last())
            fails(Status.INVALID_ARGUMENT, "") { parser.push("more".toByteArray()) }
            parser.reset()
        }
    }
    val none = Chat(chat.messages).apply { tools = TOOLS; template = "{{ messages[0].content }}" }
    fails(Status.UNSUPPORTED, "") { model.chatParser(none) }

    val rules = model.rulesGrammar(model.chatGrammar(chat, Calls.ONE, "weather"))
    model.engine(EngineOptions().apply { context = 256; maxSessions = 4 }).use { engine ->
        fun content(say: SessionOptions.() -> Unit) =
            engine.session(SessionOptions().apply(say)).chatParts(chat).joinToString("") {
                (it as ChatPart.Content).text
            }
        val begun = model.patternGrammar("<tool_ca")
        equal("<tool_ca", content { grammar = begun }) // looks like a call to its end
        equal("", content { logitBias = mapOf(1 to 1e9f) }) // the end is no content
        val parts = engine.session(SessionOptions().apply { grammar = rules }).use {
            it.chatParts(chat).toList()
        }
        equal("weather", (parts.first() as ChatPart.Call).name)
        val call = parts.last() as ChatPart.CallEnd
        equal(true, Regex("""\{\s*"city"\s*:\s*"(Rome|Oslo)"\s*}""").matches(call.arguments))
        val free = engine.session(SessionOptions().apply { maxTokens = 12 })
        equal(true, free.chatParts(Chat(chat.messages)).toList().all { it is ChatPart.Content })
    }
    fails(Status.INVALID_ARGUMENT, "absent") { model.chatGrammar(chat, function = "absent") }
    equal(listOf("<think>", "</think>"), model.chatThinking(chat).toList().map { it.trim() })

    val said = Chat("""[{"role": "user", "content": "<|pad|>"}]""")
    equal(listOf(0, 1), listOf(2, 1).map { token -> model.chatIds(said).count { it == token } })
    said.plainContent = false
    equal(1, model.chatIds(said).count { it == 2 })
}

fun cpus(model: Model) {
    val state = File("/proc/self/status").readLines().joinToString("\n")
    val cpu = Regex("Cpus_allowed_list:\\s*(\\d+)").find(state)!!.groupValues[1].toInt()
    val one = EngineOptions().apply { context = 64; cpus = listOf(cpu) }
    equal(1, model.plan(one).threads)
    equal(2, model.engine(one.apply { threads = 2 }).use { it.memory.threads })
    fails(Status.INVALID_ARGUMENT, "1023") { model.engine(EngineOptions().apply { cpus = listOf(1023) }) }
    fails(Status.INVALID_ARGUMENT, "256") { model.engine(EngineOptions().apply { cpus = List(257) { it } }) }
}

fun main(arguments: Array<String>) {
    val path = System.getenv("RONDO_TEST_MODEL")
    val model = Model.open(path)
    if (arguments.isNotEmpty()) return newerLibrary(model)
    val few = EngineOptions().apply { context = 256; maxSessions = 4 }
    val limit = SessionOptions().apply { recommended = false; maxTokens = 12 }
    var last = 0L
    val engine = model.engine(few, object : Progress {
        override fun tell(done: Long, total: Long): Boolean {
            last = done * 1000 / total
            return true
        }
    })
    equal(1000L, last)
    equal(2048, model.info.vocabSize)
    equal(listOf(1), model.eosTokens.toList())
    equal("LlamaForCausalLM", model.facts["architecture"])
    equal(emptyMap<String, String>(), model.chatTemplates)
    equal(Library.query("abi.version"), Library.abiVersion.toLong())
    equal(true, "." in Library.version)
    equal(engine.memory.arenaBytes, model.plan(few).arenaBytes)
    equal(engine.memoryRegions.map { it.name to it.bytes }, model.planRegions(few).map { it.name to it.bytes })
    equal(true, model.planFit(engine.memory.arenaBytes, few) >= 256)
    val ids = model.tokenize("Today's weather is so")
    equal("Today's weather is so", model.detokenize(ids, skipSpecial = true))
    val long = "x".repeat(3000)
    equal(long, model.detokenize(model.tokenize(long, addSpecial = false)))

    val session = engine.session(limit)
    val rows = mutableListOf<List<Float>>()
    session.prefillLogits(ids, object : LogitsRow {
        override fun take(index: Int, logits: FloatArray) {
            equal(rows.size, index)
            rows += logits.toList()
        }
    })
    equal(ids.size, rows.size)
    class Thrown : Exception()
    try {
        session.prefillLogits(intArrayOf(3), object : LogitsRow {
            override fun take(index: Int, logits: FloatArray) = throw Thrown()
        })
        equal("what a row throws", "comes through")
    } catch (thrown: Thrown) {
    }
    session.reset()
    equal(true, session.evicted.isEmpty())
    session.prefill(ids)
    equal(ids.toList(), session.tokens.toList())
    equal(Pair(ids.size.toLong(), ids.size.toLong()), session.progress)
    equal(2L * ids.size + 1, session.stats.tokensPrefilled)
    val logits = session.logits()
    equal(rows.last(), logits.toList())
    val fork = session.fork(limit)
    val saved = session.save()
    val events = session.stream().toList()
    val text = events.joinToString("") { it.text }
    equal(Reason.TOKEN_LIMIT, events.last().reason)
    equal(logits.indices.maxBy { logits[it] }, events[0].token)
    equal(256L, session.position + session.remaining)
    equal(text, fork.generate())
    session.restore(saved)
    equal(text, session.generate())
    saved[saved.size - 1] = (saved.last().toInt() xor 1).toByte()
    fails(Status.CORRUPT, "") { session.restore(saved) }

    // What was generated before is right where it is proposed, and generated all the same.
    session.reset()
    session.prefill(ids)
    session.propose(events.slice(1..4).map { it.token }.toIntArray())
    equal(text, session.generate())
    session.undo(12)
    session.accept(events[0].token)
    equal(events[0].bytes.toList(), session.event().bytes.toList())

    session.reset()
    session.cancel()
    fails(Status.CANCELLED, "") { session.prefill(ids) }
    val number = session.callNumber
    session.prefill(ids)
    session.cancelCall(number) // it is over: nothing happens
    equal(number + 1, session.callNumber)
    session.cancelCall(number + 1)
    fails(Status.CANCELLED, "") { session.next() }
    fails(Status.INVALID_ARGUMENT, "") { session.cancelCall(number + 3) }
    session.reset()
    fork.reset()
    session.append(ids)
    fork.append(ids)
    val texts = arrayOf("", "")
    repeat(12) {
        engine.step(listOf(session, fork))
        texts[0] += session.event().text
        texts[1] += fork.event().text
    }
    equal(listOf(text, text), texts.toList())
    equal(2, engine.stats.sessionsOpen)

    val stopped = SessionOptions().apply { temperature = 0f; maxTokens = 12; stop = listOf(text.substring(4, 8)) }
    engine.session(stopped).use {
        it.prefill(ids)
        equal(text.substring(0, 4), it.generate())
    }
    val sampled = Model.open(System.getenv("RONDO_TEST_RECOMMENDING")).use { it.engine(few) }.session(
        SessionOptions().apply { maxTokens = 12 })
    sampled.prefill(ids)
    equal(false, text == sampled.generate())
    val biased = SessionOptions().apply { logitBias = mapOf(events[0].token to Float.NEGATIVE_INFINITY) }
    engine.session(biased).use {
        it.prefill(ids)
        equal(false, it.next().token == events[0].token)
    }
    model.engine(EngineOptions().apply { profileEvents = 1000; kernels = "scalar" }).use { recorded ->
        recorded.session().use { it.prefill(ids) }
        val cursor = LongArray(1)
        val parts = mutableSetOf<String>()
        while (true) parts += (recorded.profile(cursor) ?: break).name
        equal(true, "pass" in parts)
        equal("scalar", recorded.memory.kernels)
    }

    grammars(model, engine, ids)
    rulesAndThoughts(model, engine, ids)
    Model.open(System.getenv("RONDO_TEST_CALLING")).use { answers(it) }
    cpus(model)
    adapters(model, ids)
    inputs(model, ids)
    blindness(model, engine, ids)
    Model.open(System.getenv("RONDO_TEST_SEEING")).use { seeing(it) }
    embedding(model, engine)
    scores()

    val chat = Chat("""[{"role": "user", "content": "Grüße 🙂"}]""")
    fails(Status.UNSUPPORTED, "") { model.renderChat(chat) }
    chat.template = "{{ messages[0].content }}{{ tail }}"
    chat.variables = """{"tail": "!"}"""
    equal("Grüße 🙂!", model.renderChat(chat))
    equal(model.tokenize("Grüße 🙂!", addSpecial = false).toList(), model.chatIds(chat).toList())
    fork.reset()
    fork.prefill(model.chatIds(chat))
    equal(fork.generate(), session.chat(chat).joinToString("") { it.text })

    // A file in memory, and a part of an open one.
    RandomAccessFile(File(path), "r").use { file ->
        val mapped = file.channel.map(FileChannel.MapMode.READ_ONLY, 0, file.length())
        Model.open(mapped).use { equal(2048, it.info.vocabSize) }
    }
    fails(Status.IO_ERROR, "absent.rondo") { Model.open("absent.rondo") }
    fails(Status.IO_ERROR, "") { Model.open(-1, 0, 64) }
    fails(Status.INVALID_ARGUMENT, "2048") { session.prefill(intArrayOf(2048)) }
    fails(Status.CONTEXT_FULL, "") { session.prefill(IntArray(257) { 3 }) }
    model.close() // in any order
    engine.close()
    session.close()
    closed { session.next() }
    println("1 passed, 0 failed")
}
