package rondo

/** What a conversation is rendered from. Texts are JSON, but for the template. */
class Chat(
    /** [{"role": "user", "content": "Hello!"}, ...] */
    val messages: String
) {
    var tools: String? = null
    var variables: String? = null
    /** Jinja, in place of the model's own. */
    var template: String? = null
    var templateName: String? = null
    /** Of [ChatFlags]. */
    var flags = ChatFlags.ADD_GENERATION_PROMPT
    /** ChatFlags.PLAIN_CONTENT, beside [flags]. False: special tokens' texts in messages become these
     * tokens. */
    var plainContent = true
    /** What the clock on the wall shows, in seconds since 1970; null: the template has no time. */
    var localTime: Long? = null

    internal fun <T> with(
        use: (names: Array<ByteArray>, values: LongArray, texts: Array<ByteArray?>) -> T
    ): T = fields().let { use(it.names(), it.values(), texts()) }

    private fun fields() = Fields().also {
        it.set("flags", if (plainContent) flags or ChatFlags.PLAIN_CONTENT else flags)
        it.set("local_time", localTime)
    }

    private fun texts() =
        arrayOf(messages, tools, variables, template, templateName).map { it?.utf8() }.toTypedArray()
}

/** A piece of an answer. */
sealed class ChatPart {
    /** A piece of the answer itself. */
    data class Content(val text: String) : ChatPart()
    /** A piece of a thought. */
    data class Thinking(val text: String) : ChatPart()
    /** A call begins: its number from 0, the function's name, and the id that the model gave it; empty where
     * it writes none. */
    data class Call(val call: Long, val name: String, val id: String) : ChatPart()
    /** A piece of the arguments of this call. */
    data class Arguments(val call: Long, val text: String) : ChatPart()
    /** The call is whole; its arguments are JSON. */
    data class CallEnd(val call: Long, val name: String, val id: String, val arguments: String) : ChatPart()
    /** Of a newer library. */
    data class Other(val kind: Int, val text: String) : ChatPart()
}

/** Takes an answer as it comes, cut anywhere, and hands out its parts. One call at a time. */
class ChatParser internal constructor(handle: Long) : Handle(handle, { Native.closeParser(it) }) {
    private var name = ""
    private var id = ""
    private val arguments = StringBuilder()

    /** The answer's next bytes, those of events. last: there are no more behind them. */
    fun push(bytes: ByteArray, last: Boolean = false) = with { Native.push(it, bytes, last) }

    /** What was not handed out yet, as far as it is known what it is. */
    fun parts(): List<ChatPart> = with { parser ->
        val parts = mutableListOf<ChatPart>()
        val texts = arrayOfNulls<ByteArray>(3)
        while (true) {
            val (kind, call) = Native.part(parser, texts)
            if (kind.toInt() == ChatPartKind.NONE) break
            parts += told(kind.toInt(), call, texts.map { it!!.utf8() })
        }
        parts
    }

    private fun told(kind: Int, call: Long, texts: List<String>): ChatPart {
        val text = texts[0]
        when (kind) {
            ChatPartKind.CONTENT -> return ChatPart.Content(text)
            ChatPartKind.THINKING -> return ChatPart.Thinking(text)
            ChatPartKind.CALL -> {
                name = texts[1]
                id = texts[2]
                arguments.setLength(0)
                return ChatPart.Call(call, name, id)
            }
            ChatPartKind.ARGUMENTS -> {
                arguments.append(text)
                return ChatPart.Arguments(call, text)
            }
            ChatPartKind.CALL_END -> return ChatPart.CallEnd(call, name, id, arguments.toString())
        }
        return ChatPart.Other(kind, text)
    }

    /** As it was made, for another answer. */
    fun reset() = with { Native.resetParser(it) }

    /** What an event of the answer brings. */
    internal fun take(event: Event): List<ChatPart> {
        val said = if (event.reason == Reason.EOS) ByteArray(0) else event.bytes
        push(said, event.reason != Reason.NONE)
        return parts()
    }
}
