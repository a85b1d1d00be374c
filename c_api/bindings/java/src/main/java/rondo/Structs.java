// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
package rondo;

import java.nio.ByteBuffer;

/** The structs of rondo.h where they lie in memory. */
final class Structs {
  private static final int[] AT = Natives.layouts();

  private Structs() {}

  /** rondo_model_part. */
  static final class ModelPart extends Struct {
    static final int SIZE = AT[0];

    ModelPart(ByteBuffer bytes) {
      super(bytes);
    }

    ModelPart(Scratch scratch) {
      super(scratch.take(SIZE));
    }

    long bytes() {
      return getPointer(AT[1]);
    }

    void bytes(long value) {
      putPointer(AT[1], value);
    }

    long length() {
      return getPointer(AT[2]);
    }

    void length(long value) {
      putPointer(AT[2], value);
    }
  }

  /** rondo_model_facts. */
  static final class ModelFacts extends Struct {
    static final int SIZE = AT[3];

    ModelFacts(ByteBuffer bytes) {
      super(bytes);
    }

    ModelFacts(Scratch scratch) {
      super(scratch.take(SIZE));
      structSize(SIZE);
    }

    int structSize() {
      return getInt(AT[4]);
    }

    void structSize(int value) {
      putInt(AT[4], value);
    }

    int vocabSize() {
      return getInt(AT[5]);
    }

    void vocabSize(int value) {
      putInt(AT[5], value);
    }

    int contextLength() {
      return getInt(AT[6]);
    }

    void contextLength(int value) {
      putInt(AT[6], value);
    }

    int hiddenSize() {
      return getInt(AT[7]);
    }

    void hiddenSize(int value) {
      putInt(AT[7], value);
    }

    int nLayers() {
      return getInt(AT[8]);
    }

    void nLayers(int value) {
      putInt(AT[8], value);
    }

    int nHeads() {
      return getInt(AT[9]);
    }

    void nHeads(int value) {
      putInt(AT[9], value);
    }

    int nKvHeads() {
      return getInt(AT[10]);
    }

    void nKvHeads(int value) {
      putInt(AT[10], value);
    }

    int headDim() {
      return getInt(AT[11]);
    }

    void headDim(int value) {
      putInt(AT[11], value);
    }

    int bosToken() {
      return getInt(AT[12]);
    }

    void bosToken(int value) {
      putInt(AT[12], value);
    }

    int nEosTokens() {
      return getInt(AT[13]);
    }

    void nEosTokens(int value) {
      putInt(AT[13], value);
    }

    int hasTokenizer() {
      return getInt(AT[14]);
    }

    void hasTokenizer(int value) {
      putInt(AT[14], value);
    }

    int formatVersion() {
      return getInt(AT[15]);
    }

    void formatVersion(int value) {
      putInt(AT[15], value);
    }

    long fileBytes() {
      return getLong(AT[16]);
    }

    void fileBytes(long value) {
      putLong(AT[16], value);
    }

    long parameters() {
      return getLong(AT[17]);
    }

    void parameters(long value) {
      putLong(AT[17], value);
    }

    long tokenizerBytes() {
      return getLong(AT[18]);
    }

    void tokenizerBytes(long value) {
      putLong(AT[18], value);
    }

    int pictureToken() {
      return getInt(AT[19]);
    }

    void pictureToken(int value) {
      putInt(AT[19], value);
    }

    int reserved() {
      return getInt(AT[20]);
    }

    void reserved(int value) {
      putInt(AT[20], value);
    }
  }

  /** rondo_grammar_options. */
  static final class GrammarOptions extends Struct {
    static final int SIZE = AT[21];

    GrammarOptions(ByteBuffer bytes) {
      super(bytes);
    }

    GrammarOptions(Scratch scratch) {
      super(scratch.take(SIZE));
      structSize(SIZE);
    }

    int structSize() {
      return getInt(AT[22]);
    }

    void structSize(int value) {
      putInt(AT[22], value);
    }

    int kind() {
      return getInt(AT[23]);
    }

    void kind(int value) {
      putInt(AT[23], value);
    }

    int flags() {
      return getInt(AT[24]);
    }

    void flags(int value) {
      putInt(AT[24], value);
    }

    int reserved() {
      return getInt(AT[25]);
    }

    void reserved(int value) {
      putInt(AT[25], value);
    }

    long memoryBytes() {
      return getLong(AT[26]);
    }

    void memoryBytes(long value) {
      putLong(AT[26], value);
    }
  }

  /** rondo_adapter_facts. */
  static final class AdapterFacts extends Struct {
    static final int SIZE = AT[27];

    AdapterFacts(ByteBuffer bytes) {
      super(bytes);
    }

    AdapterFacts(Scratch scratch) {
      super(scratch.take(SIZE));
      structSize(SIZE);
    }

    int structSize() {
      return getInt(AT[28]);
    }

    void structSize(int value) {
      putInt(AT[28], value);
    }

    int rank() {
      return getInt(AT[29]);
    }

