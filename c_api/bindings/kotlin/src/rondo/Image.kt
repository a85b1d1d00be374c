package rondo

import java.nio.ByteBuffer

/** A picture or a camera's frame. format: of [Pixels]; width and height: of the planes, before the image is
 * turned; planes: as many as the format has, direct buffers, from their positions to their limits. They are
 * read by [Engine.media] only. */
class Image(val format: Int, val width: Int, val height: Int, vararg planes: ByteBuffer) {
    internal val planes: Array<ByteBuffer> = Array(planes.size) {
        require(planes[it].isDirect) { "the buffer is not direct" }
        planes[it].slice()
    }

    /** Bytes from a row of each plane to the next; 0: those of its pixels. */
    var strides = IntArray(3)
    /** Degrees by which it is turned clockwise to be upright: 0, 90, 180 or 270. */
    var rotation = 0
    /** Then left and right change places. */
    var mirror = false
    /** Of Y, U and V, one of [YuvRange]. */
    var yuvRange = YuvRange.VIDEO
    /** One of [YuvMatrix]. */
    var yuvMatrix = YuvMatrix.BT601
    private var pixelStride = 1

    /** As jni/rondo_jni.c has them. */
    internal fun facts() = intArrayOf(
        format, width, height, rotation, if (mirror) 1 else 0, yuvRange, yuvMatrix, pixelStride
    )

    companion object {
        /** A frame of Android's YUV_420_888: an ImageProxy of CameraX or an android.media.Image. Buffers
         * and strides are those of its planes; pixelStride, that of U and V, is 1 or 2, then as they lie
         * in turn in memory. Y, U and V are from 0 to 255, as those of cameras are. */
        fun yuv420(
            width: Int, height: Int, y: ByteBuffer, yStride: Int, u: ByteBuffer, v: ByteBuffer,
            uvStride: Int, pixelStride: Int
        ): Image {
            require(pixelStride in 1..2) { "pixelStride is $pixelStride, but must be 1 or 2" }
            return Image(Pixels.I420, width, height, y, u, v).also {
                it.strides = intArrayOf(yStride, uvStride, uvStride)
                it.yuvRange = YuvRange.FULL
                it.pixelStride = pixelStride
            }
        }
    }
}
