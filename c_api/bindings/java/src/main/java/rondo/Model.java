package rondo;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A model file. Never changes; may be used from any thread. */
public final class Model extends Handle {
  private static final GrammarOptions USUAL = GrammarOptions.builder().build();

  private Model(long handle, List<ByteBuffer> buffers) {
    super(new Memory(buffers).state(handle, Raw::rondo_model_close));
  }

  /** A call that ends in (model, message, message_bytes). */
  private interface Opening {
    int call(ByteBuffer model, ByteBuffer message, long messageBytes);
  }

  private static Model open(Scratch scratch, List<ByteBuffer> buffers, Opening opening) {
    ByteBuffer model = scratch.pointer();
    Rondo.checkMessage(scratch, (message, bytes) -> opening.call(model, message, bytes));
    return new Model(Scratch.pointer(model), buffers);
  }

  /** Opens the file that `rondo convert` made. */
  public static Model open(String path) {
    try (Scratch scratch = new Scratch()) {
      ByteBuffer text = scratch.text("path", Check.given("path", path));
      return open(scratch, null, (model, message, bytes)
          -> Raw.rondo_model_open_path(Raw.ABI_VERSION, text, model, message, bytes));
    }
  }

  /** The same. */
  public static Model open(Path path) {
    return open(path.toString());
  }

  /** A model inside of another file (an Android asset): `length` bytes from `offset`, a multiple of
   * 64; -1: all that follows. The descriptor may be closed afterwards. */
  public static Model openDescriptor(int fd, long offset, long length) {
    Check.whole("offset", offset, 0, Long.MAX_VALUE);
    Check.whole("length", length, -1, Long.MAX_VALUE);
    try (Scratch scratch = new Scratch()) {
      return open(scratch, null, (model, message, bytes)
          -> Raw.rondo_model_open_fd(Raw.ABI_VERSION, fd, offset, length, model, message, bytes));
    }
  }

  /** A file in memory that begins at a multiple of 64, such as a MappedByteBuffer: direct buffers, from
   * their positions to their limits. One of more than 2 GiB is in several, cut as `rondo split` does.
   * They are kept, and must stay as they are, as long as the model and what is made of it. */
  public static Model open(ByteBuffer... file) {
    List<ByteBuffer> parts = new ArrayList<>();
    for (ByteBuffer part : file) {
      parts.add(Memory.direct(part));
    }
    try (Scratch scratch = new Scratch()) {
      if (parts.size() == 1) {
        ByteBuffer whole = parts.get(0);
        return open(scratch, parts, (model, message, bytes) -> Raw.rondo_model_open_memory(
            Raw.ABI_VERSION, whole, whole.remaining(), model, message, bytes));
      }
      ByteBuffer list = scratch.take((long) Structs.ModelPart.SIZE * parts.size());
      for (int i = 0; i < parts.size(); ++i) {
        Structs.ModelPart one = new Structs.ModelPart(Scratch.element(list, i, Structs.ModelPart.SIZE));
        one.bytes(scratch.address(parts.get(i)));
        one.length(parts.get(i).remaining());
      }
      return open(scratch, parts, (model, message, bytes) -> Raw.rondo_model_open_parts(
          Raw.ABI_VERSION, list, parts.size(), model, message, bytes));
    }
  }

  // ---- What it is ------------------------------------------------------------------------------

  /** The model's numbers. */
  public ModelFacts info() {
    try (Scratch scratch = new Scratch()) {
      Structs.ModelFacts facts = new Structs.ModelFacts(scratch);
      Rondo.check(call(model -> Raw.rondo_model_info(model, facts.bytes)));
      return ModelFacts.of(facts);
    }
  }

  /** The tokens that end a generation. */
  public int[] eosTokens() {
    int[] tokens = new int[info().nEosTokens()];
    try (Scratch scratch = new Scratch()) {
      ByteBuffer token = scratch.take(4);
      for (int i = 0; i < tokens.length; ++i) {
        int index = i;
        Rondo.check(call(model -> Raw.rondo_model_eos_token(model, index, token)));
        tokens[i] = token.getInt(0);
      }
    }
    return tokens;
  }

  /** A text that the library writes for this model. */
  private interface Text {
    int call(Scratch scratch, long model, ByteBuffer buffer, long capacity, ByteBuffer length);
  }