    void rank(int value) {
      putInt(AT[29], value);
    }

    int nMatrices() {
      return getInt(AT[30]);
    }

    void nMatrices(int value) {
      putInt(AT[30], value);
    }

    int reserved() {
      return getInt(AT[31]);
    }

    void reserved(int value) {
      putInt(AT[31], value);
    }

    long fileBytes() {
      return getLong(AT[32]);
    }

    void fileBytes(long value) {
      putLong(AT[32], value);
    }
  }

  /** rondo_engine_options. */
  static final class EngineOptions extends Struct {
    static final int SIZE = AT[33];

    EngineOptions(ByteBuffer bytes) {
      super(bytes);
    }

    EngineOptions(Scratch scratch) {
      super(scratch.take(SIZE));
      structSize(SIZE);
    }

    int structSize() {
      return getInt(AT[34]);
    }

    void structSize(int value) {
      putInt(AT[34], value);
    }

    int context() {
      return getInt(AT[35]);
    }

    void context(int value) {
      putInt(AT[35], value);
    }

    int maxSessions() {
      return getInt(AT[36]);
    }

    void maxSessions(int value) {
      putInt(AT[36], value);
    }

    int maxRows() {
      return getInt(AT[37]);
    }

    void maxRows(int value) {
      putInt(AT[37], value);
    }

    int threads() {
      return getInt(AT[38]);
    }

    void threads(int value) {
      putInt(AT[38], value);
    }

    int contextPolicy() {
      return getInt(AT[39]);
    }

    void contextPolicy(int value) {
      putInt(AT[39], value);
    }

    int sinkTokens() {
      return getInt(AT[40]);
    }

    void sinkTokens(int value) {
      putInt(AT[40], value);
    }

    int kvFormat() {
      return getInt(AT[41]);
    }

    void kvFormat(int value) {
      putInt(AT[41], value);
    }

    long kernels() {
      return getPointer(AT[42]);
    }

    void kernels(long value) {
      putPointer(AT[42], value);
    }

    long progress() {
      return getPointer(AT[43]);
    }

    void progress(long value) {
      putPointer(AT[43], value);
    }

    long progressUser() {
      return getPointer(AT[44]);
    }

    void progressUser(long value) {
      putPointer(AT[44], value);
    }

    int kvTokens() {
      return getInt(AT[45]);
    }

    void kvTokens(int value) {
      putInt(AT[45], value);
    }

    int rowsPerStep() {
      return getInt(AT[46]);
    }

    void rowsPerStep(int value) {
      putInt(AT[46], value);
    }

    int noPrefixCache() {
      return getInt(AT[47]);
    }

    void noPrefixCache(int value) {
      putInt(AT[47], value);
    }

    int profileEvents() {
      return getInt(AT[48]);
    }

    void profileEvents(int value) {
      putInt(AT[48], value);
    }

    long parallelFor() {
      return getPointer(AT[49]);
    }

    void parallelFor(long value) {
      putPointer(AT[49], value);
    }

    long parallelUser() {
      return getPointer(AT[50]);
    }

    void parallelUser(long value) {
      putPointer(AT[50], value);
    }

    long log() {
      return getPointer(AT[51]);
    }

    void log(long value) {
      putPointer(AT[51], value);
    }

    long logUser() {
      return getPointer(AT[52]);
    }

    void logUser(long value) {
      putPointer(AT[52], value);
    }

    int logLevel() {
      return getInt(AT[53]);
    }

    void logLevel(int value) {
      putInt(AT[53], value);
    }

    int dutyPercent() {
      return getInt(AT[54]);
    }

    void dutyPercent(int value) {
      putInt(AT[54], value);
    }

    long draft() {
      return getPointer(AT[55]);
    }

    void draft(long value) {
      putPointer(AT[55], value);
    }

    int draftHead() {
      return getInt(AT[56]);
    }

    void draftHead(int value) {
      putInt(AT[56], value);
    }

    int reserved() {
      return getInt(AT[57]);
    }

    void reserved(int value) {
      putInt(AT[57], value);
    }

    long cpus() {
      return getPointer(AT[58]);
    }

    void cpus(long value) {
      putPointer(AT[58], value);
    }

    int nCpus() {
      return getInt(AT[59]);
    }

    void nCpus(int value) {
      putInt(AT[59], value);
    }

    int affinity() {
      return getInt(AT[60]);
    }

    void affinity(int value) {
      putInt(AT[60], value);
    }

    int adapterRank() {
      return getInt(AT[61]);
    }

    void adapterRank(int value) {
      putInt(AT[61], value);
    }

    int reserved2() {
      return getInt(AT[62]);
    }

    void reserved2(int value) {
      putInt(AT[62], value);
    }

    int maxInputRows() {
      return getInt(AT[63]);
    }

    void maxInputRows(int value) {
      putInt(AT[63], value);
    }

    int reserved3() {
      return getInt(AT[64]);
    }

    void reserved3(int value) {
      putInt(AT[64], value);
    }

