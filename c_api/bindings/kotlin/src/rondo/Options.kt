package rondo

/** rondo_engine_options; null: the library's default. */
class EngineOptions {
    // generated from here: engine options
    /** Tokens that a session can see. At most 2^24; default 0: the model's context_length. */
    var context: Int? = null
    /** Sessions open at once, each with a context of its own. 1 to 64; default 1. */
    var maxSessions: Int? = null
    /** Tokens of one pass of a prefill. 1 to 8192; default 256. */
    var maxRows: Int? = null
    /** Threads that compute, the caller's among them. At most 256; default 0: the performance cores, as far
     * as the system tells, of those that this process may run on. */
    var threads: Int? = null
    /** What happens when a session's context is full. One of one of [Policy]; default [Policy].STOP. */
    var contextPolicy: Int? = null
    /** Under SLIDE the first tokens, which stay; in whole blocks. Default 0. */
    var sinkTokens: Int? = null
    /** How the KV cache holds keys and values. One of one of [Kv]; default [Kv].INT8. */
    var kvFormat: Int? = null
    /** The name of a kernel set. Default: the best for this CPU, of those that read a packed file where it
     * has some. */
    var kernels: String? = null
    /** Tokens that the KV pool holds, of all sessions together, in whole blocks. At most 2^30; default 0:
     * enough for the context of every session. */
    var kvTokens: Int? = null
    /** Most tokens of a pass while some session decodes, those of drafts included. At most 8192; default 0:
     * maxRows, the most that there may be. */
    var rowsPerStep: Int? = null
    /** True: nothing is kept for later sessions. */
    var noPrefixCache = false
    /** Events that the engine's profile remembers, in the arena, 56 bytes each. At most 2^20; default 0:
     * nothing is recorded. */
    var profileEvents: Int? = null
    /** The largest share of the time that passes may take. At most 100; default 0: 100. */
    var dutyPercent: Int? = null
    /** True: the draft head in the model's file (`rondo convert --mtp`) runs behind every pass and drafts
     * for sessions of [Speculation].DRAFT_HEAD. */
    var draftHead = false
    /** To which CPUs the threads that the engine starts are kept. One of one of [Affinity]; default
     * [Affinity].SYSTEM. */
    var affinity: Int? = null
    /** The largest rank of adapters that sessions may be given. At most 1024; default 0: none may. */
    var adapterRank: Int? = null
    /** Rows of inputs that sessions may hold together (rondo_session_append_inputs). At most 2^20; default
     * 0: sessions have tokens only. */
    var maxInputRows: Int? = null
    /** Rows of pictures that may be there at the same time (rondo_media_create). At most 2^20; default 0:
     * pictures are refused, and all of that takes nothing. */
    var maxMediaRows: Int? = null
    // generated to here
    /** A small model of the same vocabulary, for sessions of [Speculation].DRAFT_MODEL. */
    var draft: Model? = null
    /** The CPUs of [Affinity].CPUS, which is meant where some are named and nothing else is said, as
     * the system counts them. */
    var cpus: List<Int> = emptyList()

