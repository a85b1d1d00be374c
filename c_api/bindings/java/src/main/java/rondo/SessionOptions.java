package rondo;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/** rondo_session_options of rondo.h: set what is to differ from what the model's makers recommend, or
 * from the library's defaults. */
public final class SessionOptions {
  private final List<Consumer<Raw.SessionOptions>> said = new ArrayList<>();
  private boolean recommended = true;
  private Adapter adapter;
  private Grammar grammar;
  private String jsonSchema;

  /** False: what the model's makers recommend for sampling is not followed. */
  public SessionOptions recommended(boolean follow) {
    recommended = follow;
    return this;
  }

  public SessionOptions temperature(double temperature) {
    return say(raw -> raw.temperature = (float) temperature);
  }

  public SessionOptions topK(int tokens) {
    return say(raw -> raw.top_k = tokens);
  }

  public SessionOptions topP(double share) {
    return say(raw -> raw.top_p = (float) share);
  }

  public SessionOptions minP(double share) {
    return say(raw -> raw.min_p = (float) share);
  }

  public SessionOptions repetitionPenalty(double penalty) {
    return say(raw -> raw.repetition_penalty = (float) penalty);
  }

  public SessionOptions presencePenalty(double penalty) {
    return say(raw -> raw.presence_penalty = (float) penalty);
  }

  public SessionOptions frequencyPenalty(double penalty) {
    return say(raw -> raw.frequency_penalty = (float) penalty);
  }

  public SessionOptions penaltyLastN(int tokens) {
    return say(raw -> raw.penalty_last_n = tokens);
  }

  public SessionOptions noRepeatNgramSize(int tokens) {
    return say(raw -> raw.no_repeat_ngram_size = tokens);
  }

  public SessionOptions ignoreEos(boolean ignore) {
    return say(raw -> raw.ignore_eos = ignore ? 1 : 0);
  }

  public SessionOptions logprobs(boolean wanted) {
    return say(raw -> raw.logprobs = wanted ? 1 : 0);
  }

  public SessionOptions seed(long seed) {
    return say(raw -> raw.seed = seed);
  }

  public SessionOptions maxTokens(long tokens) {
    return say(raw -> raw.max_tokens = tokens);
  }

  public SessionOptions speculation(Speculation from) {
    return say(raw -> raw.speculation = from.value);
  }

  public SessionOptions maxDrafts(int tokens) {
    return say(raw -> raw.max_drafts = tokens);
  }

  /** Strings that end a generation. */
  public SessionOptions stop(String... strings) {
    Texts list = new Texts(strings);
    return say(raw -> {
      raw.stop_strings = list;
      raw.n_stop_strings = new SizeT(strings.length);
    });
  }

  /** Zero-terminated texts, kept with the list that points to them. */
  private static final class Texts extends Memory {
    private final Memory[] texts;

    Texts(String... strings) {
      super(Math.max(strings.length, 1) * (long) Native.POINTER_SIZE);
      texts = new Memory[strings.length];
      for (int i = 0; i < strings.length; ++i) {
        texts[i] = Memories.zeroTerminated(strings[i]);
        setPointer(i * (long) Native.POINTER_SIZE, texts[i]);
      }
    }
  }

  /** What is added to a token's logit, by its id. */
  public SessionOptions logitBias(Map<Integer, Float> bias) {
    Memory list = new Memory(Math.max(bias.size(), 1) * 8L);
    long offset = 0;
    for (Map.Entry<Integer, Float> one : bias.entrySet()) {
      list.setInt(offset, one.getKey());
      list.setFloat(offset + 4, one.getValue());
      offset += 8;
    }
    return say(raw -> {
      raw.logit_bias = list;
      raw.n_logit_bias = new SizeT(bias.size());
    });
  }

  /** What is added to the model, where the engine's adapterRank has room for it. A fork has its
   * source's. */
  public SessionOptions adapter(Adapter adapter) {
    this.adapter = adapter;
    return this;
  }

  /** What each generation must be a text of. */
  public SessionOptions grammar(Grammar grammar) {
    this.grammar = grammar;
    return this;
  }

  /** In its place a JSON Schema, of which the session makes a grammar of its own, with oneSpace and
   * namedOnly: JSON as people write it. */
  public SessionOptions jsonSchema(String schema) {
    jsonSchema = schema;
    return this;
  }

