package rondo;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.PointerByReference;
import java.util.ArrayList;
import java.util.List;

/** A model file. Immutable; may be used from any thread. */
public final class Model extends Handle {
  private static final Raw RAW = Rondo.RAW;

  private Model(Pointer handle) {
    super(handle, RAW::rondo_model_close);
  }

  /** Opens the file that `rondo convert` made. */
  public static Model open(String path) {
    PointerByReference model = new PointerByReference();
    Rondo.checkMessage((message, bytes)
        -> RAW.rondo_model_open_path(Raw.ABI_VERSION, path, model, message, bytes));
    return new Model(model.getValue());
  }

  /** A model inside of another file (an Android asset): `length` bytes from `offset`, a multiple of
   * 64; -1: all that follows. The descriptor may be closed afterwards. */
  public static Model open(int fd, long offset, long length) {
    PointerByReference model = new PointerByReference();
    Rondo.checkMessage((message, bytes)
        -> RAW.rondo_model_open_fd(Raw.ABI_VERSION, fd, offset, length, model, message, bytes));
    return new Model(model.getValue());
  }

  /** The model's numbers. */
  public ModelFacts info() {
    Raw.ModelFacts facts = new Raw.ModelFacts();
    Rondo.check(call(model -> RAW.rondo_model_info(model, facts)));
    return ModelFacts.of(facts);
  }

  /** The tokens that end a generation. */
  public int[] eosTokens() {
    int[] tokens = new int[info().nEosTokens()];
    for (int i = 0; i < tokens.length; ++i) {
      int index = i;
      int[] token = new int[1];
      Rondo.check(call(model -> RAW.rondo_model_eos_token(model, index, token)));
      tokens[i] = token[0];
    }
    return tokens;
  }

  /** What the file's maker wrote about it: "name", "architecture", "producer" and others. */
  public String fact(String key) {
    return with(model -> Rondo.text((buffer, capacity, length)
        -> RAW.rondo_model_fact(model, key, buffer, capacity, length)));
  }

  /** The other keys. */
  public List<String> factKeys() {
    return with(model -> Rondo.names(index -> Rondo.text((buffer, capacity, length)
        -> RAW.rondo_model_fact_key(model, index, buffer, capacity, length))));
  }

  /** The names of the chat templates; the first serves where no other is asked for. */
  public List<String> chatTemplateNames() {
    return with(model -> Rondo.names(index -> Rondo.text((buffer, capacity, length)
        -> RAW.rondo_model_chat_template_name(model, index, buffer, capacity, length))));
  }

  /** The Jinja text of the chat template of this name. */
  public String chatTemplate(String name) {
    return with(model -> Rondo.text((buffer, capacity, length)
        -> RAW.rondo_model_chat_template(model, name, buffer, capacity, length)));
  }

  /** Text to token ids, with what the model expects around a text. Texts of special tokens become
   * these tokens: check what strangers write. */
  public int[] tokenize(String text) {
    return tokenize(text, true);
  }

  public int[] tokenize(String text, boolean addSpecial) {
    byte[] bytes = Memories.utf8(text);
    int flags = addSpecial ? Raw.TOKENIZE_ADD_SPECIAL : 0;
    return with(model -> Rondo.ids(bytes.length / 2 + 16, (ids, capacity, count)
        -> RAW.rondo_tokenize(model, bytes, new SizeT(bytes.length), flags, ids, capacity, count)));
  }

  /** Token ids to text. */
  public String detokenize(int[] ids, boolean skipSpecial) {
    int flags = skipSpecial ? Raw.DETOKENIZE_SKIP_SPECIAL : 0;
    return with(model -> Rondo.text((buffer, capacity, length) -> RAW.rondo_detokenize(
        model, ids, new SizeT(ids.length), flags, buffer, capacity, length)));
  }

  /** What the model makes of texts; dimensions 0: it predicts tokens instead. */
  public EmbedderFacts embedder() {
    Raw.EmbedderFacts facts = new Raw.EmbedderFacts();
    Rondo.check(call(model -> RAW.rondo_model_embedder(model, facts)));
    return EmbedderFacts.of(facts);
  }

  /** The names of the prompts that embeddingText takes. */
  public List<String> prompts() {
    return with(model -> Rondo.names(index -> Rondo.text((buffer, capacity, length)
        -> RAW.rondo_model_prompt_name(model, index, buffer, capacity, length))));
  }

  /** What the model reads of a text: it behind the model's usual prompt, which may be none. For
   * tokenize. */
  public String embeddingText(String text) {
    return embeddingText(text, null);
  }

  /** The text behind the prompt of this name; "": behind none; null: behind the model's usual one. */
  public String embeddingText(String text, String prompt) {
    byte[] bytes = Memories.utf8(text);
    return with(model -> Rondo.text((buffer, capacity, length) -> RAW.rondo_embedding_text(
        model, prompt, bytes, new SizeT(bytes.length), buffer, capacity, length)));
  }

  /** What a model that scores pairs reads of one, with the model's usual instruction. For tokenize. */
  public String pairText(String query, String document) {
    return pairText(query, document, null);
  }

  /** As pairText, with an instruction: what makes a document fit, in words; null: the model's usual
   * one. */
  public String pairText(String query, String document, String instruction) {
    byte[] asked = Memories.utf8(query);
    byte[] found = Memories.utf8(document);
    return with(model -> Rondo.text((buffer, capacity, length) -> RAW.rondo_pair_text(model, instruction,
        asked, new SizeT(asked.length), found, new SizeT(found.length), buffer, capacity, length)));
  }

  /** A LoRA adapter, from the file that `rondo convert --adapter-for` made for this model. */
  public Adapter adapter(String path) {
    return Adapter.open(this, path);
  }

