import rondo.Model
import rondo.kotlin.engineOptions
import rondo.kotlin.sessionOptions

/** Generate MODEL PROMPT: writes what the model says next. */
fun main(arguments: Array<String>) {
    // shown from here
    Model.open(arguments[0]).use { model ->
        model.engine(engineOptions(context = 512)).use { engine ->
            engine.session(sessionOptions(maxTokens = 64, stop = listOf("\n"))).use { session ->
                for (event in session.events(arguments[1])) print(event.text())
                println()
            }
        }
    }
    // shown to here
}