  /** Where the grammar begins. */
  public SessionOptions grammarBegin(GrammarBegin begin) {
    return say(raw -> raw.grammar_begin = begin.value);
  }

  /** Of GrammarBegin.AFTER_TOKEN: this one. */
  public SessionOptions grammarToken(int token) {
    return say(raw -> raw.grammar_token = token);
  }

  public SessionOptions grammarGoesOn(boolean goesOn) {
    return say(raw -> raw.grammar_goes_on = goesOn ? 1 : 0);
  }

  /** Events tell thoughts from the rest. */
  public SessionOptions thinking(boolean told) {
    return say(raw -> raw.thinking = told ? 1 : 0);
  }

  /** The texts around a thought, in place of those of the model's chat template. */
  public SessionOptions thinkingTexts(String begin, String end) {
    Memory before = Memories.zeroTerminated(begin);
    Memory behind = Memories.zeroTerminated(end);
    return say(raw -> {
      raw.thinking_begin = before;
      raw.thinking_end = behind;
    });
  }

  /** At most so many of a thought; 0: no limit. */
  public SessionOptions thinkingTokens(long tokens) {
    return say(raw -> raw.thinking_tokens = tokens);
  }

  private SessionOptions say(Consumer<Raw.SessionOptions> what) {
    said.add(what);
    return this;
  }

  private static Raw.SessionOptions defaults() {
    Raw.SessionOptions raw = new Raw.SessionOptions();
    Rondo.check(Rondo.RAW.rondo_session_options_init(raw, new SizeT(raw.size())));
    return raw;
  }

  /** What the model's makers recommend, copied: it outlives the model. */
  static SessionOptions recommendedBy(Model model) {
    Raw.SessionOptions raw = defaults();
    return model.with(handle -> {
      Rondo.check(Rondo.RAW.rondo_model_session_options(handle, raw));
      SessionOptions options = new SessionOptions()
          .temperature(raw.temperature)
          .topK(raw.top_k)
          .topP(raw.top_p)
          .minP(raw.min_p)
          .repetitionPenalty(raw.repetition_penalty)
          .penaltyLastN(raw.penalty_last_n)
          .noRepeatNgramSize(raw.no_repeat_ngram_size);
      int stops = raw.n_stop_strings.intValue();
      if (stops > 0) {
        options.stop(raw.stop_strings.getStringArray(0, stops, "UTF-8"));
      }
      Map<Integer, Float> bias = new HashMap<>();
      for (int i = 0; i < raw.n_logit_bias.intValue(); ++i) {
        Pointer one = raw.logit_bias.share(8L * i);
        bias.put(one.getInt(0), one.getFloat(4));
      }
      return bias.isEmpty() ? options : options.logitBias(bias);
    });
  }

  /** Calls `use` with all of it. */
  int call(Engine engine, Function<Raw.SessionOptions, Integer> use) {
    Raw.SessionOptions raw = over(engine.recommended);
    if (adapter == null) {
      return withGrammar(engine, raw, use);
    }
    return adapter.with(handle -> {
      raw.adapter = handle;
      return withGrammar(engine, raw, use);
    });
  }

  /** A grammar of jsonSchema is the session's alone from then on. */
  private int withGrammar(Engine engine, Raw.SessionOptions raw,
      Function<Raw.SessionOptions, Integer> use) {
    Function<Grammar, Integer> useWith = chosen -> chosen.with(handle -> {
      raw.grammar = handle;
      return use.apply(raw);
    });
    if (jsonSchema != null) {
      if (grammar != null) {
        throw new IllegalArgumentException("of grammar and jsonSchema one is given");
      }
      try (Grammar made = engine.model.grammar(jsonSchema,
          new GrammarOptions().oneSpace(true).namedOnly(true))) {
        return useWith.apply(made);
      }
    }
    return grammar == null ? use.apply(raw) : useWith.apply(grammar);
  }

  /** What is said wins over what is recommended. */
  private Raw.SessionOptions over(SessionOptions recommendation) {
    Raw.SessionOptions raw = defaults();
    if (recommended) {
      recommendation.said.forEach(say -> say.accept(raw));
    }
    said.forEach(say -> say.accept(raw));
    return raw;
  }
}
