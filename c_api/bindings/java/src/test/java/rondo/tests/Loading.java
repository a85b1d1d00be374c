package rondo.tests;

import static rondo.tests.Tests.ENGINE;
import static rondo.tests.Tests.IDS;
import static rondo.tests.Tests.MODEL;
import static rondo.tests.Tests.PROMPT;
import static rondo.tests.Tests.TEXT;
import static rondo.tests.Tests.equal;
import static rondo.tests.Tests.fails;
import static rondo.tests.Tests.file;
import static rondo.tests.Tests.holds;
import static rondo.tests.Tests.options;

import java.io.File;
import java.math.BigInteger;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import rondo.EngineOptions;
import rondo.MemoryPlan;
import rondo.MemoryRegion;
import rondo.Model;
import rondo.ModelFacts;
import rondo.Rondo;
import rondo.Segment;
import rondo.Status;

/** b01 to b10. */
final class Loading {
  private Loading() {}

  static void b01Versions() {
    equal(System.getProperty("rondo.test.version"), Rondo.version());
    equal(Rondo.version(), Rondo.libraryVersion());
    holds(Rondo.query("abi.version") >= 13);
  }

  /** Runs Probe with classes of its own, found here and in `more`, while these properties are other ones. */
  private static String elsewhere(Map<String, String> properties, Path... more) throws Throwable {
    List<URL> urls = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      urls.add(Path.of(entry).toUri().toURL());
    }
    for (Path one : more) {
      urls.add(one.toUri().toURL());
    }
    Map<Object, Object> before = Map.copyOf(System.getProperties());
    properties.forEach((name, value) -> {
      if (value == null) {
        System.clearProperty(name);
      } else {
        System.setProperty(name, value);
      }
    });
    try (URLClassLoader loader =
             new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader())) {
      Object probe = loader.loadClass("rondo.tests.Probe").getConstructor().newInstance();
      return ((Supplier<?>) probe).get().toString();
    } finally {
      properties.keySet().forEach(System::clearProperty);
      System.getProperties().putAll(before);
    }
  }

  static void b02MissingLibraryIsTold() {
    UnsatisfiedLinkError error = fails(UnsatisfiedLinkError.class, "librondo.so",
        () -> elsewhere(Map.of("rondo.library", "/nowhere/librondo.so")));
    holds(error.getMessage().contains("/nowhere/librondo.so")
        && error.getMessage().contains("rondo-" + Rondo.version() + "-linux-"));
    fails(UnsatisfiedLinkError.class, "/nowhere/librondo_jni.so",
        () -> elsewhere(Map.of("rondo.jni", "/nowhere/librondo_jni.so")));
    fails(UnsatisfiedLinkError.class, "no rondo_jni", () -> {
      Map<String, String> none = new java.util.HashMap<>();
      none.put("rondo.jni", null);
      elsewhere(none);
    });
  }

  static void b03SecondClassLoader() throws Throwable {
    equal(TEXT, elsewhere(Map.of()));
    equal(TEXT, elsewhere(Map.of()));
  }

  /** As an archive with the library for this system has them. */
  private static Path packed(String library) throws Exception {
    Path root = Files.createTempDirectory("packed");
    String cpu = System.getProperty("os.arch").equals("amd64") ? "x86_64" : System.getProperty("os.arch");
    Path place = Files.createDirectories(root.resolve("rondo/natives/linux-" + cpu));
    StringBuilder sums = new StringBuilder();
    for (Path from : List.of(Path.of(System.getProperty("rondo.jni")), Path.of(System.getenv("RONDO_LIBRARY")))) {
      byte[] bytes = Files.readAllBytes(from);
      String name = from.getFileName().toString().startsWith("librondo_jni") ? "librondo_jni.so" : "librondo.so";
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      sums.append(String.format("%064x  %s%n", new BigInteger(1, digest), name));
      if (name.equals(library)) {
        bytes[bytes.length - 1] ^= 1;
      }
      Files.write(place.resolve(name), bytes);
    }
    Files.writeString(place.resolve("SHA256SUMS"), sums);
    return root;
  }

  static void b03LibraryOfAnArchive() throws Throwable {
    Map<String, String> none = new java.util.HashMap<>();
    none.put("rondo.jni", null);
    equal(TEXT, elsewhere(none, packed("")));
    fails(UnsatisfiedLinkError.class, "SHA256SUMS", () -> elsewhere(none, packed("librondo.so")));
  }

  static void b04FactsOfAFile() throws Exception {
    ModelFacts facts = MODEL.info();
    equal(List.of(2048, 512, 4), List.of(facts.vocabSize(), facts.contextLength(), facts.nLayers()));
    holds(facts.hasTokenizer());
    equal(new int[] {1}, MODEL.eosTokens());
    equal("LlamaForCausalLM", MODEL.fact("architecture"));
    holds(MODEL.factKeys().size() >= 0);
    try (Model same = Model.open(Path.of(file("MODEL")))) {
      equal(facts, same.info());
    }
    try (FileChannel channel = FileChannel.open(Path.of(file("MODEL")))) {
      ByteBuffer mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
      try (Model same = Model.open(mapped)) {
        equal(facts, same.info());
      }
      fails(Status.INVALID_ARGUMENT, "", () -> Model.open());
      fails(IllegalArgumentException.class, "direct", () -> Model.open(ByteBuffer.allocate(64)));
    }
  }

  static void b05AbsentFile() {
    fails(Status.IO_ERROR, "/nowhere/max_rows/absent.rondo", () -> Model.open("/nowhere/max_rows/absent.rondo"));
  }

  static void b06NoModel() throws Exception {
    Path other = Files.createTempFile("other", ".rondo");
    Files.writeString(other, "no model ".repeat(100));
    fails(Status.NOT_A_MODEL, "", () -> Model.open(other));
  }

  static void b07PathThatIsNoText() {
    holds(Compiled.error("Model.open(5)").contains("open"));
    fails(NullPointerException.class, "path", () -> Model.open((String) null));
    fails(IllegalArgumentException.class, "path", () -> Model.open("tiny\0.rondo"));
  }

  static void b08TextsOfAllLetters() {
    for (String text : List.of("Grüße, 世界 🙂\0!", "x".repeat(3000), "")) {
      equal(text, MODEL.detokenize(MODEL.tokenize(text, false), false));
    }
    equal(PROMPT, MODEL.detokenize(IDS));
    equal("a\ufffdb", MODEL.detokenize(MODEL.tokenize("a\ud83db", false))); // half of a pair of surrogates
  }

  static void b09PlanIsWhatIsTaken() {
    EngineOptions options = options().build();
    MemoryPlan plan = MODEL.plan(options);
    equal(plan.arenaBytes(), ENGINE.memory().arenaBytes());
    equal(plan.kernels(), ENGINE.memory().kernels());
    List<MemoryRegion> regions = MODEL.planRegions(options);
    equal(ENGINE.memoryRegion(0), regions.get(0));
    equal(Segment.WEIGHTS, regions.get(0).segment());
    equal(plan.nRegions(), regions.size());
  }

  static void b10LargestContextFits() {
    long bytes = MODEL.plan(options().build()).arenaBytes() - 1;
    int context = MODEL.planFit(bytes, options().build());
    holds(context > 0 && context < 256);
    holds(MODEL.plan(o -> o.context(context).maxSessions(4)).arenaBytes() <= bytes);
    fails(Status.ARENA_TOO_SMALL, "", () -> MODEL.planFit(1000, options().build()));
    fails(IllegalArgumentException.class, "size", () -> MODEL.planFit(-1, options().build()));
  }
}
