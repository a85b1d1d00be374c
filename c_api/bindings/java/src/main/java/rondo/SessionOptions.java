package rondo;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import java.util.Map;

/** rondo_session_options of rondo.h, with the library's defaults: set what is to differ. */
public final class SessionOptions {
  final Raw.SessionOptions raw = new Raw.SessionOptions();
  private Memory[] stopStrings; // what `raw` points to

  public SessionOptions() {
    Rondo.check(Rondo.RAW.rondo_session_options_init(raw, new SizeT(raw.size())));
  }

  /** Sets what the model's makers recommend for sampling. */
  public SessionOptions recommendedBy(Model model) {
    Rondo.check(model.call(handle -> Rondo.RAW.rondo_model_session_options(handle, raw)));
    return this;
  }

  public SessionOptions temperature(double temperature) {
    raw.temperature = (float) temperature;
    return this;
  }

  public SessionOptions topK(int tokens) {
    raw.top_k = tokens;
    return this;
  }

  public SessionOptions topP(double share) {
    raw.top_p = (float) share;
    return this;
  }

  public SessionOptions minP(double share) {
    raw.min_p = (float) share;
    return this;
  }

  public SessionOptions repetitionPenalty(double penalty) {
    raw.repetition_penalty = (float) penalty;
    return this;
  }

  public SessionOptions presencePenalty(double penalty) {
    raw.presence_penalty = (float) penalty;
    return this;
  }

  public SessionOptions frequencyPenalty(double penalty) {
    raw.frequency_penalty = (float) penalty;
    return this;
  }

  public SessionOptions penaltyLastN(int tokens) {
    raw.penalty_last_n = tokens;
    return this;
  }

  public SessionOptions noRepeatNgramSize(int tokens) {
    raw.no_repeat_ngram_size = tokens;
    return this;
  }

  public SessionOptions ignoreEos(boolean ignore) {
    raw.ignore_eos = ignore ? 1 : 0;
    return this;
  }

  public SessionOptions logprobs(boolean wanted) {
    raw.logprobs = wanted ? 1 : 0;
    return this;
  }

  public SessionOptions seed(long seed) {
    raw.seed = seed;
    return this;
  }

  public SessionOptions maxTokens(long tokens) {
    raw.max_tokens = tokens;
    return this;
  }

  public SessionOptions speculation(Speculation from) {
    raw.speculation = from.value;
    return this;
  }

  public SessionOptions maxDrafts(int tokens) {
    raw.max_drafts = tokens;
    return this;
  }

  /** Strings that end a generation. */
  public SessionOptions stop(String... strings) {
    stopStrings = new Memory[strings.length];
    Memory list = new Memory(Math.max(strings.length, 1) * (long) Native.POINTER_SIZE);
    for (int i = 0; i < strings.length; ++i) {
      stopStrings[i] = Memories.zeroTerminated(strings[i]);
      list.setPointer(i * (long) Native.POINTER_SIZE, stopStrings[i]);
    }
    raw.stop_strings = list;
    raw.n_stop_strings = new SizeT(strings.length);
    return this;
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
    raw.logit_bias = list;
    raw.n_logit_bias = new SizeT(bias.size());
    return this;
  }
}