    int maxMediaRows() {
      return getInt(AT[65]);
    }

    void maxMediaRows(int value) {
      putInt(AT[65], value);
    }

    int reserved4() {
      return getInt(AT[66]);
    }

    void reserved4(int value) {
      putInt(AT[66], value);
    }
  }

  /** rondo_memory_plan. */
  static final class MemoryPlan extends Struct {
    static final int SIZE = AT[67];

    MemoryPlan(ByteBuffer bytes) {
      super(bytes);
    }

    MemoryPlan(Scratch scratch) {
      super(scratch.take(SIZE));
      structSize(SIZE);
    }

    int structSize() {
      return getInt(AT[68]);
    }

    void structSize(int value) {
      putInt(AT[68], value);
    }

    int nRegions() {
      return getInt(AT[69]);
    }

    void nRegions(int value) {
      putInt(AT[69], value);
    }

    long arenaBytes() {
      return getLong(AT[70]);
    }

    void arenaBytes(long value) {
      putLong(AT[70], value);
    }

    long arenaAlignment() {
      return getLong(AT[71]);
    }

    void arenaAlignment(long value) {
      putLong(AT[71], value);
    }

    long weightsBytes() {
      return getLong(AT[72]);
    }

    void weightsBytes(long value) {
      putLong(AT[72], value);
    }

    long kvPoolBytes() {
      return getLong(AT[73]);
    }

    void kvPoolBytes(long value) {
      putLong(AT[73], value);
    }

    long sessionsBytes() {
      return getLong(AT[74]);
    }

    void sessionsBytes(long value) {
      putLong(AT[74], value);
    }

    long activationsBytes() {
      return getLong(AT[75]);
    }

    void activationsBytes(long value) {
      putLong(AT[75], value);
    }

    long workspaceBytes() {
      return getLong(AT[76]);
    }

    void workspaceBytes(long value) {
      putLong(AT[76], value);
    }

    long activationsLowerBound() {
      return getLong(AT[77]);
    }

    void activationsLowerBound(long value) {
      putLong(AT[77], value);
    }

    long kvBytesPerToken() {
      return getLong(AT[78]);
    }

    void kvBytesPerToken(long value) {
      putLong(AT[78], value);
    }

    int kvBlockTokens() {
      return getInt(AT[79]);
    }

    void kvBlockTokens(int value) {
      putInt(AT[79], value);
    }

    int context() {
      return getInt(AT[80]);
    }

    void context(int value) {
      putInt(AT[80], value);
    }

    int maxSessions() {
      return getInt(AT[81]);
    }

    void maxSessions(int value) {
      putInt(AT[81], value);
    }

    int maxRows() {
      return getInt(AT[82]);
    }

    void maxRows(int value) {
      putInt(AT[82], value);
    }

    int threads() {
      return getInt(AT[83]);
    }

    void threads(int value) {
      putInt(AT[83], value);
    }

    int sinkTokens() {
      return getInt(AT[84]);
    }

    void sinkTokens(int value) {
      putInt(AT[84], value);
    }

    long kernels() {
      return getPointer(AT[85]);
    }

    void kernels(long value) {
      putPointer(AT[85], value);
    }

    long mappedBytes() {
      return getLong(AT[86]);
    }

    void mappedBytes(long value) {
      putLong(AT[86], value);
    }

    long kvTokens() {
      return getLong(AT[87]);
    }

    void kvTokens(long value) {
      putLong(AT[87], value);
    }

    int rowsPerStep() {
      return getInt(AT[88]);
    }

    void rowsPerStep(int value) {
      putInt(AT[88], value);
    }

    int reserved() {
      return getInt(AT[89]);
    }

    void reserved(int value) {
      putInt(AT[89], value);
    }
  }

  /** rondo_memory_region. */
  static final class MemoryRegion extends Struct {
    static final int SIZE = AT[90];

    MemoryRegion(ByteBuffer bytes) {
      super(bytes);
    }

    MemoryRegion(Scratch scratch) {
      super(scratch.take(SIZE));
      structSize(SIZE);
    }

    int structSize() {
      return getInt(AT[91]);
    }

    void structSize(int value) {
      putInt(AT[91], value);
    }

    int segment() {
      return getInt(AT[92]);
    }

    void segment(int value) {
      putInt(AT[92], value);
    }

    long offset() {
      return getLong(AT[93]);
    }

    void offset(long value) {
      putLong(AT[93], value);
    }

    long bytes() {
      return getLong(AT[94]);
    }

    void bytes(long value) {
      putLong(AT[94], value);
    }

    int firstStep() {
      return getInt(AT[95]);
    }

    void firstStep(int value) {
      putInt(AT[95], value);
    }

    int lastStep() {
      return getInt(AT[96]);
    }

    void lastStep(int value) {
      putInt(AT[96], value);
    }

    String name() {
      return getText(AT[97], 48);
    }
  }

  /** rondo_engine_counters. */
  static final class EngineCounters extends Struct {
    static final int SIZE = AT[98];

