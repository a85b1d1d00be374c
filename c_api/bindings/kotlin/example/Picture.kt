// Answers a question about a picture: java PictureKt model.rondo photo.jpg
import java.io.File
import java.nio.ByteBuffer
import java.nio.ByteOrder
import javax.imageio.ImageIO
import rondo.*

/** A desktop's picture; Android's bitmaps and cameras' frames have imageOf, in android/Android.kt. */
fun desktopImage(file: File): Image {
    val photo = ImageIO.read(file)
    val pixels = photo.getRGB(0, 0, photo.width, photo.height, null, 0, photo.width)
    val bytes = ByteBuffer.allocateDirect(4 * pixels.size).order(ByteOrder.LITTLE_ENDIAN)
    bytes.asIntBuffer().put(pixels)
    return Image(Pixels.BGRA8, photo.width, photo.height, bytes)
}

fun main(arguments: Array<String>) {
    val image = desktopImage(File(arguments[1]))
    // shown from here
    val chat = Chat("""[{"role": "user", "content": [
        {"type": "image"}, {"type": "text", "text": "What is in the picture?"}]}]""")
    val model = Model.open(arguments[0])
    val rows = model.imagePlan(image.width, image.height).rows
    val engine = model.engine(EngineOptions().apply { maxMediaRows = rows })
    val session = engine.session(SessionOptions().apply { maxTokens = 64 })
    engine.media(image).use { session.appendMedia(model.chatIds(chat), listOf(it)) }
    for (event in session.stream()) print(event.text)
    // shown to here
    println()
}
