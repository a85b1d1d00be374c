package rondo.kotlin

import java.util.concurrent.ExecutorService
import java.util.concurrent.Executors
import java.util.concurrent.Future
import kotlin.coroutines.resume
import kotlin.coroutines.resumeWithException
import kotlinx.coroutines.CancellableContinuation
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.suspendCancellableCoroutine
import rondo.*

/** Threads for calls that wait in the library, of which there are as many as calls. */
private val threads: ExecutorService = Executors.newCachedThreadPool { work ->
    Thread(work, "rondo-kotlin").also { it.isDaemon = true }
}

/** Runs a call of Java's binding on a thread of its own, and suspends meanwhile. Where the coroutine is
 * cancelled the call ends, and no other: `val engine = calling { model.engine(options) }`. */
suspend fun <T> calling(call: () -> T): T = suspendCancellableCoroutine { waiting ->
    val running: Future<*> = threads.submit {
        val result = runCatching(call)
        waiting.finish(result)
    }
    waiting.invokeOnCancellation { running.cancel(true) }
}

private fun <T> CancellableContinuation<T>.finish(result: Result<T>) {
    result.fold({ value ->
        // Nobody takes what was made in vain.
        if (isActive) resume(value) else (value as? AutoCloseable)?.close()
    }, { error -> if (isActive) resumeWithException(error) })
}

/** As Session.generate; the coroutine's cancel cancels the call. */
suspend fun Session.awaitText(prompt: String): String = calling { generate(prompt) }

/** As Session.chat, likewise. */
suspend fun Session.awaitReply(chat: Chat): Reply = calling { chat(chat) }

/** The same of these messages. */
suspend fun Session.awaitReply(vararg messages: Message): Reply = awaitReply(Chat.of(*messages))

/** As Engine.embed, likewise. */
suspend fun Engine.awaitVectors(texts: List<String>, prompt: String? = null): List<FloatArray> =
    calling { embed(texts, prompt) }

/** As Engine.score, likewise. */
suspend fun Engine.awaitScores(query: String, documents: List<String>, instruction: String? = null): FloatArray =
    calling { score(query, documents, instruction) }

/** As Model.engine, likewise. */
suspend fun Model.awaitEngine(options: EngineOptions = engineOptions()): Engine = calling { engine(options) }

/** What follows a prompt, for each collector anew. Nothing is computed ahead; where the collector is
 * cancelled, or takes no more, the session is free at once. */
fun Session.flow(prompt: String): Flow<Event> = steps { events(prompt).iterator() }

/** The parts of an answer, likewise. */
fun Session.chatFlow(chat: Chat): Flow<ChatPart> = steps { chatStream(chat).iterator() }

/** The same of these messages. */
fun Session.chatFlow(vararg messages: Message): Flow<ChatPart> = chatFlow(Chat.of(*messages))

private fun <T> steps(begin: () -> Iterator<T>): Flow<T> = flow {
    val items = calling(begin)
    while (calling { items.hasNext() }) emit(calling { items.next() })
}