    EngineCounters(ByteBuffer bytes) {
      super(bytes);
    }

    EngineCounters(Scratch scratch) {
      super(scratch.take(SIZE));
      structSize(SIZE);
    }

    int structSize() {
      return getInt(AT[99]);
    }

    void structSize(int value) {
      putInt(AT[99], value);
    }

    int sessionsOpen() {
      return getInt(AT[100]);
    }

    void sessionsOpen(int value) {
      putInt(AT[100], value);
    }

    int ownsArena() {
      return getInt(AT[101]);
    }

    void ownsArena(int value) {
      putInt(AT[101], value);
    }

    int reserved() {
      return getInt(AT[102]);
    }

    void reserved(int value) {
      putInt(AT[102], value);
    }

    long tokensPrefilled() {
      return getLong(AT[103]);
    }

    void tokensPrefilled(long value) {
      putLong(AT[103], value);
    }

    long tokensGenerated() {
      return getLong(AT[104]);
    }

    void tokensGenerated(long value) {
      putLong(AT[104], value);
    }

    long tokensTakenOver() {
      return getLong(AT[105]);
    }

    void tokensTakenOver(long value) {
      putLong(AT[105], value);
    }

    long parallelFaults() {
      return getLong(AT[106]);
    }

    void parallelFaults(long value) {
      putLong(AT[106], value);
    }

    long passes() {
      return getLong(AT[107]);
    }

    void passes(long value) {
      putLong(AT[107], value);
    }

    long rows() {
      return getLong(AT[108]);
    }

    void rows(long value) {
      putLong(AT[108], value);
    }

    long prefillNs() {
      return getLong(AT[109]);
    }

    void prefillNs(long value) {
      putLong(AT[109], value);
    }

    long decodeNs() {
      return getLong(AT[110]);
    }

    void decodeNs(long value) {
      putLong(AT[110], value);
    }

    long sampleNs() {
      return getLong(AT[111]);
    }

    void sampleNs(long value) {
      putLong(AT[111], value);
    }

    long prefixHits() {
      return getLong(AT[112]);
    }

    void prefixHits(long value) {
      putLong(AT[112], value);
    }

    long tokensEvicted() {
      return getLong(AT[113]);
    }

    void tokensEvicted(long value) {
      putLong(AT[113], value);
    }

    long kvBytesUsed() {
      return getLong(AT[114]);
    }

    void kvBytesUsed(long value) {
      putLong(AT[114], value);
    }

    long kvBytesTotal() {
      return getLong(AT[115]);
    }

    void kvBytesTotal(long value) {
      putLong(AT[115], value);
    }

    long draftsProposed() {
      return getLong(AT[116]);
    }

    void draftsProposed(long value) {
      putLong(AT[116], value);
    }

    long draftsAccepted() {
      return getLong(AT[117]);
    }

    void draftsAccepted(long value) {
      putLong(AT[117], value);
    }
  }

  /** rondo_profile_event. */
  static final class ProfileEvent extends Struct {
    static final int SIZE = AT[118];

    ProfileEvent(ByteBuffer bytes) {
      super(bytes);
    }

    ProfileEvent(Scratch scratch) {
      super(scratch.take(SIZE));
      structSize(SIZE);
    }

    int structSize() {
      return getInt(AT[119]);
    }

    void structSize(int value) {
      putInt(AT[119], value);
    }

    int layer() {
      return getInt(AT[120]);
    }

    void layer(int value) {
      putInt(AT[120], value);
    }

    int rows() {
      return getInt(AT[121]);
    }

    void rows(int value) {
      putInt(AT[121], value);
    }

    int inputs() {
      return getInt(AT[122]);
    }

    void inputs(int value) {
      putInt(AT[122], value);
    }

    int outputs() {
      return getInt(AT[123]);
    }

    void outputs(int value) {
      putInt(AT[123], value);
    }

    int reserved() {
      return getInt(AT[124]);
    }

    void reserved(int value) {
      putInt(AT[124], value);
    }

    long beginNs() {
      return getLong(AT[125]);
    }

    void beginNs(long value) {
      putLong(AT[125], value);
    }

    long durationNs() {
      return getLong(AT[126]);
    }

    void durationNs(long value) {
      putLong(AT[126], value);
    }

    long thread() {
      return getLong(AT[127]);
    }

    void thread(long value) {
      putLong(AT[127], value);
    }

    long name() {
      return getPointer(AT[128]);
    }

    void name(long value) {
      putPointer(AT[128], value);
    }
  }

  /** rondo_logit_bias. */
  static final class LogitBias extends Struct {
    static final int SIZE = AT[129];

    LogitBias(ByteBuffer bytes) {
      super(bytes);
    }

    LogitBias(Scratch scratch) {
      super(scratch.take(SIZE));
    }

    int token() {
      return getInt(AT[130]);
    }

    void token(int value) {
      putInt(AT[130], value);
    }

    float bias() {
      return getFloat(AT[131]);
    }

