import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import javax.imageio.ImageIO;
import rondo.Chat;
import rondo.Engine;
import rondo.Image;
import rondo.Media;
import rondo.Message;
import rondo.Model;
import rondo.Session;

/** Picture MODEL FILE: says what is in a picture, with a model that sees. */
public final class Picture {
  public static void main(String[] arguments) throws IOException {
    // shown from here
    BufferedImage photo = ImageIO.read(new File(arguments[1]));
    int width = photo.getWidth();
    int height = photo.getHeight();
    Image image = Image.argb(photo.getRGB(0, 0, width, height, null, 0, width), width, height);
    try (Model model = Model.open(arguments[0])) {
      int rows = model.imagePlan(width, height).rows();
      try (Engine engine = model.engine(o -> o.maxMediaRows(rows));
           Media media = engine.media(image);
           Session session = engine.session(o -> o.maxTokens(64))) {
        Chat chat = Chat.of(Message.user("What is in the picture?", media));
        session.chatStream(chat).forEach(part -> System.out.print(part.text()));
      }
    }
    System.out.println();
    // shown to here
  }
}
