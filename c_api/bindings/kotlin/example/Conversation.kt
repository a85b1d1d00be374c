import kotlinx.coroutines.flow.collect
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import rondo.Message
import rondo.Model
import rondo.kotlin.awaitReply
import rondo.kotlin.chatFlow
import rondo.kotlin.chatOf
import rondo.kotlin.engineOptions
import rondo.kotlin.sessionOptions

/** Conversation MODEL: an answer at once, another as it comes, and one that is cancelled. */
fun main(arguments: Array<String>) = runBlocking<Unit> {
    // shown from here
    Model.open(arguments[0]).use { model ->
        model.engine(engineOptions(context = 512)).use { engine ->
            engine.session(sessionOptions { maxTokens = 64 }).use { session ->
                val question = Message.user("How is the weather?")
                val reply = session.awaitReply(Message.system("Be brief."), question)
                println("${reply.text()} (${reply.reason()})")

                val more = chatOf(question, reply.message(), Message.user("And tomorrow?"))
                session.chatFlow(more).collect { print(it.text()) }
                println()

                val late = launch { session.awaitReply(more) }
                late.cancel() // ends that call, and no other
                late.join()
            }
        }
    }
    // shown to here
}