    void bias(float value) {
      putFloat(AT[131], value);
    }
  }

  /** rondo_session_options. */
  static final class SessionOptions extends Struct {
    static final int SIZE = AT[132];

    SessionOptions(ByteBuffer bytes) {
      super(bytes);
    }

    SessionOptions(Scratch scratch) {
      super(scratch.take(SIZE));
      structSize(SIZE);
    }

    int structSize() {
      return getInt(AT[133]);
    }

    void structSize(int value) {
      putInt(AT[133], value);
    }

    float temperature() {
      return getFloat(AT[134]);
    }

    void temperature(float value) {
      putFloat(AT[134], value);
    }

    int topK() {
      return getInt(AT[135]);
    }

    void topK(int value) {
      putInt(AT[135], value);
    }

    float topP() {
      return getFloat(AT[136]);
    }

    void topP(float value) {
      putFloat(AT[136], value);
    }

    float minP() {
      return getFloat(AT[137]);
    }

    void minP(float value) {
      putFloat(AT[137], value);
    }

    float repetitionPenalty() {
      return getFloat(AT[138]);
    }

    void repetitionPenalty(float value) {
      putFloat(AT[138], value);
    }

    float presencePenalty() {
      return getFloat(AT[139]);
    }

    void presencePenalty(float value) {
      putFloat(AT[139], value);
    }

    float frequencyPenalty() {
      return getFloat(AT[140]);
    }

    void frequencyPenalty(float value) {
      putFloat(AT[140], value);
    }

    int penaltyLastN() {
      return getInt(AT[141]);
    }

    void penaltyLastN(int value) {
      putInt(AT[141], value);
    }

    int ignoreEos() {
      return getInt(AT[142]);
    }

    void ignoreEos(int value) {
      putInt(AT[142], value);
    }

    int logprobs() {
      return getInt(AT[143]);
    }

    void logprobs(int value) {
      putInt(AT[143], value);
    }

    int noRepeatNgramSize() {
      return getInt(AT[144]);
    }

    void noRepeatNgramSize(int value) {
      putInt(AT[144], value);
    }

    long seed() {
      return getLong(AT[145]);
    }

    void seed(long value) {
      putLong(AT[145], value);
    }

    long maxTokens() {
      return getLong(AT[146]);
    }

    void maxTokens(long value) {
      putLong(AT[146], value);
    }

    long logitBias() {
      return getPointer(AT[147]);
    }

    void logitBias(long value) {
      putPointer(AT[147], value);
    }

    long nLogitBias() {
      return getPointer(AT[148]);
    }

    void nLogitBias(long value) {
      putPointer(AT[148], value);
    }

    long stopStrings() {
      return getPointer(AT[149]);
    }

    void stopStrings(long value) {
      putPointer(AT[149], value);
    }

    long nStopStrings() {
      return getPointer(AT[150]);
    }

    void nStopStrings(long value) {
      putPointer(AT[150], value);
    }

    int speculation() {
      return getInt(AT[151]);
    }

    void speculation(int value) {
      putInt(AT[151], value);
    }

    int maxDrafts() {
      return getInt(AT[152]);
    }

    void maxDrafts(int value) {
      putInt(AT[152], value);
    }

    long grammar() {
      return getPointer(AT[153]);
    }

    void grammar(long value) {
      putPointer(AT[153], value);
    }

    int grammarBegin() {
      return getInt(AT[154]);
    }

    void grammarBegin(int value) {
      putInt(AT[154], value);
    }

    int grammarToken() {
      return getInt(AT[155]);
    }

    void grammarToken(int value) {
      putInt(AT[155], value);
    }

    int grammarGoesOn() {
      return getInt(AT[156]);
    }

    void grammarGoesOn(int value) {
      putInt(AT[156], value);
    }

    int thinking() {
      return getInt(AT[157]);
    }

    void thinking(int value) {
      putInt(AT[157], value);
    }

    long thinkingBegin() {
      return getPointer(AT[158]);
    }

    void thinkingBegin(long value) {
      putPointer(AT[158], value);
    }

    long thinkingEnd() {
      return getPointer(AT[159]);
    }

    void thinkingEnd(long value) {
      putPointer(AT[159], value);
    }

    long thinkingTokens() {
      return getLong(AT[160]);
    }

    void thinkingTokens(long value) {
      putLong(AT[160], value);
    }

    long adapter() {
      return getPointer(AT[161]);
    }

    void adapter(long value) {
      putPointer(AT[161], value);
    }
  }

  /** rondo_event. */
  static final class Event extends Struct {
    static final int SIZE = AT[162];

    Event(ByteBuffer bytes) {
      super(bytes);
    }

    Event(Scratch scratch) {
      super(scratch.take(SIZE));
      structSize(SIZE);
    }

    int structSize() {
      return getInt(AT[163]);
    }

    void structSize(int value) {
      putInt(AT[163], value);
    }

    int token() {
      return getInt(AT[164]);
    }

    void token(int value) {
      putInt(AT[164], value);
    }

