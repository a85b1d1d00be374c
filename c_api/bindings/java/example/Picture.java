import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import java.util.List;
import javax.imageio.ImageIO;
import rondo.Chat;
import rondo.Engine;
import rondo.EngineOptions;
import rondo.Event;
import rondo.Image;
import rondo.ImageOptions;
import rondo.Media;
import rondo.Model;
import rondo.Session;
import rondo.SessionOptions;

/** Answers a question about a picture: java Picture model.rondo photo.jpg */
public final class Picture {
  public static void main(String[] arguments) throws IOException {
    // shown from here
    BufferedImage photo = ImageIO.read(new File(arguments[1]));
    int width = photo.getWidth();
    int height = photo.getHeight();
    Image image = Image.argb(photo.getRGB(0, 0, width, height, null, 0, width), width, height);
    Chat chat = new Chat("""
        [{"role": "user", "content": [
          {"type": "image"}, {"type": "text", "text": "What is in the picture?"}]}]""");
    try (Model model = Model.open(arguments[0])) {
      int rows = model.imagePlan(width, height, new ImageOptions()).rows();
      try (Engine engine = model.engine(new EngineOptions().maxMediaRows(rows));
           Media media = engine.media(image);
           Session session = engine.session(new SessionOptions().maxTokens(64))) {
        session.appendMedia(model.chatIds(chat), List.of(media));
        for (Event event : session.events()) {
          System.out.print(event.text());
          System.out.flush();
        }
      }
    }
    // shown to here
    System.out.println();
  }
}
