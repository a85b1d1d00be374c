import rondo.*

fun main(arguments: Array<String>) {
    Model.open(arguments[0]).use { model ->
        model.engine(EngineOptions().apply { context = 512 }).use { engine ->
            engine.session(SessionOptions().apply { maxTokens = 64 }).use { session ->
                session.prefill(model.tokenize(arguments[1]))
                for (event in session.stream()) print(event.text)
                println()
            }
        }
    }
}