  /** What becomes of a picture of this size, upright: the rows that maxMediaRows counts, and the
   * positions of the context. */
  public ImageFacts imagePlan(int width, int height, ImageOptions options) {
    return Media.plan(this, width, height, options);
  }

  /** What sessions may say: JSON that is valid by a schema, which is JSON itself. */
  public Grammar grammar(String schema, GrammarOptions options) {
    return Grammar.create(this, GrammarKind.JSON_SCHEMA, schema, options);
  }

  /** The same by a regular expression of ECMA-262, which is the whole text. */
  public Grammar patternGrammar(String pattern, GrammarOptions options) {
    return Grammar.create(this, GrammarKind.PATTERN, pattern, options);
  }

  /** The same by rules in GBNF's notation. */
  public Grammar rulesGrammar(String gbnf, GrammarOptions options) {
    return Grammar.create(this, GrammarKind.GBNF, gbnf, options);
  }

  /** The bytes that the grammar of this schema takes. */
  public long planGrammar(String schema, GrammarOptions options) {
    return Grammar.plan(this, GrammarKind.JSON_SCHEMA, schema, options);
  }

  /** The bytes that the grammar of this pattern takes. */
  public long planPatternGrammar(String pattern, GrammarOptions options) {
    return Grammar.plan(this, GrammarKind.PATTERN, pattern, options);
  }

  /** The bytes that the grammar of these rules takes. */
  public long planRulesGrammar(String gbnf, GrammarOptions options) {
    return Grammar.plan(this, GrammarKind.GBNF, gbnf, options);
  }

  /** What an engine with these options will take, to the byte. */
  public MemoryPlan plan(EngineOptions options) {
    Raw.MemoryPlan plan = new Raw.MemoryPlan();
    Rondo.checkMessage((message, bytes)
        -> call(model -> RAW.rondo_plan(model, options.raw, plan, message, bytes)));
    return MemoryPlan.of(plan);
  }

  /** The parts of that plan, lowest address first. */
  public List<MemoryRegion> planRegions(EngineOptions options) {
    int n = plan(options).nRegions();
    List<MemoryRegion> regions = new ArrayList<>();
    for (int i = 0; i < n; ++i) {
      int index = i;
      Raw.MemoryRegion region = new Raw.MemoryRegion();
      Rondo.check(call(model -> RAW.rondo_plan_region(model, options.raw, index, region)));
      regions.add(MemoryRegion.of(region));
    }
    return regions;
  }

  /** The largest context whose plan fits into so many bytes. */
  public int planFit(long size, EngineOptions options) {
    IntByReference context = new IntByReference();
    Rondo.checkMessage((message, bytes)
        -> call(model -> RAW.rondo_plan_fit(model, options.raw, size, context, message, bytes)));
    return context.getValue();
  }

  /** Makes the model runnable. */
  public Engine engine(EngineOptions options) {
    SessionOptions recommended = SessionOptions.recommendedBy(this);
    int dimensions = embedder().dimensions();
    int hiddenSize = info().hiddenSize();
    PointerByReference engine = new PointerByReference();
    try {
      Rondo.checkMessage((message, bytes) -> call(model -> RAW.rondo_engine_create(
          model, options.raw, null, new SizeT(0), engine, message, bytes)));
    } finally {
      options.rethrow();
    }
    return new Engine(engine.getValue(), this, recommended, dimensions, hiddenSize);
  }

  /** The text of a conversation. */
  public String renderChat(Chat chat) {
    return with(model -> Rondo.text((buffer, capacity, length)
        -> chat((message, bytes) -> RAW.rondo_chat_render(model, chat.raw, buffer, capacity, length,
            null, new SizeT(0), null, message, bytes))));
  }

  /** The token ids of a conversation. */
  public int[] chatIds(Chat chat) {
    return with(model -> Rondo.ids(1024, (ids, capacity, count)
        -> chat((message, bytes) -> RAW.rondo_chat_render(model, chat.raw, null, new SizeT(0), null,
            ids, capacity, count, message, bytes))));
  }

  /** Takes answers to this conversation apart; its tools say what may be called. */
  public ChatParser chatParser(Chat chat) {
    return ChatParser.create(this, chat);
  }

  /** The GBNF of answers to a conversation whose calls of its tools parse, for rulesGrammar. function:
   * the only one that may be called; null: any. */
  public String chatGrammar(Chat chat, Calls calls, String function) {
    return with(model -> Rondo.text((buffer, capacity, length)
        -> chat((message, bytes) -> RAW.rondo_chat_grammar(model, chat.raw, calls.value, function,
            buffer, capacity, length, message, bytes))));
  }

  /** What the template puts around a thought. */
  public ChatThinking chatThinking(Chat chat) {
    SizeT.ByReference[] other = new SizeT.ByReference[1];
    byte[][] end = {new byte[256]};
    String begin = with(model -> Rondo.text((buffer, capacity, length) -> {
      if (other[0] != null) {
        end[0] = new byte[Math.toIntExact(other[0].value() + 1)];
      }
      other[0] = new SizeT.ByReference();
      return chat((message, bytes) -> RAW.rondo_chat_thinking(model, chat.raw, buffer, capacity, length,
          end[0], new SizeT(end[0].length), other[0], message, bytes));
    }));
    return new ChatThinking(begin, new String(end[0], 0, (int) other[0].value(), UTF_8));
  }

  /** Throws with the message where the call fails otherwise than for want of room. */
  private static int chat(Rondo.WithMessage call) {
    int[] status = new int[1];
    Rondo.checkMessage((message, bytes) -> {
      status[0] = call.call(message, bytes);
      return status[0] == Status.BUFFER_TOO_SMALL.value ? Status.OK.value : status[0];
    });
    return status[0];
  }
}
