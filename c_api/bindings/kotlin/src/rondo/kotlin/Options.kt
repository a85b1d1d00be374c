// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo.kotlin

import java.util.concurrent.Executor
import rondo.*

/** Of blocks that say options: inside of one, no other's are said. */
@DslMarker
annotation class RondoDsl

/** What differs from the defaults of [EngineOptions]; null: nothing is said. */
@RondoDsl
class EngineSettings internal constructor() {
    /** Tokens that a session can see. At most 2^24; default 0: the model's context_length. */
    var context: Int? = null
    /** Sessions open at once, each with a context of its own. 1 to 64; default 1. */
    var maxSessions: Int? = null
    /** Tokens of one pass of a prefill. 1 to 8192; default 256. */
    var maxRows: Int? = null
    /** Threads that compute, the caller's among them. At most 256; default 0: the performance
     * cores, as far as the system tells, of those that this process may run on. */
    var threads: Int? = null
    /** What happens when a session's context is full. One of Policy; default Policy.STOP. */
    var contextPolicy: Policy? = null
    /** Under SLIDE the first tokens, which stay; in whole blocks. Default 0. */
    var sinkTokens: Int? = null
    /** How the KV cache holds keys and values. One of Kv; default Kv.INT8. */
    var kvFormat: Kv? = null
    /** The name of a kernel set. Default: the best for this CPU, of those that read a packed file
     * where it has some. */
    var kernels: String? = null
    /** Tokens that the KV pool holds, of all sessions together, in whole blocks. At most 2^30;
     * default 0: enough for the context of every session. */
    var kvTokens: Int? = null
    /** Most tokens of a pass while some session decodes, those of drafts included. At most 8192;
     * default 0: maxRows, the most that there may be. */
    var rowsPerStep: Int? = null
    /** True: nothing is kept for later sessions. */
    var noPrefixCache: Boolean? = null
    /** Events that the engine's profile remembers, in the arena, 56 bytes each. At most 2^20;
     * default 0: nothing is recorded. */
    var profileEvents: Int? = null
    /** Messages of this level and those above it are told. One of Log; default Log.WARNING. */
    var logLevel: Log? = null
    /** The largest share of the time that passes may take. At most 100; default 0: 100. */
    var dutyPercent: Int? = null
    /** True: the draft head in the model's file (`rondo convert --mtp`) runs behind every pass and
     * drafts for sessions of Speculation.DRAFT_HEAD. */
    var draftHead: Boolean? = null
    /** To which CPUs the threads that the engine starts are kept. One of Affinity; default
     * Affinity.SYSTEM. */
    var affinity: Affinity? = null
    /** The largest rank of adapters that sessions may be given. At most 1024; default 0: none may.
     * */
    var adapterRank: Int? = null
    /** Rows of inputs that sessions may hold together (rondo_session_append_inputs). At most 2^20;
     * default 0: sessions have tokens only. */
    var maxInputRows: Int? = null
    /** Rows of pictures that may be there at the same time (rondo_media_create). At most 2^20;
     * default 0: pictures are refused, and all of that takes nothing. */
    var maxMediaRows: Int? = null
    /** A small model of the same vocabulary that drafts, or an assistant of this one. */
    var draft: Model? = null
    /** Affinity.CPUS with these, as the system counts them. */
    var cpus: IntArray? = null
    /** Told how far the engine is, of how much; false cancels. */
    var progress: ((Long, Long) -> Boolean)? = null
    /** Told of what happens to the engine, by logLevel. */
    var log: ((Log, String) -> Unit)? = null
    /** Computes in place of threads of the engine's own. */
    var executor: Executor? = null

    internal fun options(): EngineOptions {
        val to = EngineOptions.builder()
        context?.let { to.context(it) }
        maxSessions?.let { to.maxSessions(it) }
        maxRows?.let { to.maxRows(it) }
        threads?.let { to.threads(it) }
        contextPolicy?.let { to.contextPolicy(it) }
        sinkTokens?.let { to.sinkTokens(it) }
        kvFormat?.let { to.kvFormat(it) }
        kernels?.let { to.kernels(it) }
        kvTokens?.let { to.kvTokens(it) }
        rowsPerStep?.let { to.rowsPerStep(it) }
        noPrefixCache?.let { to.noPrefixCache(it) }
        profileEvents?.let { to.profileEvents(it) }
        logLevel?.let { to.logLevel(it) }
        dutyPercent?.let { to.dutyPercent(it) }
        draftHead?.let { to.draftHead(it) }
        affinity?.let { to.affinity(it) }
        adapterRank?.let { to.adapterRank(it) }
        maxInputRows?.let { to.maxInputRows(it) }
        maxMediaRows?.let { to.maxMediaRows(it) }
        draft?.let { to.draft(it) }
        cpus?.let { to.cpus(*it) }
        progress?.let { to.progress { done, total -> it(done, total) } }
        log?.let { to.log { level, text -> it(level, text) } }
        executor?.let { to.executor(it) }
        return to.build()
    }
}

