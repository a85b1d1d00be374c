// What needs Android's own classes, and kotlinx.coroutines 1.6 or later.
package rondo

import android.content.Context
import android.graphics.Bitmap
import android.graphics.ImageFormat
import java.nio.ByteBuffer
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

/** A bitmap of ARGB_8888, copied. Of pixels that are not opaque alpha stays in the colours. */
fun imageOf(bitmap: Bitmap): Image {
    require(bitmap.config == Bitmap.Config.ARGB_8888) { "the bitmap is of ${bitmap.config}" }
    val pixels = ByteBuffer.allocateDirect(bitmap.rowBytes * bitmap.height)
    bitmap.copyPixelsToBuffer(pixels)
    pixels.rewind()
    return Image(Pixels.RGBA8, bitmap.width, bitmap.height, pixels).apply {
        strides = intArrayOf(bitmap.rowBytes, 0, 0)
    }
}

/** A camera's frame of YUV_420_888, which stays open up to the end of [Engine.media]. rotation: degrees
 * by which it is turned clockwise to be upright. */
fun imageOf(frame: android.media.Image, rotation: Int = 0): Image {
    require(frame.format == ImageFormat.YUV_420_888) { "the frame is of format ${frame.format}" }
    val (y, u, v) = frame.planes
    return Image.yuv420(
        frame.width, frame.height, y.buffer, y.rowStride, u.buffer, v.buffer, u.rowStride, u.pixelStride
    ).also { it.rotation = rotation }
}
