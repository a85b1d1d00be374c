package rondo

/** rondo_image_options; null: the library's default. */
class ImageOptions {
    /** Rows of the picture in the text, of families in which they follow from its size: at least and at most
     * about so many. */
    var minTokens: Int? = null
    var maxTokens: Int? = null
    /** The picture is not cut into tiles, where the family does. */
    var oneTile = false

    internal fun fields() = Fields().also {
        it.set("min_tokens", minTokens)
        it.set("max_tokens", maxTokens)
        it.set("one_tile", oneTile)
    }
}

/** A picture as an engine's rows. Made by [Engine.media]. Any number of sessions of the engine share it, on
 * any thread; they keep the rows that they have when it is closed. It holds the engine, for what that
 * reads. */
class Media internal constructor(handle: Long, @Suppress("unused") private val engine: Engine) :
    Handle(handle, { Native.closeMedia(it) }) {

    /** What became of the picture. */
    val info: ImageFacts get() = ImageFacts(with { Native.mediaInfo(it) })
}
