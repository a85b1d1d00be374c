using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Rondo
{
    /// <summary>rondo_engine_options; null: the library's default.</summary>
    public sealed class EngineOptions
    {
        public uint? Context, MaxSessions, MaxRows, Threads, SinkTokens, KvTokens, RowsPerStep;
        public Policy ContextPolicy = Policy.Stop;
        public Kv KvFormat = Kv.Int8;
        public string Kernels;
        public bool NoPrefixCache, DraftHead;
        /// <summary>Events that the profile remembers, and the largest share of the time that passes
        /// may take.</summary>
        public uint ProfileEvents, DutyPercent;
        /// <summary>The largest of adapters that sessions may be given.</summary>
        public uint AdapterRank;
        /// <summary>Rows of inputs (Session.AppendInputs) that sessions may hold
        /// together.</summary>
        public uint MaxInputRows;
        /// <summary>A small model of the same vocabulary, for sessions of
        /// Speculation.DraftModel.</summary>
        public Model Draft;
        /// <summary>Which CPUs the engine's own threads run on; null: Cpus where some are named, else
        /// System.</summary>
        public Affinity? Affinity;
        /// <summary>Their numbers, as the system counts them.</summary>
        public IList<uint> Cpus = new uint[0];

        internal Raw.EngineOptions With(Lent lent)
        {
            Raw.EngineOptions raw;
            Native.Check(Raw.rondo_engine_options_init(
                out raw, (UIntPtr)Native.SizeOf<Raw.EngineOptions>()));
            raw.context = Context ?? raw.context;
            raw.max_sessions = MaxSessions ?? raw.max_sessions;
            raw.max_rows = MaxRows ?? raw.max_rows;
            raw.threads = Threads ?? raw.threads;
            raw.sink_tokens = SinkTokens ?? raw.sink_tokens;
            raw.kv_tokens = KvTokens ?? raw.kv_tokens;
            raw.rows_per_step = RowsPerStep ?? raw.rows_per_step;
            raw.context_policy = (int)ContextPolicy;
            raw.kv_format = (int)KvFormat;
            raw.kernels = lent.Bytes(Native.ZeroTerminated(Kernels));
            raw.no_prefix_cache = NoPrefixCache ? 1u : 0u;
            raw.draft_head = DraftHead ? 1u : 0u;
            raw.profile_events = ProfileEvents;
            raw.duty_percent = DutyPercent;
            raw.adapter_rank = AdapterRank;
            raw.max_input_rows = MaxInputRows;
            if (Draft != null) raw.draft = lent.Hold(Draft);
            raw.affinity = (int)(Affinity ?? (Cpus.Count > 0 ? Rondo.Affinity.Cpus : Rondo.Affinity.System));
            if (Cpus.Count > 0)
            {
                raw.cpus = lent.Take(Cpus.Count * sizeof(uint));
                raw.n_cpus = (uint)Cpus.Count;
            }
            for (int i = 0; i < Cpus.Count; ++i)
            {
                Marshal.WriteInt32(raw.cpus, i * sizeof(uint), (int)Cpus[i]);
            }
            return raw;
        }
    }

    /// <summary>rondo_session_options; null: what the model's makers recommend, or the library's
    /// default.</summary>
    public sealed class SessionOptions
    {
        /// <summary>False: what the model's makers recommend for sampling is not followed.</summary>
        public bool Recommended = true;
        public float? Temperature, TopP, MinP, RepetitionPenalty, PresencePenalty, FrequencyPenalty;
        public int? TopK, PenaltyLastN;
        public uint? NoRepeatNgramSize;
        public bool IgnoreEos, Logprobs;
        public ulong Seed, MaxTokens;
        public Speculation Speculation;
        public uint MaxDrafts;
        /// <summary>Strings that end a generation; none: those that the makers
        /// recommend.</summary>
        public IList<string> Stop = new string[0];
        /// <summary>What is added to a token's logit, by its id; none: what the makers
        /// recommend.</summary>
        public IDictionary<int, float> LogitBias = new Dictionary<int, float>();
        /// <summary>Of Model.Adapter, where the engine's AdapterRank has room for it. A fork has its
        /// source's.</summary>
        public Adapter Adapter;
        /// <summary>What each generation must be a text of.</summary>
        public Grammar Grammar;
        /// <summary>In its place a JSON Schema, of which the session makes a grammar of its own, with
        /// OneSpace and NamedOnly: JSON as people write it.</summary>
        public string JsonSchema;
        /// <summary>Where the grammar begins; of AfterToken: behind GrammarToken.</summary>
        public GrammarBegin GrammarBegin;
        public int GrammarToken;
        public bool GrammarGoesOn;
        /// <summary>Events tell thoughts from the rest.</summary>
        public bool Thinking;
        /// <summary>Null for both: what the model's chat template puts around a thought.</summary>
        public string ThinkingBegin, ThinkingEnd;
        /// <summary>At most so many of a thought; 0: no limit.</summary>
        public ulong ThinkingTokens;

        private static Raw.SessionOptions Defaults()
        {
            Raw.SessionOptions raw;
            Native.Check(Raw.rondo_session_options_init(
                out raw, (UIntPtr)Native.SizeOf<Raw.SessionOptions>()));
            return raw;
        }

        /// <summary>What the model's makers recommend, copied: it outlives the model.</summary>
        internal static SessionOptions RecommendedBy(Model model)
        {
            return model.With(handle =>
            {
                Raw.SessionOptions raw = Defaults();
                Native.Check(Raw.rondo_model_session_options(handle, ref raw));
                SessionOptions options = new SessionOptions
                {
                    Temperature = raw.temperature,
                    TopK = raw.top_k,
                    TopP = raw.top_p,
                    MinP = raw.min_p,
                    RepetitionPenalty = raw.repetition_penalty,
                    PenaltyLastN = raw.penalty_last_n,
                    NoRepeatNgramSize = raw.no_repeat_ngram_size,
                    Stop = new string[(int)raw.n_stop_strings]
                };
                for (int i = 0; i < options.Stop.Count; ++i)
                {
                    options.Stop[i] =
                        Native.Text(Marshal.ReadIntPtr(raw.stop_strings, i * IntPtr.Size));
                }
                for (int i = 0; i < (int)raw.n_logit_bias; ++i)
                {
                    Raw.LogitBias bias = (Raw.LogitBias)Marshal.PtrToStructure(
                        raw.logit_bias + i * (int)Native.SizeOf<Raw.LogitBias>(),
                        typeof(Raw.LogitBias));
                    options.LogitBias[bias.token] = bias.bias;
                }
                return options;
            });
        }

        /// <summary>What is said wins over what is recommended.</summary>
        private SessionOptions Over(SessionOptions recommended)
        {
            if (!Recommended) return this;
            SessionOptions both = (SessionOptions)MemberwiseClone();
            both.Temperature = Temperature ?? recommended.Temperature;
            both.TopK = TopK ?? recommended.TopK;
            both.TopP = TopP ?? recommended.TopP;
            both.MinP = MinP ?? recommended.MinP;
            both.RepetitionPenalty = RepetitionPenalty ?? recommended.RepetitionPenalty;
            both.PenaltyLastN = PenaltyLastN ?? recommended.PenaltyLastN;
            both.NoRepeatNgramSize = NoRepeatNgramSize ?? recommended.NoRepeatNgramSize;
            if (Stop.Count == 0) both.Stop = recommended.Stop;
            if (LogitBias.Count == 0) both.LogitBias = recommended.LogitBias;
            return both;
        }

        internal Raw.SessionOptions With(Lent lent, Engine engine)
        {
            Raw.SessionOptions raw = Over(engine.Recommended).With(lent);
            if (Adapter != null) raw.adapter = lent.Hold(Adapter);
            if (JsonSchema != null)
            {
                if (Grammar != null)
                {
                    throw new ArgumentException("of Grammar and JsonSchema one is given");
                }
                GrammarOptions usual = new GrammarOptions { OneSpace = true, NamedOnly = true };
                using (Grammar made = engine.Model.Grammar(JsonSchema, usual))
                {
                    raw.grammar = lent.Hold(made);
                }
            }
            else if (Grammar != null)
            {
                raw.grammar = lent.Hold(Grammar);
            }
            return raw;
        }

        private Raw.SessionOptions With(Lent lent)
        {
            Raw.SessionOptions raw = Defaults();
            raw.temperature = Temperature ?? raw.temperature;
            raw.top_k = TopK ?? raw.top_k;
            raw.top_p = TopP ?? raw.top_p;
            raw.min_p = MinP ?? raw.min_p;
            raw.repetition_penalty = RepetitionPenalty ?? raw.repetition_penalty;
            raw.presence_penalty = PresencePenalty ?? raw.presence_penalty;
            raw.frequency_penalty = FrequencyPenalty ?? raw.frequency_penalty;
            raw.penalty_last_n = PenaltyLastN ?? raw.penalty_last_n;
            raw.no_repeat_ngram_size = NoRepeatNgramSize ?? raw.no_repeat_ngram_size;
            raw.ignore_eos = IgnoreEos ? 1u : 0u;
            raw.logprobs = Logprobs ? 1u : 0u;
            raw.seed = Seed;
            raw.speculation = (int)Speculation;
            raw.max_drafts = MaxDrafts;
            raw.max_tokens = MaxTokens;
            raw.grammar_begin = (int)GrammarBegin;
            raw.grammar_token = GrammarToken;
            raw.grammar_goes_on = GrammarGoesOn ? 1u : 0u;
            raw.thinking = Thinking ? 1u : 0u;
            raw.thinking_begin = lent.Bytes(Native.ZeroTerminated(ThinkingBegin));
            raw.thinking_end = lent.Bytes(Native.ZeroTerminated(ThinkingEnd));
            raw.thinking_tokens = ThinkingTokens;
            if (Stop.Count > 0)
            {
                raw.stop_strings = lent.Take(Stop.Count * IntPtr.Size);
                raw.n_stop_strings = (UIntPtr)(uint)Stop.Count;
            }
            for (int i = 0; i < Stop.Count; ++i)
            {
                Marshal.WriteIntPtr(raw.stop_strings, i * IntPtr.Size,
                    lent.Bytes(Native.ZeroTerminated(Stop[i])));
            }
            int size = (int)Native.SizeOf<Raw.LogitBias>(), offset = 0;
            if (LogitBias.Count > 0)
            {
                raw.logit_bias = lent.Take(LogitBias.Count * size);
                raw.n_logit_bias = (UIntPtr)(uint)LogitBias.Count;
            }
            foreach (KeyValuePair<int, float> one in LogitBias)
            {
                Raw.LogitBias bias = new Raw.LogitBias { token = one.Key, bias = one.Value };
                Marshal.StructureToPtr(bias, raw.logit_bias + offset, false);
                offset += size;
            }
            return raw;
        }
    }

    /// <summary>What a conversation is rendered from. Texts are JSON, but for the template.</summary>
    public sealed class Chat
    {
        /// <summary>[{"role": "user", "content": "Hello!"}, ...]</summary>
        public string Messages, Tools, Variables;
        /// <summary>Jinja, in place of the model's own.</summary>
        public string Template;
        public string TemplateName;
        public ChatFlags Flags = ChatFlags.AddGenerationPrompt;
        /// <summary>ChatFlags.PlainContent, beside Flags. False: special tokens' texts in messages become
        /// these tokens.</summary>
        public bool PlainContent = true;
        /// <summary>What the clock on the wall shows.</summary>
        public DateTime? LocalTime;

        internal Raw.ChatOptions With(Lent lent)
        {
            Raw.ChatOptions raw;
            Native.Check(Raw.rondo_chat_options_init(
                out raw, (UIntPtr)Native.SizeOf<Raw.ChatOptions>()));
            raw.flags = (uint)(PlainContent ? Flags | ChatFlags.PlainContent : Flags);
            if (LocalTime.HasValue)
            {
                raw.local_time = (long)(LocalTime.Value - new DateTime(1970, 1, 1)).TotalSeconds;
            }
            raw.template_name = lent.Bytes(Native.ZeroTerminated(TemplateName));
            Give(lent, Messages, out raw.messages, out raw.messages_bytes);
            Give(lent, Tools, out raw.tools, out raw.tools_bytes);
            Give(lent, Variables, out raw.variables, out raw.variables_bytes);
            Give(lent, Template, out raw.template_text, out raw.template_bytes);
            return raw;
        }

        private static void Give(Lent lent, string text, out IntPtr pointer, out UIntPtr size)
        {
            byte[] bytes = text == null ? null : Native.Utf8(text);
            pointer = lent.Bytes(bytes);
            size = bytes == null ? UIntPtr.Zero : (UIntPtr)(uint)bytes.Length;
        }
    }
}