    float logprob() {
      return getFloat(AT[165]);
    }

    void logprob(float value) {
      putFloat(AT[165], value);
    }

    int reason() {
      return getInt(AT[166]);
    }

    void reason(int value) {
      putInt(AT[166], value);
    }

    long bytes() {
      return getPointer(AT[167]);
    }

    void bytes(long value) {
      putPointer(AT[167], value);
    }

    long bytesCount() {
      return getPointer(AT[168]);
    }

    void bytesCount(long value) {
      putPointer(AT[168], value);
    }

    long text() {
      return getPointer(AT[169]);
    }

    void text(long value) {
      putPointer(AT[169], value);
    }

    long textBytes() {
      return getPointer(AT[170]);
    }

    void textBytes(long value) {
      putPointer(AT[170], value);
    }

    long pending() {
      return getLong(AT[171]);
    }

    void pending(long value) {
      putLong(AT[171], value);
    }

    long takenOver() {
      return getLong(AT[172]);
    }

    void takenOver(long value) {
      putLong(AT[172], value);
    }

    int channel() {
      return getInt(AT[173]);
    }

    void channel(int value) {
      putInt(AT[173], value);
    }

    int reserved() {
      return getInt(AT[174]);
    }

    void reserved(int value) {
      putInt(AT[174], value);
    }
  }

  /** rondo_input. */
  static final class Input extends Struct {
    static final int SIZE = AT[175];

    Input(ByteBuffer bytes) {
      super(bytes);
    }

    Input(Scratch scratch) {
      super(scratch.take(SIZE));
      structSize(SIZE);
    }

    int structSize() {
      return getInt(AT[176]);
    }

    void structSize(int value) {
      putInt(AT[176], value);
    }

    int rowFormat() {
      return getInt(AT[177]);
    }

    void rowFormat(int value) {
      putInt(AT[177], value);
    }

    long ids() {
      return getPointer(AT[178]);
    }

    void ids(long value) {
      putPointer(AT[178], value);
    }

    long rows() {
      return getPointer(AT[179]);
    }

    void rows(long value) {
      putPointer(AT[179], value);
    }

    long count() {
      return getPointer(AT[180]);
    }

    void count(long value) {
      putPointer(AT[180], value);
    }

    long coordinates() {
      return getPointer(AT[181]);
    }

    void coordinates(long value) {
      putPointer(AT[181], value);
    }

    int seesWhole() {
      return getInt(AT[182]);
    }

    void seesWhole(int value) {
      putInt(AT[182], value);
    }

    int reserved() {
      return getInt(AT[183]);
    }

    void reserved(int value) {
      putInt(AT[183], value);
    }
  }

  /** rondo_image. */
  static final class Image extends Struct {
    static final int SIZE = AT[184];

    Image(ByteBuffer bytes) {
      super(bytes);
    }

    Image(Scratch scratch) {
      super(scratch.take(SIZE));
      structSize(SIZE);
    }

    int structSize() {
      return getInt(AT[185]);
    }

    void structSize(int value) {
      putInt(AT[185], value);
    }

    int format() {
      return getInt(AT[186]);
    }

    void format(int value) {
      putInt(AT[186], value);
    }

    int width() {
      return getInt(AT[187]);
    }

    void width(int value) {
      putInt(AT[187], value);
    }

    int height() {
      return getInt(AT[188]);
    }

    void height(int value) {
      putInt(AT[188], value);
    }

    long plane0() {
      return getPointer(AT[189]);
    }

    void plane0(long value) {
      putPointer(AT[189], value);
    }

    long plane1() {
      return getPointer(AT[190]);
    }

    void plane1(long value) {
      putPointer(AT[190], value);
    }

    long plane2() {
      return getPointer(AT[191]);
    }

    void plane2(long value) {
      putPointer(AT[191], value);
    }

    long stride0() {
      return getPointer(AT[192]);
    }

    void stride0(long value) {
      putPointer(AT[192], value);
    }

    long stride1() {
      return getPointer(AT[193]);
    }

    void stride1(long value) {
      putPointer(AT[193], value);
    }

    long stride2() {
      return getPointer(AT[194]);
    }

    void stride2(long value) {
      putPointer(AT[194], value);
    }

    int rotation() {
      return getInt(AT[195]);
    }

    void rotation(int value) {
      putInt(AT[195], value);
    }

    int mirror() {
      return getInt(AT[196]);
    }

    void mirror(int value) {
      putInt(AT[196], value);
    }

    int yuvRange() {
      return getInt(AT[197]);
    }

    void yuvRange(int value) {
      putInt(AT[197], value);
    }

    int yuvMatrix() {
      return getInt(AT[198]);
    }

    void yuvMatrix(int value) {
      putInt(AT[198], value);
    }
  }

  /** rondo_image_options. */
  static final class ImageOptions extends Struct {
    static final int SIZE = AT[199];

    ImageOptions(ByteBuffer bytes) {
      super(bytes);
    }