/** [EngineOptions] by the names of options, in a block, or both: see [EngineSettings]. */
fun engineOptions(
    context: Int? = null,
    maxSessions: Int? = null,
    maxRows: Int? = null,
    threads: Int? = null,
    contextPolicy: Policy? = null,
    sinkTokens: Int? = null,
    kvFormat: Kv? = null,
    kernels: String? = null,
    kvTokens: Int? = null,
    rowsPerStep: Int? = null,
    noPrefixCache: Boolean? = null,
    profileEvents: Int? = null,
    logLevel: Log? = null,
    dutyPercent: Int? = null,
    draftHead: Boolean? = null,
    affinity: Affinity? = null,
    adapterRank: Int? = null,
    maxInputRows: Int? = null,
    maxMediaRows: Int? = null,
    draft: Model? = null,
    cpus: IntArray? = null,
    progress: ((Long, Long) -> Boolean)? = null,
    log: ((Log, String) -> Unit)? = null,
    executor: Executor? = null,
    block: EngineSettings.() -> Unit = {}
): EngineOptions {
    val settings = EngineSettings()
    settings.context = context
    settings.maxSessions = maxSessions
    settings.maxRows = maxRows
    settings.threads = threads
    settings.contextPolicy = contextPolicy
    settings.sinkTokens = sinkTokens
    settings.kvFormat = kvFormat
    settings.kernels = kernels
    settings.kvTokens = kvTokens
    settings.rowsPerStep = rowsPerStep
    settings.noPrefixCache = noPrefixCache
    settings.profileEvents = profileEvents
    settings.logLevel = logLevel
    settings.dutyPercent = dutyPercent
    settings.draftHead = draftHead
    settings.affinity = affinity
    settings.adapterRank = adapterRank
    settings.maxInputRows = maxInputRows
    settings.maxMediaRows = maxMediaRows
    settings.draft = draft
    settings.cpus = cpus
    settings.progress = progress
    settings.log = log
    settings.executor = executor
    settings.block()
    return settings.options()
}

/** What differs from the defaults of [SessionOptions]; null: nothing is said. */
@RondoDsl
class SessionSettings internal constructor() {
    /** Divides the logits before the draw. 0 or more; default 0: the most likely token; of equals,
     * the lowest id. */
    var temperature: Number? = null
    /** Keep the k most likely. 0 or more; default 0: off. */
    var topK: Int? = null
    /** Keep the fewest that together reach this share. Above 0, at most 1; default 1: off. */
    var topP: Number? = null
    /** Keep those of at least this share of the best's probability. From 0, below 1; default 0:
     * off. */
    var minP: Number? = null
    /** Divides positive and multiplies negative logits. Above 0; default 1: off. */
    var repetitionPenalty: Number? = null
    /** Subtracted once from the logit of each token seen. Default 0. */
    var presencePenalty: Number? = null
    /** Subtracted for each time that it was seen. Default 0. */
    var frequencyPenalty: Number? = null
    /** Last tokens that penalties look at. 0 to 4096; default 64. */
    var penaltyLastN: Int? = null
    /** True: end tokens are tokens like others, but that a grammar's text has none that it does not
     * name. */
    var ignoreEos: Boolean? = null
    /** True: events tell log-probabilities. */
    var logprobs: Boolean? = null
    /** N: no n tokens are generated that follow each other in the last 4096 tokens of the sequence,
     * prompt included. At most 256; default 0: off. */
    var noRepeatNgramSize: Int? = null
    /** Equal ones give equal draws. Default 0. */
    var seed: Long? = null
    /** Tokens generated after each prefill. Default 0: no limit. */
    var maxTokens: Long? = null
    /** Where drafts come from. One of Speculation; default Speculation.NONE. */
    var speculation: Speculation? = null
    /** Drafts that one pass verifies; less than maxRows. At most 7; default 0: as many as there may
     * be. */
    var maxDrafts: Int? = null
    /** Where the grammar begins. One of GrammarBegin; default GrammarBegin.AT_ONCE. */
    var grammarBegin: GrammarBegin? = null
    /** The token of GrammarBegin.AFTER_TOKEN. 0 or more; default 0. */
    var grammarToken: Int? = null
    /** True: where the grammar's text is whole the generation goes on without it, with AFTER_TOKEN
     * up to the next grammarToken; an end token ends it as ever. */
    var grammarGoesOn: Boolean? = null
    /** True: thoughts are told from the rest; the text of a grammar has none. */
    var thinking: Boolean? = null
    /** Of a thought: where it has so many, and a whole character, it is ended by the tokens of
     * thinkingEnd, whatever the model would say. Default 0: no limit. */
    var thinkingTokens: Long? = null
    /** False: what the model's makers recommend is not followed. */
    var recommended: Boolean? = null
    /** Texts that end a generation, which ends before them. */
    var stop: List<String>? = null
    /** What is added to a token's logit, by its id. */
    var logitBias: Map<Int, Float>? = null
    /** What is added to the model, where adapterRank has room for it. */
    var adapter: Adapter? = null
    /** What each generation must be a text of. */
    var grammar: Grammar? = null
    /** In its place a JSON Schema, as JSON. */
    var jsonSchema: String? = null
    /** The texts around a thought. */
    var thinkingTexts: Pair<String, String>? = null

