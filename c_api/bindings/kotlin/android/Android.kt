// What needs Android's own classes, and kotlinx.coroutines 1.6 or later.
package rondo

import android.content.Context
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.currentCoroutineContext
import kotlinx.coroutines.ensureActive
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.flow.flowOn
import kotlinx.coroutines.suspendCancellableCoroutine

/** Opens an asset that is stored without compression and aligned: in build.gradle,
 * `androidResources { noCompress += "rondo" }`. */
fun Model.Companion.openAsset(context: Context, name: String): Model =
    context.assets.openFd(name).use { open(it.parcelFileDescriptor.fd, it.startOffset, it.length) }

/** Generates on a background thread, up to the event with the reason. Where the collector is cancelled,
 * the pass that runs ends at once. */
fun Session.events(): Flow<Event> = flow {
    do {
        currentCoroutineContext().ensureActive()
        val event = suspendCancellableCoroutine<Event> { waiting ->
            val number = callNumber
            waiting.invokeOnCancellation { cancelCall(number) }
            waiting.resumeWith(runCatching { next() })
        }
        emit(event)
    } while (event.reason == Reason.NONE)
}.flowOn(Dispatchers.Default)