    ImageOptions(Scratch scratch) {
      super(scratch.take(SIZE));
      structSize(SIZE);
    }

    int structSize() {
      return getInt(AT[200]);
    }

    void structSize(int value) {
      putInt(AT[200], value);
    }

    int minTokens() {
      return getInt(AT[201]);
    }

    void minTokens(int value) {
      putInt(AT[201], value);
    }

    int maxTokens() {
      return getInt(AT[202]);
    }

    void maxTokens(int value) {
      putInt(AT[202], value);
    }

    int oneTile() {
      return getInt(AT[203]);
    }

    void oneTile(int value) {
      putInt(AT[203], value);
    }

    long progress() {
      return getPointer(AT[204]);
    }

    void progress(long value) {
      putPointer(AT[204], value);
    }

    long progressUser() {
      return getPointer(AT[205]);
    }

    void progressUser(long value) {
      putPointer(AT[205], value);
    }
  }

  /** rondo_image_facts. */
  static final class ImageFacts extends Struct {
    static final int SIZE = AT[206];

    ImageFacts(ByteBuffer bytes) {
      super(bytes);
    }

    ImageFacts(Scratch scratch) {
      super(scratch.take(SIZE));
      structSize(SIZE);
    }

    int structSize() {
      return getInt(AT[207]);
    }

    void structSize(int value) {
      putInt(AT[207], value);
    }

    int rows() {
      return getInt(AT[208]);
    }

    void rows(int value) {
      putInt(AT[208], value);
    }

    int positions() {
      return getInt(AT[209]);
    }

    void positions(int value) {
      putInt(AT[209], value);
    }

    int tileColumns() {
      return getInt(AT[210]);
    }

    void tileColumns(int value) {
      putInt(AT[210], value);
    }

    int tileRows() {
      return getInt(AT[211]);
    }

    void tileRows(int value) {
      putInt(AT[211], value);
    }

    int tilePixels() {
      return getInt(AT[212]);
    }

    void tilePixels(int value) {
      putInt(AT[212], value);
    }

    int wholeWidth() {
      return getInt(AT[213]);
    }

    void wholeWidth(int value) {
      putInt(AT[213], value);
    }

    int wholeHeight() {
      return getInt(AT[214]);
    }

    void wholeHeight(int value) {
      putInt(AT[214], value);
    }

    long patches() {
      return getLong(AT[215]);
    }

    void patches(long value) {
      putLong(AT[215], value);
    }
  }

  /** rondo_session_counters. */
  static final class SessionCounters extends Struct {
    static final int SIZE = AT[216];

    SessionCounters(ByteBuffer bytes) {
      super(bytes);
    }

    SessionCounters(Scratch scratch) {
      super(scratch.take(SIZE));
      structSize(SIZE);
    }

    int structSize() {
      return getInt(AT[217]);
    }

    void structSize(int value) {
      putInt(AT[217], value);
    }

    int reserved() {
      return getInt(AT[218]);
    }

    void reserved(int value) {
      putInt(AT[218], value);
    }

    long tokensPrefilled() {
      return getLong(AT[219]);
    }

    void tokensPrefilled(long value) {
      putLong(AT[219], value);
    }

    long tokensGenerated() {
      return getLong(AT[220]);
    }

    void tokensGenerated(long value) {
      putLong(AT[220], value);
    }

    long tokensTakenOver() {
      return getLong(AT[221]);
    }

    void tokensTakenOver(long value) {
      putLong(AT[221], value);
    }

    long passes() {
      return getLong(AT[222]);
    }

    void passes(long value) {
      putLong(AT[222], value);
    }

    long rows() {
      return getLong(AT[223]);
    }

    void rows(long value) {
      putLong(AT[223], value);
    }

    long prefillNs() {
      return getLong(AT[224]);
    }

    void prefillNs(long value) {
      putLong(AT[224], value);
    }

    long decodeNs() {
      return getLong(AT[225]);
    }

    void decodeNs(long value) {
      putLong(AT[225], value);
    }

    long sampleNs() {
      return getLong(AT[226]);
    }

    void sampleNs(long value) {
      putLong(AT[226], value);
    }

    long prefixHits() {
      return getLong(AT[227]);
    }

    void prefixHits(long value) {
      putLong(AT[227], value);
    }

    long tokensEvicted() {
      return getLong(AT[228]);
    }

    void tokensEvicted(long value) {
      putLong(AT[228], value);
    }

    long kvBytesHeld() {
      return getLong(AT[229]);
    }

    void kvBytesHeld(long value) {
      putLong(AT[229], value);
    }

    long draftsProposed() {
      return getLong(AT[230]);
    }

    void draftsProposed(long value) {
      putLong(AT[230], value);
    }

    long draftsAccepted() {
      return getLong(AT[231]);
    }

    void draftsAccepted(long value) {
      putLong(AT[231], value);
    }
  }

  /** rondo_chat_options. */
  static final class ChatOptions extends Struct {
    static final int SIZE = AT[232];

