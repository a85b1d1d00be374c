package rondo;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/** How a session generates: rondo_session_options of rondo.h. Where nothing is said it samples as the
 * model's makers recommend it. Never changes. */
public final class SessionOptions {
  private final Said<Structs.SessionOptions> said;
  private final boolean recommended;
  private final Adapter adapter;
  private final Grammar grammar;
  private final String jsonSchema;

  private SessionOptions(Builder builder) {
    said = builder.said.copy();
    recommended = builder.recommended;
    adapter = builder.adapter;
    grammar = builder.grammar;
    jsonSchema = builder.jsonSchema;
  }

  /** To say what is to differ. */
  public static Builder builder() {
    return new Builder();
  }

  static SessionOptions of(Consumer<Builder> say) {
    Builder builder = builder();
    say.accept(builder);
    return builder.build();
  }

  /** Calls `use` with all of it. A grammar of jsonSchema is the session's alone from then on. */
  <T> T with(Engine engine, BiFunction<Scratch, ByteBuffer, T> use) {
    if (jsonSchema != null) {
      try (Grammar made = Grammar.create(engine.modelState.handle(), GrammarKind.JSON_SCHEMA, jsonSchema,
          GrammarOptions.builder().oneSpace(true).namedOnly(true).build())) {
        return with(engine, made, use);
      }
    }
    return with(engine, grammar, use);
  }

  private <T> T with(Engine engine, Grammar chosen, BiFunction<Scratch, ByteBuffer, T> use) {
    try (Scratch scratch = new Scratch()) {
      Structs.SessionOptions raw = new Structs.SessionOptions(scratch);
      Rondo.check(Raw.rondo_session_options_init(raw.bytes, Structs.SessionOptions.SIZE));
      if (recommended) {
        Rondo.check(Raw.rondo_model_session_options(engine.modelState.handle(), raw.bytes));
      }
      said.write(raw, scratch);
      return given(adapter, adapted -> {
        raw.adapter(adapted);
        return given(chosen, ruled -> {
          raw.grammar(ruled);
          return use.apply(scratch, raw.bytes);
        });
      });
    }
  }

  /** 0 for none. */
  private static <T> T given(Handle one, java.util.function.LongFunction<T> use) {
    return one == null ? use.apply(0) : one.with(use);
  }

  /** What a session must keep beyond the library's own references: the memory of an adapter. */
  Handle.State kept() {
    return adapter == null ? null : adapter.state;
  }

  /** The options that were said. */
  @Override
  public String toString() {
    return "SessionOptions" + said;
  }

  /** Says options, each by a method of its name. A value that no library takes is refused at once. */
  public static final class Builder {
    private final Said<Structs.SessionOptions> said = new Said<>();
    private boolean recommended = true;
    private Adapter adapter;
    private Grammar grammar;
    private String jsonSchema;

    private Builder() {}

    private Builder say(String option, Said.Setting<Structs.SessionOptions> setting) {
      said.put(option, setting);
      return this;
    }

    /** False: what the model's makers recommend for sampling is not followed. */
    public Builder recommended(boolean recommended) {
      this.recommended = recommended;
      return this;
    }

    // generated from here: options
    /** Divides the logits before the draw. 0 or more; default 0: the most likely token; of equals,
     * the lowest id. */
    public Builder temperature(double temperature) {
      Check.number("temperature", temperature, 0, false, Float.MAX_VALUE, false);
      return say("temperature", (to, scratch) -> to.temperature((float) temperature));
    }

    /** Keep the k most likely. 0 or more; default 0: off. */
    public Builder topK(int topK) {
      Check.whole("topK", topK, 0, Integer.MAX_VALUE);
      return say("topK", (to, scratch) -> to.topK(topK));
    }

    /** Keep the fewest that together reach this share. Above 0, at most 1; default 1: off. */
    public Builder topP(double topP) {
      Check.number("topP", topP, 0, true, 1, false);
      return say("topP", (to, scratch) -> to.topP((float) topP));
    }

