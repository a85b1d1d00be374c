package rondo.tests;

import java.net.URI;
import java.util.List;
import java.util.Locale;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** What the compiler says of code: in Java it is the one that refuses wrong types and names. */
final class Compiled {
  private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

  private Compiled() {}

  /** Its first error; "": there is none. */
  static String error(String statement) {
    String text = "import rondo.*; class Snippet { void run(Model model, Engine engine, Session session) "
        + "throws Exception { " + statement + "; } }";
    JavaFileObject file = new SimpleJavaFileObject(URI.create("string:///Snippet.java"), JavaFileObject.Kind.SOURCE) {
      @Override
      public CharSequence getCharContent(boolean ignored) {
        return text;
      }
    };
    DiagnosticCollector<JavaFileObject> said = new DiagnosticCollector<>();
    COMPILER.getTask(null, null, said,
        List.of("-proc:none", "-implicit:none", "-Xlint:none", "-d", System.getProperty("java.io.tmpdir"), "-cp",
            System.getProperty("java.class.path"), "-XDshould-stop.ifError=ATTR", "-XDshould-stop.ifNoError=ATTR"),
        null, List.of(file)).call();
    for (Diagnostic<?> one : said.getDiagnostics()) {
      if (one.getKind() == Diagnostic.Kind.ERROR) {
        return one.getMessage(Locale.ROOT);
      }
    }
    return "";
  }
}