  private String text(Text call) {
    return with(model -> text(model, call));
  }

  private static String text(long model, Text call) {
    try (Scratch scratch = new Scratch()) {
      return Rondo.text(scratch, (buffer, capacity, length) -> call.call(
          scratch, model, buffer, capacity, length));
    }
  }

  /** What the file's maker wrote about it: "name", "architecture", "producer" and others. */
  public String fact(String key) {
    Check.given("key", key);
    return text((scratch, model, buffer, capacity, length)
        -> Raw.rondo_model_fact(model, scratch.text("key", key), buffer, capacity, length));
  }

  /** The other keys. */
  public List<String> factKeys() {
    return Rondo.names(index -> text((scratch, model, buffer, capacity, length)
        -> Raw.rondo_model_fact_key(model, index, buffer, capacity, length)));
  }

  /** The names of the chat templates; the first serves where no other is asked for. */
  public List<String> chatTemplateNames() {
    return Rondo.names(index -> text((scratch, model, buffer, capacity, length)
        -> Raw.rondo_model_chat_template_name(model, index, buffer, capacity, length)));
  }

  /** The Jinja text of the chat template of this name. */
  public String chatTemplate(String name) {
    Check.given("name", name);
    return text((scratch, model, buffer, capacity, length) -> Raw.rondo_model_chat_template(
        model, scratch.text("name", name), buffer, capacity, length));
  }

  // ---- Tokens ----------------------------------------------------------------------------------

  /** Text to token ids, with what the model expects around a text. Texts of special tokens become
   * these tokens: check what strangers write. */
  public int[] tokenize(String text) {
    return tokenize(text, true);
  }

  /** addSpecial: with what the model expects around a text. */
  public int[] tokenize(String text, boolean addSpecial) {
    return with(model -> tokenize(model, text, addSpecial));
  }

  static int[] tokenize(long model, String text, boolean addSpecial) {
    byte[] bytes = Scratch.utf8(Check.given("text", text));
    int flags = addSpecial ? Raw.TOKENIZE_ADD_SPECIAL : 0;
    try (Scratch scratch = new Scratch()) {
      ByteBuffer from = scratch.bytes(bytes);
      return Rondo.ids(scratch, bytes.length / 2 + 16, (ids, capacity, count)
          -> Raw.rondo_tokenize(model, from, bytes.length, flags, ids, capacity, count));
    }
  }

  /** Token ids to text, without special tokens. */
  public String detokenize(int... ids) {
    return detokenize(ids, true);
  }

  /** skipSpecial: without the texts of special tokens. */
  public String detokenize(int[] ids, boolean skipSpecial) {
    int flags = skipSpecial ? Raw.DETOKENIZE_SKIP_SPECIAL : 0;
    Check.given("ids", ids);
    return RondoException.explained(() -> text((scratch, model, buffer, capacity, length) ->
        Raw.rondo_detokenize(model, scratch.ints(ids), ids.length, flags, buffer, capacity, length)),
        Map.of(Status.INVALID_ARGUMENT, "ids has a number that is no token of the model"));
  }

  // ---- Embedding -------------------------------------------------------------------------------

  /** What the model makes of texts; dimensions 0: it predicts tokens instead. */
  public EmbedderFacts embedder() {
    return with(Model::embedder);
  }

  static EmbedderFacts embedder(long model) {
    try (Scratch scratch = new Scratch()) {
      Structs.EmbedderFacts facts = new Structs.EmbedderFacts(scratch);
      Rondo.check(Raw.rondo_model_embedder(model, facts.bytes));
      return EmbedderFacts.of(facts);
    }
  }

  /** The names of the prompts that embeddingText and Engine.embed take. */
  public List<String> prompts() {
    return Rondo.names(index -> text((scratch, model, buffer, capacity, length)
        -> Raw.rondo_model_prompt_name(model, index, buffer, capacity, length)));
  }

  /** What the model reads of a text: it behind the model's usual prompt, which may be none. For
   * tokenize. */
  public String embeddingText(String text) {
    return embeddingText(text, null);
  }

  /** The text behind the prompt of this name; "": behind none; null: behind the model's usual one. */
  public String embeddingText(String text, String prompt) {
    return with(model -> embeddingText(model, text, prompt));
  }

