// Which text is nearest to a question: java SearchKt embedder.rondo "question" "text"...
import rondo.*

fun main(arguments: Array<String>) {
    val question = arguments[1]
    val texts = arguments.drop(2)
    // shown from here
    val model = Model.open(arguments[0])
    val engine = model.engine(EngineOptions().apply { maxSessions = 2 })
    val sessions = List(2) { engine.session() }
    fun read(text: String, prompt: String) = model.tokenize(model.embeddingText(text, prompt))
    val asked = sessions[0].embed(read(question, "query"))
    val found = engine.embed(sessions, texts.map { read(it, "document") })
    fun similar(vector: FloatArray) = vector.zip(asked) { x, y -> x * y }.sum()
    println(texts[texts.indices.sortedBy { similar(found[it]) }.last()])
    // shown to here
}
