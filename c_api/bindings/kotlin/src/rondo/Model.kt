package rondo

import java.nio.ByteBuffer

/** A model file. Immutable; may be used from any thread. */
class Model private constructor(handle: Long, private val buffer: ByteBuffer?) :
    Handle(handle, { Native.closeModel(it) }) {

    companion object {
        /** Opens the file that `rondo convert` made. */
        fun open(path: String) = Model(Native.openPath(path.utf8()), null)

        /** Opens `length` bytes of an open file from `offset`, a multiple of 64: an asset that is stored
         * without compression. The descriptor stays the caller's, and may be closed at once. */
        fun open(descriptor: Int, offset: Long, length: Long) =
            Model(Native.openDescriptor(descriptor, offset, length), null)

        /** Opens bytes in memory, which begin at a multiple of 64 and must not change. */
        fun open(direct: ByteBuffer): Model {
            require(direct.isDirect) { "the buffer is not direct" }
            return Model(Native.openBuffer(direct, direct.capacity().toLong()), direct)
        }
    }

    val info: ModelFacts get() = ModelFacts(with { Native.info(it) })

    /** The tokens that end a generation. */
    val eosTokens: IntArray
        get() = IntArray(info.nEosTokens) { index -> with { Native.eosToken(it, index) } }

    /** What the file's maker wrote about it. */
    val facts: Map<String, String>
        get() {
            val more = names { index -> with { Native.factKey(it, index) } }
            return (listOf("name", "architecture", "producer") + more).associateWith { key ->
                with { Native.fact(it, key.utf8()) }.utf8()
            }
        }

    /** Texts of special tokens become these tokens: check what strangers write. */
    fun tokenize(text: String, addSpecial: Boolean = true): IntArray = with {
        Native.tokenize(it, text.utf8(), if (addSpecial) TokenizeFlags.ADD_SPECIAL else 0)
    }

    fun detokenize(ids: IntArray, skipSpecial: Boolean = false): String = with {
        Native.detokenize(it, ids, if (skipSpecial) DetokenizeFlags.SKIP_SPECIAL else 0).utf8()
    }

    /** The model's own templates, by their names. */
    val chatTemplates: Map<String, String>
        get() = names { index -> with { Native.chatTemplateName(it, index) } }.associateWith { name ->
            with { Native.chatTemplate(it, name.utf8()) }.utf8()
        }

    /** The text of a conversation. */
    fun renderChat(chat: Chat): String = (render(chat, ids = false) as ByteArray).utf8()

    /** The token ids of a conversation. */
    fun chatIds(chat: Chat): IntArray = render(chat, ids = true) as IntArray

    private fun render(chat: Chat, ids: Boolean): Any = with { model ->
        chat.with { names, values, texts -> Native.renderChat(model, names, values, texts, ids) }
    }

    /** Takes answers to this conversation apart; its tools say what may be called. */
    fun chatParser(chat: Chat): ChatParser = with { model ->
        ChatParser(chat.with { names, values, texts -> Native.createParser(model, names, values, texts) })
    }

    /** The GBNF of answers to a conversation whose calls of its tools parse, for [rulesGrammar]. calls: of
     * [Calls]; function: the only one that may be called. */
    fun chatGrammar(chat: Chat, calls: Int = Calls.AUTO, function: String? = null): String =
        with { model ->
            chat.with { names, values, texts ->
                Native.chatGrammar(model, names, values, texts, calls, function?.utf8()).utf8()
            }
        }

    /** What begins and what ends a thought in the template; empty where it has none. */
    fun chatThinking(chat: Chat): Pair<String, String> = with { model ->
        val around = arrayOfNulls<ByteArray>(2)
        chat.with { names, values, texts -> Native.chatThinking(model, names, values, texts, around) }
        Pair(around[0]!!.utf8(), around[1]!!.utf8())
    }

    /** What the model makes of texts; dimensions 0: it predicts tokens instead. */
    val embedder: EmbedderFacts get() = EmbedderFacts(with { Native.embedder(it) })

    /** The names of the prompts that [embeddingText] takes. */
    val prompts: List<String> get() = names { index -> with { Native.promptName(it, index) } }

    /** What the model reads of a text: it behind the prompt of this name; null: the model's usual one, "":
     * none. For [tokenize]. */
    fun embeddingText(text: String, prompt: String? = null): String =
        with { Native.embeddingText(it, prompt?.utf8(), text.utf8()).utf8() }

    /** What a model that scores pairs reads of one. instruction: what makes a document fit, in words; null:
     * the model's usual one. For [tokenize]. */
    fun pairText(query: String, document: String, instruction: String? = null): String =
        with { Native.pairText(it, instruction?.utf8(), query.utf8(), document.utf8()).utf8() }

    /** A LoRA adapter, from the file that `rondo convert --adapter-for` made for this model. */
    fun adapter(path: String): Adapter = with { Adapter.open(it, path) }

    /** The same from bytes in memory, which begin at a multiple of 64 and must not change. */
    fun adapter(direct: ByteBuffer): Adapter = with { Adapter.open(it, direct) }

    /** What sessions may say: JSON that is valid by a schema, which is JSON itself. */
    fun grammar(schema: String, options: GrammarOptions = GrammarOptions()): Grammar =
        with { Grammar.create(it, GrammarKind.JSON_SCHEMA, schema, options) }

    /** The same by a regular expression of ECMA-262, which is the whole text. */
    fun patternGrammar(pattern: String, options: GrammarOptions = GrammarOptions()): Grammar =
        with { Grammar.create(it, GrammarKind.PATTERN, pattern, options) }

    /** The same by rules in GBNF's notation. */
    fun rulesGrammar(gbnf: String, options: GrammarOptions = GrammarOptions()): Grammar =
        with { Grammar.create(it, GrammarKind.GBNF, gbnf, options) }

    /** The bytes that the grammar of this schema takes. */
    fun planGrammar(schema: String, options: GrammarOptions = GrammarOptions()): Long =
        with { Grammar.plan(it, GrammarKind.JSON_SCHEMA, schema, options) }

    /** The bytes that the grammar of this pattern takes. */
    fun planPatternGrammar(pattern: String, options: GrammarOptions = GrammarOptions()): Long =
        with { Grammar.plan(it, GrammarKind.PATTERN, pattern, options) }

    /** The bytes that the grammar of these rules takes. */
    fun planRulesGrammar(gbnf: String, options: GrammarOptions = GrammarOptions()): Long =
        with { Grammar.plan(it, GrammarKind.GBNF, gbnf, options) }

    /** What an engine with these options will take, to the byte. */
    fun plan(options: EngineOptions = EngineOptions()): MemoryPlan = with { model ->
        options.with { names, values, kernels, draft, cpus ->
            record(::MemoryPlan) { Native.plan(model, names, values, kernels, draft, cpus, it) }
        }
    }

    /** What lies where in its arena. */
    fun planRegions(options: EngineOptions = EngineOptions()): List<MemoryRegion> = with { model ->
        List(plan(options).nRegions) { index ->
            options.with { names, values, kernels, draft, cpus ->
                record(::MemoryRegion) {
                    Native.planRegion(model, names, values, kernels, draft, cpus, index, it)
                }
            }
        }
    }

    /** The largest context whose plan fits into so many bytes. */
    fun planFit(bytes: Long, options: EngineOptions = EngineOptions()): Int = with { model ->
        options.with { names, values, kernels, draft, cpus ->
            Native.planFit(model, bytes, names, values, kernels, draft, cpus)
        }
    }

    /** What becomes of a picture of this size, upright, without a pixel and without an engine. */
    fun imagePlan(width: Int, height: Int, options: ImageOptions = ImageOptions()): ImageFacts = with {
        val fields = options.fields()
        ImageFacts(Native.imagePlan(it, width, height, fields.names(), fields.values()))
    }

    /** Makes the model runnable. What `progress` throws comes through. */
    fun engine(options: EngineOptions = EngineOptions(), progress: Progress? = null): Engine =
        with { model ->
            val dimensions = EmbedderFacts(Native.embedder(model)).dimensions
            val hiddenSize = info.hiddenSize
            val engine = options.with { names, values, kernels, draft, cpus ->
                Native.createEngine(model, names, values, kernels, draft, cpus, progress)
            }
            Engine(engine, this, dimensions, hiddenSize, listOf(buffer, options.draft))
        }
}