  static String embeddingText(long handle, String text, String prompt) {
    byte[] bytes = Scratch.utf8(Check.given("text", text));
    return RondoException.explained(() -> text(handle, (scratch, model, buffer, capacity, length) ->
        Raw.rondo_embedding_text(model, scratch.text("prompt", prompt), scratch.bytes(bytes), bytes.length,
            buffer, capacity, length)),
        Map.of(Status.UNSUPPORTED, "the model makes no vectors of texts",
            Status.INVALID_ARGUMENT, "the model has no prompt named '" + prompt + "'"));
  }

  /** What a model that scores pairs reads of one, with the model's usual instruction. For tokenize. */
  public String pairText(String query, String document) {
    return pairText(query, document, null);
  }

  /** As pairText, with an instruction: what makes a document fit, in words; null: the model's usual
   * one. */
  public String pairText(String query, String document, String instruction) {
    return with(model -> pairText(model, query, document, instruction));
  }

  static String pairText(long handle, String query, String document, String instruction) {
    byte[] asked = Scratch.utf8(Check.given("query", query));
    byte[] found = Scratch.utf8(Check.given("document", document));
    return RondoException.explained(() -> text(handle, (scratch, model, buffer, capacity, length) ->
        Raw.rondo_pair_text(model, scratch.text("instruction", instruction), scratch.bytes(asked), asked.length,
            scratch.bytes(found), found.length, buffer, capacity, length)),
        Map.of(Status.UNSUPPORTED, "the model scores no pairs",
            Status.INVALID_ARGUMENT, "the query has the token that stands between the two texts"));
  }

  // ---- What is made of it ----------------------------------------------------------------------

  /** A LoRA adapter, from the file that `rondo convert --adapter-for` made for this model. */
  public Adapter adapter(String path) {
    return Adapter.open(this, path);
  }

  /** The same of a file in memory, a direct buffer, which is kept as the model's. */
  public Adapter adapter(ByteBuffer file) {
    return Adapter.open(this, file);
  }

  /** What becomes of a picture of this size, upright: the rows that maxMediaRows counts, and the
   * positions of the context. */
  public ImageFacts imagePlan(int width, int height) {
    return imagePlan(width, height, ImageOptions.builder().build());
  }

  /** The same with options. */
  public ImageFacts imagePlan(int width, int height, ImageOptions options) {
    return Media.plan(this, width, height, options);
  }

  /** What sessions may say: JSON that is valid by a schema, which is JSON itself. */
  public Grammar grammar(String schema) {
    return grammar(GrammarKind.JSON_SCHEMA, schema, USUAL);
  }

  /** What sessions may say, written as `kind` says: a JSON Schema, a regular expression of ECMA-262
   * which is the whole text, or rules in GBNF's notation. */
  public Grammar grammar(GrammarKind kind, String text, GrammarOptions options) {
    Check.known("kind", kind);
    return with(model -> Grammar.create(model, kind, text, options));
  }

  /** The same without options. */
  public Grammar grammar(GrammarKind kind, String text) {
    return grammar(kind, text, USUAL);
  }

  /** The bytes that this grammar takes. */
  public long planGrammar(GrammarKind kind, String text, GrammarOptions options) {
    Check.known("kind", kind);
    return with(model -> Grammar.plan(model, kind, text, options));
  }

  /** What an engine with these options will take, to the byte. */
  public MemoryPlan plan(EngineOptions options) {
    return Check.given("options", options).with(null, (scratch, raw) -> {
      Structs.MemoryPlan plan = new Structs.MemoryPlan(scratch);
      Rondo.checkMessage(scratch, (message, bytes)
          -> call(model -> Raw.rondo_plan(model, raw, plan.bytes, message, bytes)));
      return MemoryPlan.of(plan);
    });
  }

  /** The same. */
  public MemoryPlan plan(Consumer<EngineOptions.Builder> options) {
    return plan(EngineOptions.of(options));
  }