    internal fun fields() = Fields().also {
        // generated from here: engine options said
        it.set("context", context)
        it.set("max_sessions", maxSessions)
        it.set("max_rows", maxRows)
        it.set("threads", threads)
        it.set("context_policy", contextPolicy)
        it.set("sink_tokens", sinkTokens)
        it.set("kv_format", kvFormat)
        it.set("kv_tokens", kvTokens)
        it.set("rows_per_step", rowsPerStep)
        it.set("no_prefix_cache", noPrefixCache)
        it.set("profile_events", profileEvents)
        it.set("duty_percent", dutyPercent)
        it.set("draft_head", draftHead)
        it.set("affinity", affinity)
        it.set("adapter_rank", adapterRank)
        it.set("max_input_rows", maxInputRows)
        it.set("max_media_rows", maxMediaRows)
        // generated to here
        if (affinity == null && cpus.isNotEmpty()) it.set("affinity", Affinity.CPUS)
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
    // generated from here: session options
    /** Divides the logits before the draw. 0 or more; default 0: the most likely token; of equals, the
     * lowest id. */
    var temperature: Float? = null
    /** Keep the k most likely. 0 or more; default 0: off. */
    var topK: Int? = null
    /** Keep the fewest that together reach this share. Above 0, at most 1; default 1: off. */
    var topP: Float? = null
    /** Keep those of at least this share of the best's probability. From 0, below 1; default 0: off. */
    var minP: Float? = null
    /** Divides positive and multiplies negative logits. Above 0; default 1: off. */
    var repetitionPenalty: Float? = null
    /** Subtracted once from the logit of each token seen. Default 0. */
    var presencePenalty: Float? = null
    /** Subtracted for each time that it was seen. Default 0. */
    var frequencyPenalty: Float? = null
    /** Last tokens that penalties look at. 0 to 4096; default 64. */
    var penaltyLastN: Int? = null
    /** True: end tokens are tokens like others, but that a grammar's text has none that it does not name.
     * */
    var ignoreEos = false
    /** True: events tell log-probabilities. */
    var logprobs = false
    /** N: no n tokens are generated that follow each other in the last 4096 tokens of the sequence, prompt
     * included. At most 256; default 0: off. */
    var noRepeatNgramSize: Int? = null
    /** Equal ones give equal draws. Default 0. */
    var seed: Long? = null
    /** Tokens generated after each prefill. Default 0: no limit. */
    var maxTokens: Long? = null
    /** Where drafts come from. One of one of [Speculation]; default [Speculation].NONE. */
    var speculation: Int? = null
    /** Drafts that one pass verifies; less than maxRows. At most 7; default 0: as many as there may be. */
    var maxDrafts: Int? = null
    /** Where the grammar begins. One of one of [GrammarBegin]; default [GrammarBegin].AT_ONCE. */
    var grammarBegin: Int? = null
    /** The token of [GrammarBegin].AFTER_TOKEN. 0 or more; default 0. */
    var grammarToken: Int? = null
    /** True: where the grammar's text is whole the generation goes on without it, with AFTER_TOKEN up to
     * the next grammarToken; an end token ends it as ever. */
    var grammarGoesOn = false
    /** True: thoughts are told from the rest; the text of a grammar has none. */
    var thinking = false
    /** What begins a thought. Default: as the model's chat template has it; refused where it has none. */
    var thinkingBegin: String? = null
    /** What ends a thought, with the white space that Rondo writes. Default: as the model's chat template
     * has it. */
    var thinkingEnd: String? = null
    /** Of a thought: where it has so many, and a whole character, it is ended by the tokens of thinkingEnd,
     * whatever the model would say. Default 0: no limit. */
    var thinkingTokens: Long? = null
    // generated to here
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

    internal fun fields() = Fields().also {
        // generated from here: session options said
        it.set("temperature", temperature)
        it.set("top_k", topK)
        it.set("top_p", topP)
        it.set("min_p", minP)
        it.set("repetition_penalty", repetitionPenalty)
        it.set("presence_penalty", presencePenalty)
        it.set("frequency_penalty", frequencyPenalty)
        it.set("penalty_last_n", penaltyLastN)
        it.set("ignore_eos", ignoreEos)
        it.set("logprobs", logprobs)
        it.set("no_repeat_ngram_size", noRepeatNgramSize)
        it.set("seed", seed)
        it.set("max_tokens", maxTokens)
        it.set("speculation", speculation)
        it.set("max_drafts", maxDrafts)
        it.set("grammar_begin", grammarBegin)
        it.set("grammar_token", grammarToken)
        it.set("grammar_goes_on", grammarGoesOn)
        it.set("thinking", thinking)
        it.set("thinking_tokens", thinkingTokens)
        // generated to here
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
