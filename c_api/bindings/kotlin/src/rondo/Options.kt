package rondo

/** rondo_engine_options; null: the library's default. */
class EngineOptions {
    var context: Int? = null
    var maxSessions: Int? = null
    var maxRows: Int? = null
    var threads: Int? = null
    /** One of [Policy]. */
    var contextPolicy: Int? = null
    var sinkTokens: Int? = null
    /** One of [Kv]. */
    var kvFormat: Int? = null
    var kvTokens: Int? = null
    var rowsPerStep: Int? = null
    var profileEvents: Int? = null
    var dutyPercent: Int? = null
    var noPrefixCache = false
    /** That of the model's file, for sessions of [Speculation].DRAFT_HEAD. */
    var draftHead = false
    var kernels: String? = null
    /** A small model of the same vocabulary, for sessions of [Speculation].DRAFT_MODEL. */
    var draft: Model? = null
    /** The largest of adapters that sessions may be given. */
    var adapterRank: Int? = null
    /** Rows of inputs ([Session.appendInputs]) that sessions may hold together. */
    var maxInputRows: Int? = null
    /** One of [Affinity]: which CPUs the engine's own threads run on; CPUS where [cpus] has some. */
    var affinity: Int? = null
    /** Their numbers, as the system counts them. */
    var cpus: List<Int> = emptyList()

    internal fun fields() = Fields().also {
        it.set("context", context)
        it.set("max_sessions", maxSessions)
        it.set("max_rows", maxRows)
        it.set("threads", threads)
        it.set("context_policy", contextPolicy)
        it.set("sink_tokens", sinkTokens)
        it.set("kv_format", kvFormat)
        it.set("kv_tokens", kvTokens)
        it.set("rows_per_step", rowsPerStep)
        it.set("profile_events", profileEvents)
        it.set("duty_percent", dutyPercent)
        it.set("no_prefix_cache", noPrefixCache)
        it.set("draft_head", draftHead)
        it.set("adapter_rank", adapterRank)
        it.set("max_input_rows", maxInputRows)
        it.set("affinity", affinity ?: if (cpus.isEmpty()) null else Affinity.CPUS)
    }

    internal fun <T> with(
        use: (
            names: Array<ByteArray>, values: LongArray, kernels: ByteArray?, draft: Long, cpus: IntArray
        ) -> T
    ): T {
        val fields = fields()
        fun with(draft: Long) =
            use(fields.names(), fields.values(), kernels?.utf8(), draft, cpus.toIntArray())
        val small = draft ?: return with(0)
        return small.with { with(it) }
    }
}

/** rondo_session_options; null: what the model's makers recommend, or the library's default. */
class SessionOptions {
    /** False: sampling begins with the library's defaults. */
    var recommended = true
    var temperature: Float? = null
    var topK: Int? = null
    var topP: Float? = null
    var minP: Float? = null
    var repetitionPenalty: Float? = null
    var presencePenalty: Float? = null
    var frequencyPenalty: Float? = null
    var penaltyLastN: Int? = null
    var noRepeatNgramSize: Int? = null
    var ignoreEos = false
    var logprobs = false
    var seed: Long? = null
    var maxTokens: Long? = null
    /** One of [Speculation]. */
    var speculation: Int? = null
    var maxDrafts: Int? = null
    /** Strings that end a generation. */
    var stop: List<String> = emptyList()
    /** What is added to a token's logit, by its id. */
    var logitBias: Map<Int, Float> = emptyMap()
    /** Of [Model.adapter], where the engine's adapterRank has room for it. A fork has its source's. */
    var adapter: Adapter? = null
    /** What each generation must be a text of. */
    var grammar: Grammar? = null
    /** In its place a JSON Schema, of which the session makes a grammar of its own, with oneSpace and
     * namedOnly: JSON as people write it. Of the whole schema [Model.grammar] makes one. */
    var jsonSchema: String? = null
    /** One of [GrammarBegin]. */
    var grammarBegin: Int? = null
    var grammarToken: Int? = null
    var grammarGoesOn = false
    /** Events tell thoughts from the rest. */
    var thinking = false
    /** Null for both: what the model's chat template puts around a thought. */
    var thinkingBegin: String? = null
    var thinkingEnd: String? = null
    /** At most so many of a thought. */
    var thinkingTokens: Long? = null

    internal fun fields() = Fields().also {
        it.set("temperature", temperature)
        it.set("top_k", topK)
        it.set("top_p", topP)
        it.set("min_p", minP)
        it.set("repetition_penalty", repetitionPenalty)
        it.set("presence_penalty", presencePenalty)
        it.set("frequency_penalty", frequencyPenalty)
        it.set("penalty_last_n", penaltyLastN)
        it.set("no_repeat_ngram_size", noRepeatNgramSize)
        it.set("ignore_eos", ignoreEos)
        it.set("logprobs", logprobs)
        it.set("seed", seed)
        it.set("max_tokens", maxTokens)
        it.set("speculation", speculation)
        it.set("max_drafts", maxDrafts)
        it.set("grammar_begin", grammarBegin)
        it.set("grammar_token", grammarToken)
        it.set("grammar_goes_on", grammarGoesOn)
        it.set("thinking", thinking)
        it.set("thinking_tokens", thinkingTokens)
    }

    /** 0: none. */
    internal fun <T> withAdapter(use: (Long) -> T): T {
        val given = adapter
        return if (given == null) use(0) else given.with(use)
    }

    /** 0: none. */
    internal fun <T> withGrammar(model: Long, use: (Long) -> T): T {
        val schema = jsonSchema
        val given = grammar
        if (schema == null) return if (given == null) use(0) else given.with(use)
        require(given == null) { "of grammar and jsonSchema one is given" }
        val usual = GrammarOptions().apply { oneSpace = true; namedOnly = true }
        return Grammar.create(model, GrammarKind.JSON_SCHEMA, schema, usual).use { it.with(use) }
    }
}
