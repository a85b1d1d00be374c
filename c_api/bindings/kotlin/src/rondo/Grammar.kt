package rondo

/** rondo_grammar_options; null: the library's default. Those before memoryBytes are of JSON Schema alone. */
class GrammarOptions {
    /** No spaces between the parts of a text. */
    var noSpaces = false
    /** One space behind each colon and comma and nowhere else, as chat templates write JSON. */
    var oneSpace = false
    /** Members come in any order; else as the schema has them. */
    var anyOrder = false
    /** No members that the schema does not name, unless it says that there may be. */
    var namedOnly = false
    /** For what the grammar is made of. */
    var memoryBytes: Long? = null

    internal fun fields(kind: Int) = Fields().also {
        it.set("kind", kind)
        it.set("flags", (if (noSpaces) SchemaFlags.NO_SPACES else 0) or
            (if (oneSpace) SchemaFlags.ONE_SPACE else 0) or (if (anyOrder) SchemaFlags.ANY_ORDER else 0) or
            (if (namedOnly) SchemaFlags.NAMED_ONLY else 0))
        it.set("memory_bytes", memoryBytes)
    }
}

/** What generations may say. Made by [Model.grammar]. Any number of sessions share it, on any thread; they
 * keep what they need of it when it is closed. */
class Grammar private constructor(handle: Long) : Handle(handle, { Native.closeGrammar(it) }) {
    internal companion object {
        fun create(model: Long, kind: Int, text: String, options: GrammarOptions): Grammar {
            val fields = options.fields(kind)
            return Grammar(Native.createGrammar(model, fields.names(), fields.values(), text.utf8()))
        }

        fun plan(model: Long, kind: Int, text: String, options: GrammarOptions): Long {
            val fields = options.fields(kind)
            return Native.planGrammar(model, fields.names(), fields.values(), text.utf8().size.toLong())
        }
    }
}