    internal fun options(): SessionOptions {
        val to = SessionOptions.builder()
        temperature?.let { to.temperature(it.toDouble()) }
        topK?.let { to.topK(it) }
        topP?.let { to.topP(it.toDouble()) }
        minP?.let { to.minP(it.toDouble()) }
        repetitionPenalty?.let { to.repetitionPenalty(it.toDouble()) }
        presencePenalty?.let { to.presencePenalty(it.toDouble()) }
        frequencyPenalty?.let { to.frequencyPenalty(it.toDouble()) }
        penaltyLastN?.let { to.penaltyLastN(it) }
        ignoreEos?.let { to.ignoreEos(it) }
        logprobs?.let { to.logprobs(it) }
        noRepeatNgramSize?.let { to.noRepeatNgramSize(it) }
        seed?.let { to.seed(it) }
        maxTokens?.let { to.maxTokens(it) }
        speculation?.let { to.speculation(it) }
        maxDrafts?.let { to.maxDrafts(it) }
        grammarBegin?.let { to.grammarBegin(it) }
        grammarToken?.let { to.grammarToken(it) }
        grammarGoesOn?.let { to.grammarGoesOn(it) }
        thinking?.let { to.thinking(it) }
        thinkingTokens?.let { to.thinkingTokens(it) }
        recommended?.let { to.recommended(it) }
        stop?.let { to.stop(it) }
        logitBias?.let { to.logitBias(it) }
        adapter?.let { to.adapter(it) }
        grammar?.let { to.grammar(it) }
        jsonSchema?.let { to.jsonSchema(it) }
        thinkingTexts?.let { to.thinkingTexts(it.first, it.second) }
        return to.build()
    }
}

/** [SessionOptions] by the names of options, in a block, or both: see [SessionSettings]. */
fun sessionOptions(
    temperature: Number? = null,
    topK: Int? = null,
    topP: Number? = null,
    minP: Number? = null,
    repetitionPenalty: Number? = null,
    presencePenalty: Number? = null,
    frequencyPenalty: Number? = null,
    penaltyLastN: Int? = null,
    ignoreEos: Boolean? = null,
    logprobs: Boolean? = null,
    noRepeatNgramSize: Int? = null,
    seed: Long? = null,
    maxTokens: Long? = null,
    speculation: Speculation? = null,
    maxDrafts: Int? = null,
    grammarBegin: GrammarBegin? = null,
    grammarToken: Int? = null,
    grammarGoesOn: Boolean? = null,
    thinking: Boolean? = null,
    thinkingTokens: Long? = null,
    recommended: Boolean? = null,
    stop: List<String>? = null,
    logitBias: Map<Int, Float>? = null,
    adapter: Adapter? = null,
    grammar: Grammar? = null,
    jsonSchema: String? = null,
    thinkingTexts: Pair<String, String>? = null,
    block: SessionSettings.() -> Unit = {}
): SessionOptions {
    val settings = SessionSettings()
    settings.temperature = temperature
    settings.topK = topK
    settings.topP = topP
    settings.minP = minP
    settings.repetitionPenalty = repetitionPenalty
    settings.presencePenalty = presencePenalty
    settings.frequencyPenalty = frequencyPenalty
    settings.penaltyLastN = penaltyLastN
    settings.ignoreEos = ignoreEos
    settings.logprobs = logprobs
    settings.noRepeatNgramSize = noRepeatNgramSize
    settings.seed = seed
    settings.maxTokens = maxTokens
    settings.speculation = speculation
    settings.maxDrafts = maxDrafts
    settings.grammarBegin = grammarBegin
    settings.grammarToken = grammarToken
    settings.grammarGoesOn = grammarGoesOn
    settings.thinking = thinking
    settings.thinkingTokens = thinkingTokens
    settings.recommended = recommended
    settings.stop = stop
    settings.logitBias = logitBias
    settings.adapter = adapter
    settings.grammar = grammar
    settings.jsonSchema = jsonSchema
    settings.thinkingTexts = thinkingTexts
    settings.block()
    return settings.options()
}