    /** Keep those of at least this share of the best's probability. From 0, below 1; default 0:
     * off. */
    public Builder minP(double minP) {
      Check.number("minP", minP, 0, false, 1, true);
      return say("minP", (to, scratch) -> to.minP((float) minP));
    }

    /** Divides positive and multiplies negative logits. Above 0; default 1: off. */
    public Builder repetitionPenalty(double repetitionPenalty) {
      Check.number("repetitionPenalty", repetitionPenalty, 0, true, Float.MAX_VALUE, false);
      return say("repetitionPenalty", (to, scratch) -> to.repetitionPenalty((float) repetitionPenalty));
    }

    /** Subtracted once from the logit of each token seen. Default 0. */
    public Builder presencePenalty(double presencePenalty) {
      Check.number("presencePenalty", presencePenalty, -Float.MAX_VALUE, false, Float.MAX_VALUE, false);
      return say("presencePenalty", (to, scratch) -> to.presencePenalty((float) presencePenalty));
    }

    /** Subtracted for each time that it was seen. Default 0. */
    public Builder frequencyPenalty(double frequencyPenalty) {
      Check.number("frequencyPenalty", frequencyPenalty, -Float.MAX_VALUE, false, Float.MAX_VALUE, false);
      return say("frequencyPenalty", (to, scratch) -> to.frequencyPenalty((float) frequencyPenalty));
    }

    /** Last tokens that penalties look at. 0 to 4096; default 64. */
    public Builder penaltyLastN(int penaltyLastN) {
      Check.whole("penaltyLastN", penaltyLastN, 0, 4096);
      return say("penaltyLastN", (to, scratch) -> to.penaltyLastN(penaltyLastN));
    }

    /** True: end tokens are tokens like others, but that a grammar's text has none that it does not
     * name. */
    public Builder ignoreEos(boolean ignoreEos) {
      return say("ignoreEos", (to, scratch) -> to.ignoreEos(ignoreEos ? 1 : 0));
    }

    /** True: events tell log-probabilities. */
    public Builder logprobs(boolean logprobs) {
      return say("logprobs", (to, scratch) -> to.logprobs(logprobs ? 1 : 0));
    }

    /** N: no n tokens are generated that follow each other in the last 4096 tokens of the sequence,
     * prompt included. At most 256; default 0: off. */
    public Builder noRepeatNgramSize(int noRepeatNgramSize) {
      Check.whole("noRepeatNgramSize", noRepeatNgramSize, 0, 256);
      return say("noRepeatNgramSize", (to, scratch) -> to.noRepeatNgramSize(noRepeatNgramSize));
    }

    /** Equal ones give equal draws. Default 0. */
    public Builder seed(long seed) {
      Check.whole("seed", seed, 0, Long.MAX_VALUE);
      return say("seed", (to, scratch) -> to.seed(seed));
    }

    /** Tokens generated after each prefill. Default 0: no limit. */
    public Builder maxTokens(long maxTokens) {
      Check.whole("maxTokens", maxTokens, 0, Long.MAX_VALUE);
      return say("maxTokens", (to, scratch) -> to.maxTokens(maxTokens));
    }

    /** Where drafts come from. One of Speculation; default Speculation.NONE. */
    public Builder speculation(Speculation speculation) {
      Check.known("speculation", speculation);
      return say("speculation", (to, scratch) -> to.speculation(speculation.value));
    }

    /** Drafts that one pass verifies; less than maxRows. At most 7; default 0: as many as there may
     * be. */
    public Builder maxDrafts(int maxDrafts) {
      Check.whole("maxDrafts", maxDrafts, 0, 7);
      return say("maxDrafts", (to, scratch) -> to.maxDrafts(maxDrafts));
    }

    /** Where the grammar begins. One of GrammarBegin; default GrammarBegin.AT_ONCE. */
    public Builder grammarBegin(GrammarBegin grammarBegin) {
      Check.known("grammarBegin", grammarBegin);
      return say("grammarBegin", (to, scratch) -> to.grammarBegin(grammarBegin.value));
    }

    /** The token of GrammarBegin.AFTER_TOKEN. 0 or more; default 0. */
    public Builder grammarToken(int grammarToken) {
      Check.whole("grammarToken", grammarToken, 0, Integer.MAX_VALUE);
      return say("grammarToken", (to, scratch) -> to.grammarToken(grammarToken));
    }