  /** The parts of that plan, lowest address first. */
  public List<MemoryRegion> planRegions(EngineOptions options) {
    int n = plan(options).nRegions();
    return options.with(null, (scratch, raw) -> {
      List<MemoryRegion> regions = new ArrayList<>();
      Structs.MemoryRegion region = new Structs.MemoryRegion(scratch);
      for (int i = 0; i < n; ++i) {
        int index = i;
        Rondo.check(call(model -> Raw.rondo_plan_region(model, raw, index, region.bytes)));
        regions.add(MemoryRegion.of(region));
      }
      return regions;
    });
  }

  /** The largest context whose plan fits into so many bytes. */
  public int planFit(long size, EngineOptions options) {
    Check.whole("size", size, 0, Long.MAX_VALUE);
    return Check.given("options", options).with(null, (scratch, raw) -> {
      ByteBuffer context = scratch.take(4);
      Rondo.checkMessage(scratch, (message, bytes)
          -> call(model -> Raw.rondo_plan_fit(model, raw, size, context, message, bytes)));
      return context.getInt(0);
    });
  }

  /** Makes the model runnable, with the library's defaults. */
  public Engine engine() {
    return engine(EngineOptions.builder().build());
  }

  /** Makes the model runnable. An interrupt ends it. */
  public Engine engine(EngineOptions options) {
    return Engine.create(this, Check.given("options", options), new Operation());
  }

  /** The same: `model.engine(o -> o.context(512).maxSessions(4))`. */
  public Engine engine(Consumer<EngineOptions.Builder> options) {
    return engine(EngineOptions.of(options));
  }

  /** As engine, on another thread. A cancel of the future ends it. */
  public CompletableFuture<Engine> engineAsync(EngineOptions options) {
    return Async.call(operation -> Engine.create(this, Check.given("options", options), operation));
  }

  // ---- Chat ------------------------------------------------------------------------------------

  /** The text of a conversation. */
  public String renderChat(Chat chat) {
    return text((scratch, model, buffer, capacity, length) -> Check.given("chat", chat).status(scratch, (raw,
        message, bytes) -> Raw.rondo_chat_render(model, raw, buffer, capacity, length, null, 0, null,
            message, bytes)));
  }

  /** The token ids of a conversation. */
  public int[] chatIds(Chat chat) {
    return with(model -> chatIds(model, chat));
  }

  static int[] chatIds(long model, Chat chat) {
    try (Scratch scratch = new Scratch()) {
      return Rondo.ids(scratch, 1024, (ids, capacity, count)
          -> Check.given("chat", chat).status(scratch, (raw, message, bytes) -> Raw.rondo_chat_render(
              model, raw, null, 0, null, ids, capacity, count, message, bytes)));
    }
  }

  /** Takes answers to this conversation apart; its tools say what may be called. */
  public ChatParser chatParser(Chat chat) {
    return with(model -> ChatParser.create(model, chat));
  }

  /** The GBNF of answers to a conversation whose calls of its tools parse, for grammar. */
  public String chatGrammar(Chat chat, Calls calls) {
    return chatGrammar(chat, calls, null);
  }

  /** function: the only one that may be called; null: any. */
  public String chatGrammar(Chat chat, Calls calls, String function) {
    Check.known("calls", calls);
    return with(model -> chatGrammar(model, chat, calls, function));
  }

  static String chatGrammar(long handle, Chat chat, Calls calls, String function) {
    return text(handle, (scratch, model, buffer, capacity, length) -> Check.given("chat", chat).status(scratch,
        (raw, message, bytes) -> Raw.rondo_chat_grammar(model, raw, calls.value,
            scratch.text("function", function), buffer, capacity, length, message, bytes)));
  }

  /** What the template puts around a thought. */
  public ChatThinking chatThinking(Chat chat) {
    int[] room = {256}; // of the end: as long as the begin's asks for more, it may
    String[] end = new String[1];
    String begin = text((scratch, model, buffer, capacity, length) -> {
      ByteBuffer behind = scratch.take(room[0]);
      ByteBuffer count = scratch.pointer();
      int status = Check.given("chat", chat).status(scratch, (raw, message, bytes) -> Raw.rondo_chat_thinking(
          model, raw, buffer, capacity, length, behind, room[0], count, message, bytes));
      room[0] = Math.toIntExact(Scratch.pointer(count)) + 1;
      end[0] = Natives.text(Natives.address(behind));
      return status;
    });
    return new ChatThinking(begin, end[0]);
  }
}
