// Of kotlinx.coroutines.flow what the binding and its tests use: Debian's kotlinx.coroutines, 1.0, is from
// before it. Everything else is the real one's.
package kotlinx.coroutines.flow

interface FlowCollector<in T> {
    suspend fun emit(value: T)
}

interface Flow<out T> {
    suspend fun collect(collector: FlowCollector<T>)
}

fun <T> flow(block: suspend FlowCollector<T>.() -> Unit): Flow<T> = object : Flow<T> {
    override suspend fun collect(collector: FlowCollector<T>) = collector.block()
}

suspend inline fun <T> Flow<T>.collect(crossinline action: suspend (T) -> Unit) =
    collect(object : FlowCollector<T> {
        override suspend fun emit(value: T) = action(value)
    })
