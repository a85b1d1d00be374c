// What needs Android's own classes.
package rondo.kotlin

import android.content.Context
import android.graphics.Bitmap
import android.graphics.ImageFormat
import java.nio.ByteBuffer
import rondo.*

/** Opens an asset that is stored without compression and aligned: in build.gradle,
 * `androidResources { noCompress += "rondo" }`. */
fun openAsset(context: Context, name: String): Model =
    context.assets.openFd(name).use {
        Model.openDescriptor(it.parcelFileDescriptor.fd, it.startOffset, it.length)
    }

/** A bitmap of ARGB_8888, copied. Of pixels that are not opaque alpha stays in the colours. */
fun imageOf(bitmap: Bitmap): Image {
    require(bitmap.config == Bitmap.Config.ARGB_8888) { "the bitmap is of ${bitmap.config}" }
    val pixels = ByteBuffer.allocateDirect(bitmap.rowBytes * bitmap.height)
    bitmap.copyPixelsToBuffer(pixels)
    pixels.rewind()
    return Image.of(pixels, bitmap.width, bitmap.height, Pixels.RGBA8).strides(bitmap.rowBytes)
}

/** A camera's frame of YUV_420_888, which stays open up to the end of Engine.media. rotation: degrees
 * by which it is turned clockwise to be upright. */
fun imageOf(frame: android.media.Image, rotation: Int = 0): Image {
    require(frame.format == ImageFormat.YUV_420_888) { "the frame is of format ${frame.format}" }
    val (y, u, v) = frame.planes
    return Image.yuv420(
        frame.width, frame.height, y.buffer, y.rowStride, u.buffer, v.buffer, u.rowStride, u.pixelStride
    ).rotation(rotation)
}