    ChatOptions(ByteBuffer bytes) {
      super(bytes);
    }

    ChatOptions(Scratch scratch) {
      super(scratch.take(SIZE));
      structSize(SIZE);
    }

    int structSize() {
      return getInt(AT[233]);
    }

    void structSize(int value) {
      putInt(AT[233], value);
    }

    int flags() {
      return getInt(AT[234]);
    }

    void flags(int value) {
      putInt(AT[234], value);
    }

    long localTime() {
      return getLong(AT[235]);
    }

    void localTime(long value) {
      putLong(AT[235], value);
    }

    long messages() {
      return getPointer(AT[236]);
    }

    void messages(long value) {
      putPointer(AT[236], value);
    }

    long messagesBytes() {
      return getPointer(AT[237]);
    }

    void messagesBytes(long value) {
      putPointer(AT[237], value);
    }

    long tools() {
      return getPointer(AT[238]);
    }

    void tools(long value) {
      putPointer(AT[238], value);
    }

    long toolsBytes() {
      return getPointer(AT[239]);
    }

    void toolsBytes(long value) {
      putPointer(AT[239], value);
    }

    long variables() {
      return getPointer(AT[240]);
    }

    void variables(long value) {
      putPointer(AT[240], value);
    }

    long variablesBytes() {
      return getPointer(AT[241]);
    }

    void variablesBytes(long value) {
      putPointer(AT[241], value);
    }

    long templateName() {
      return getPointer(AT[242]);
    }

    void templateName(long value) {
      putPointer(AT[242], value);
    }

    long templateText() {
      return getPointer(AT[243]);
    }

    void templateText(long value) {
      putPointer(AT[243], value);
    }

    long templateBytes() {
      return getPointer(AT[244]);
    }

    void templateBytes(long value) {
      putPointer(AT[244], value);
    }
  }

  /** rondo_chat_part. */
  static final class ChatPart extends Struct {
    static final int SIZE = AT[245];

    ChatPart(ByteBuffer bytes) {
      super(bytes);
    }

    ChatPart(Scratch scratch) {
      super(scratch.take(SIZE));
      structSize(SIZE);
    }

    int structSize() {
      return getInt(AT[246]);
    }

    void structSize(int value) {
      putInt(AT[246], value);
    }

    int kind() {
      return getInt(AT[247]);
    }

    void kind(int value) {
      putInt(AT[247], value);
    }

    long call() {
      return getLong(AT[248]);
    }

    void call(long value) {
      putLong(AT[248], value);
    }

    long text() {
      return getPointer(AT[249]);
    }

    void text(long value) {
      putPointer(AT[249], value);
    }

    long textBytes() {
      return getPointer(AT[250]);
    }

    void textBytes(long value) {
      putPointer(AT[250], value);
    }

    long name() {
      return getPointer(AT[251]);
    }

    void name(long value) {
      putPointer(AT[251], value);
    }

    long nameBytes() {
      return getPointer(AT[252]);
    }

    void nameBytes(long value) {
      putPointer(AT[252], value);
    }

    long id() {
      return getPointer(AT[253]);
    }

    void id(long value) {
      putPointer(AT[253], value);
    }

    long idBytes() {
      return getPointer(AT[254]);
    }

    void idBytes(long value) {
      putPointer(AT[254], value);
    }
  }

  /** rondo_embedder_facts. */
  static final class EmbedderFacts extends Struct {
    static final int SIZE = AT[255];

    EmbedderFacts(ByteBuffer bytes) {
      super(bytes);
    }

    EmbedderFacts(Scratch scratch) {
      super(scratch.take(SIZE));
      structSize(SIZE);
    }

    int structSize() {
      return getInt(AT[256]);
    }

    void structSize(int value) {
      putInt(AT[256], value);
    }

    int dimensions() {
      return getInt(AT[257]);
    }

    void dimensions(int value) {
      putInt(AT[257], value);
    }

    int maxTokens() {
      return getInt(AT[258]);
    }

    void maxTokens(int value) {
      putInt(AT[258], value);
    }

    int wholeTexts() {
      return getInt(AT[259]);
    }

    void wholeTexts(int value) {
      putInt(AT[259], value);
    }

    int normalized() {
      return getInt(AT[260]);
    }

    void normalized(int value) {
      putInt(AT[260], value);
    }

    int scoresPairs() {
      return getInt(AT[261]);
    }

    void scoresPairs(int value) {
      putInt(AT[261], value);
    }

    int pooling() {
      return getInt(AT[262]);
    }

    void pooling(int value) {
      putInt(AT[262], value);
    }

    int nPrompts() {
      return getInt(AT[263]);
    }

    void nPrompts(int value) {
      putInt(AT[263], value);
    }

    int defaultPrompt() {
      return getInt(AT[264]);
    }

    void defaultPrompt(int value) {
      putInt(AT[264], value);
    }

    int reserved() {
      return getInt(AT[265]);
    }

    void reserved(int value) {
      putInt(AT[265], value);
    }
  }
}
