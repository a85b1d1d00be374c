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

  // generated from here: options
  /** Divides the logits before the draw. 0 or more; default 0: the most likely token; of equals,
   * the lowest id. */
  public SessionOptions temperature(double temperature) {
    return say(raw -> raw.temperature = (float) temperature);
  }

  /** Keep the k most likely. 0 or more; default 0: off. */
  public SessionOptions topK(int topK) {
    return say(raw -> raw.top_k = topK);
  }

  /** Keep the fewest that together reach this share. Above 0, at most 1; default 1: off. */
  public SessionOptions topP(double topP) {
    return say(raw -> raw.top_p = (float) topP);
  }

  /** Keep those of at least this share of the best's probability. From 0, below 1; default 0: off.
   * */
  public SessionOptions minP(double minP) {
    return say(raw -> raw.min_p = (float) minP);
  }

  /** Divides positive and multiplies negative logits. Above 0; default 1: off. */
  public SessionOptions repetitionPenalty(double repetitionPenalty) {
    return say(raw -> raw.repetition_penalty = (float) repetitionPenalty);
  }

  /** Subtracted once from the logit of each token seen. Default 0. */
  public SessionOptions presencePenalty(double presencePenalty) {
    return say(raw -> raw.presence_penalty = (float) presencePenalty);
  }

  /** Subtracted for each time that it was seen. Default 0. */
  public SessionOptions frequencyPenalty(double frequencyPenalty) {
    return say(raw -> raw.frequency_penalty = (float) frequencyPenalty);
  }

  /** Last tokens that penalties look at. 0 to 4096; default 64. */
  public SessionOptions penaltyLastN(int penaltyLastN) {
    return say(raw -> raw.penalty_last_n = penaltyLastN);
  }

  /** True: end tokens are tokens like others, but that a grammar's text has none that it does not
   * name. */
  public SessionOptions ignoreEos(boolean ignoreEos) {
    return say(raw -> raw.ignore_eos = ignoreEos ? 1 : 0);
  }

  /** True: events tell log-probabilities. */
  public SessionOptions logprobs(boolean logprobs) {
    return say(raw -> raw.logprobs = logprobs ? 1 : 0);
  }

  /** N: no n tokens are generated that follow each other in the last 4096 tokens of the sequence,
   * prompt included. At most 256; default 0: off. */
  public SessionOptions noRepeatNgramSize(int noRepeatNgramSize) {
    return say(raw -> raw.no_repeat_ngram_size = noRepeatNgramSize);
  }

  /** Equal ones give equal draws. Default 0. */
  public SessionOptions seed(long seed) {
    return say(raw -> raw.seed = seed);
  }

  /** Tokens generated after each prefill. Default 0: no limit. */
  public SessionOptions maxTokens(long maxTokens) {
    return say(raw -> raw.max_tokens = maxTokens);
  }

  /** Where drafts come from. One of Speculation; default Speculation.NONE. */
  public SessionOptions speculation(Speculation speculation) {
    return say(raw -> raw.speculation = speculation.value);
  }

  /** Drafts that one pass verifies; less than maxRows. At most 7; default 0: as many as there may
   * be. */
  public SessionOptions maxDrafts(int maxDrafts) {
    return say(raw -> raw.max_drafts = maxDrafts);
  }

  /** Where the grammar begins. One of GrammarBegin; default GrammarBegin.AT_ONCE. */
  public SessionOptions grammarBegin(GrammarBegin grammarBegin) {
    return say(raw -> raw.grammar_begin = grammarBegin.value);
  }

  /** The token of GrammarBegin.AFTER_TOKEN. 0 or more; default 0. */
  public SessionOptions grammarToken(int grammarToken) {
    return say(raw -> raw.grammar_token = grammarToken);
  }

  /** True: where the grammar's text is whole the generation goes on without it, with AFTER_TOKEN up
   * to the next grammarToken; an end token ends it as ever. */
  public SessionOptions grammarGoesOn(boolean grammarGoesOn) {
    return say(raw -> raw.grammar_goes_on = grammarGoesOn ? 1 : 0);
  }

  /** True: thoughts are told from the rest; the text of a grammar has none. */
  public SessionOptions thinking(boolean thinking) {
    return say(raw -> raw.thinking = thinking ? 1 : 0);
  }

  /** Of a thought: where it has so many, and a whole character, it is ended by the tokens of
   * thinkingEnd, whatever the model would say. Default 0: no limit. */
  public SessionOptions thinkingTokens(long thinkingTokens) {
    return say(raw -> raw.thinking_tokens = thinkingTokens);
  }
  // generated to here

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

  /** The texts around a thought, in place of those of the model's chat template. */
  public SessionOptions thinkingTexts(String begin, String end) {
    Memory before = Memories.zeroTerminated(begin);
    Memory behind = Memories.zeroTerminated(end);
    return say(raw -> {
      raw.thinking_begin = before;
      raw.thinking_end = behind;
    });
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
      SessionOptions options = new SessionOptions();
      // generated from here: recommended
      options.temperature(raw.temperature);
      options.topK(raw.top_k);
      options.topP(raw.top_p);
      options.minP(raw.min_p);
      options.repetitionPenalty(raw.repetition_penalty);
      options.penaltyLastN(raw.penalty_last_n);
      options.noRepeatNgramSize(raw.no_repeat_ngram_size);
      // generated to here
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