    /** True: where the grammar's text is whole the generation goes on without it, with AFTER_TOKEN
     * up to the next grammarToken; an end token ends it as ever. */
    public Builder grammarGoesOn(boolean grammarGoesOn) {
      return say("grammarGoesOn", (to, scratch) -> to.grammarGoesOn(grammarGoesOn ? 1 : 0));
    }

    /** True: thoughts are told from the rest; the text of a grammar has none. */
    public Builder thinking(boolean thinking) {
      return say("thinking", (to, scratch) -> to.thinking(thinking ? 1 : 0));
    }

    /** Of a thought: where it has so many, and a whole character, it is ended by the tokens of
     * thinkingEnd, whatever the model would say. Default 0: no limit. */
    public Builder thinkingTokens(long thinkingTokens) {
      Check.whole("thinkingTokens", thinkingTokens, 0, Long.MAX_VALUE);
      return say("thinkingTokens", (to, scratch) -> to.thinkingTokens(thinkingTokens));
    }
    // generated to here

    /** Texts that end a generation, which ends before them. */
    public Builder stop(String... texts) {
      return stop(List.of(texts));
    }

    /** The same. */
    public Builder stop(List<String> texts) {
      List<String> copy = List.copyOf(texts);
      copy.forEach(text -> {
        if (text.isEmpty() || text.indexOf('\0') >= 0) {
          throw new IllegalArgumentException("stop has an empty text, or one with a zero character");
        }
      });
      return say("stop", (to, scratch) -> {
        long[] addresses =
            copy.stream().mapToLong(text -> scratch.address(scratch.text("stop", text))).toArray();
        to.stopStrings(scratch.address(scratch.pointers(addresses)));
        to.nStopStrings(addresses.length);
      });
    }

    /** What is added to a token's logit, by its id; minus infinity forbids it. */
    public Builder logitBias(Map<Integer, ? extends Number> bias) {
      Map<Integer, Float> copy = new TreeMap<>();
      bias.forEach((token, value) -> {
        if (Float.isNaN(value.floatValue()) || value.floatValue() == Float.POSITIVE_INFINITY) {
          throw new IllegalArgumentException("logitBias of token " + token + " is " + value);
        }
        copy.put(token, value.floatValue());
      });
      return say("logitBias", (to, scratch) -> {
        ByteBuffer list = scratch.take((long) Structs.LogitBias.SIZE * copy.size());
        int at = 0;
        for (Map.Entry<Integer, Float> one : copy.entrySet()) {
          list.putInt(at, one.getKey());
          list.putFloat(at + 4, one.getValue());
          at += Structs.LogitBias.SIZE;
        }
        to.logitBias(scratch.address(list));
        to.nLogitBias(copy.size());
      });
    }

    /** What is added to the model, where the engine's adapterRank has room for it. A fork has its
     * source's. */
    public Builder adapter(Adapter adapter) {
      this.adapter = adapter;
      return this;
    }

    /** What each generation must be a text of. */
    public Builder grammar(Grammar grammar) {
      this.grammar = grammar;
      return this;
    }

    /** In its place a JSON Schema, of which the session makes a grammar of its own, with oneSpace and
     * namedOnly: JSON as people write it. */
    public Builder jsonSchema(String jsonSchema) {
      this.jsonSchema = jsonSchema;
      return this;
    }

    /** The texts around a thought, in place of those of the model's chat template. */
    public Builder thinkingTexts(String begin, String end) {
      Check.given("begin", begin);
      Check.given("end", end);
      return say("thinkingTexts", (to, scratch) -> {
        to.thinkingBegin(scratch.address(scratch.text("begin", begin)));
        to.thinkingEnd(scratch.address(scratch.text("end", end)));
      });
    }

    public SessionOptions build() {
      if (grammar != null && jsonSchema != null) {
        throw new IllegalArgumentException("of grammar and jsonSchema one is given");
      }
      return new SessionOptions(this);
    }
  }
}
