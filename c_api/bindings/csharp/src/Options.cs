using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Rondo
{
    /// <summary>rondo_engine_options; null: the library's default.</summary>
    public sealed class EngineOptions
    {
        // generated from here: engine options
        /// <summary>Tokens that a session can see. At most 2^24; default 0: the model's
        /// context_length.</summary>
        public uint? Context;
        /// <summary>Sessions open at once, each with a context of its own. 1 to 64; default
        /// 1.</summary>
        public uint? MaxSessions;
        /// <summary>Tokens of one pass of a prefill. 1 to 8192; default 256.</summary>
        public uint? MaxRows;
        /// <summary>Threads that compute, the caller's among them. At most 256; default 0: the
        /// performance cores, as far as the system tells, of those that this process may run
        /// on.</summary>
        public uint? Threads;
        /// <summary>What happens when a session's context is full. One of Policy; default
        /// Policy.Stop.</summary>
        public Policy? ContextPolicy;
        /// <summary>Under SLIDE the first tokens, which stay; in whole blocks. Default 0.</summary>
        public uint? SinkTokens;
        /// <summary>How the KV cache holds keys and values. One of Kv; default Kv.Int8.</summary>
        public Kv? KvFormat;
        /// <summary>The name of a kernel set. Default: the best for this CPU, of those that read a
        /// packed file where it has some.</summary>
        public string Kernels;
        /// <summary>Tokens that the KV pool holds, of all sessions together, in whole blocks. At
        /// most 2^30; default 0: enough for the context of every session.</summary>
        public uint? KvTokens;
        /// <summary>Most tokens of a pass while some session decodes, those of drafts included. At
        /// most 8192; default 0: MaxRows, the most that there may be.</summary>
        public uint? RowsPerStep;
        /// <summary>True: nothing is kept for later sessions.</summary>
        public bool NoPrefixCache;
        /// <summary>Events that the engine's profile remembers, in the arena, 56 bytes each. At
        /// most 2^20; default 0: nothing is recorded.</summary>
        public uint? ProfileEvents;
        /// <summary>The largest share of the time that passes may take. At most 100; default 0:
        /// 100.</summary>
        public uint? DutyPercent;
        /// <summary>True: the draft head in the model's file (`rondo convert --mtp`) runs behind
        /// every pass and drafts for sessions of Speculation.DraftHead.</summary>
        public bool DraftHead;
        /// <summary>To which CPUs the threads that the engine starts are kept. One of Affinity;
        /// default Affinity.System.</summary>
        public Affinity? Affinity;
        /// <summary>The largest rank of adapters that sessions may be given. At most 1024; default
        /// 0: none may.</summary>
        public uint? AdapterRank;
        /// <summary>Rows of inputs that sessions may hold together (rondo_session_append_inputs).
        /// At most 2^20; default 0: sessions have tokens only.</summary>
        public uint? MaxInputRows;
        /// <summary>Rows of pictures that may be there at the same time (rondo_media_create). At
        /// most 2^20; default 0: pictures are refused, and all of that takes nothing.</summary>
        public uint? MaxMediaRows;
        // generated to here
        /// <summary>A small model of the same vocabulary, for sessions of
        /// Speculation.DraftModel.</summary>
        public Model Draft;
        /// <summary>The CPUs of Affinity.Cpus, which is meant where some are named and nothing else is
        /// said, as the system counts them.</summary>
        public IList<uint> Cpus = new uint[0];

        internal Raw.EngineOptions With(Lent lent)
        {
            Raw.EngineOptions raw;
            Native.Check(Raw.rondo_engine_options_init(
                out raw, (UIntPtr)Native.SizeOf<Raw.EngineOptions>()));
            // generated from here: engine options said
            raw.context = Context ?? raw.context;
            raw.max_sessions = MaxSessions ?? raw.max_sessions;
            raw.max_rows = MaxRows ?? raw.max_rows;
            raw.threads = Threads ?? raw.threads;
            raw.context_policy = (int?)ContextPolicy ?? raw.context_policy;
            raw.sink_tokens = SinkTokens ?? raw.sink_tokens;
            raw.kv_format = (int?)KvFormat ?? raw.kv_format;
            raw.kernels = lent.Bytes(Native.ZeroTerminated(Kernels));
            raw.kv_tokens = KvTokens ?? raw.kv_tokens;
            raw.rows_per_step = RowsPerStep ?? raw.rows_per_step;
            raw.no_prefix_cache = NoPrefixCache ? 1u : 0u;
            raw.profile_events = ProfileEvents ?? raw.profile_events;
            raw.duty_percent = DutyPercent ?? raw.duty_percent;
            raw.draft_head = DraftHead ? 1u : 0u;
            raw.affinity = (int?)Affinity ?? raw.affinity;
            raw.adapter_rank = AdapterRank ?? raw.adapter_rank;
            raw.max_input_rows = MaxInputRows ?? raw.max_input_rows;
            raw.max_media_rows = MaxMediaRows ?? raw.max_media_rows;
            // generated to here
            if (Draft != null) raw.draft = lent.Hold(Draft);
            if (Affinity == null && Cpus.Count > 0) raw.affinity = (int)Rondo.Affinity.Cpus;
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
        // generated from here: session options
        /// <summary>Divides the logits before the draw. 0 or more; default 0: the most likely
        /// token; of equals, the lowest id.</summary>
        public float? Temperature;
        /// <summary>Keep the k most likely. 0 or more; default 0: off.</summary>
        public int? TopK;
        /// <summary>Keep the fewest that together reach this share. Above 0, at most 1; default 1:
        /// off.</summary>
        public float? TopP;
        /// <summary>Keep those of at least this share of the best's probability. From 0, below 1;
        /// default 0: off.</summary>
        public float? MinP;
        /// <summary>Divides positive and multiplies negative logits. Above 0; default 1:
        /// off.</summary>
        public float? RepetitionPenalty;
        /// <summary>Subtracted once from the logit of each token seen. Default 0.</summary>
        public float? PresencePenalty;
        /// <summary>Subtracted for each time that it was seen. Default 0.</summary>
        public float? FrequencyPenalty;
        /// <summary>Last tokens that penalties look at. 0 to 4096; default 64.</summary>
        public int? PenaltyLastN;
        /// <summary>True: end tokens are tokens like others, but that a grammar's text has none
        /// that it does not name.</summary>
        public bool IgnoreEos;
        /// <summary>True: events tell log-probabilities.</summary>
        public bool Logprobs;
        /// <summary>N: no n tokens are generated that follow each other in the last 4096 tokens of
        /// the sequence, prompt included. At most 256; default 0: off.</summary>
        public uint? NoRepeatNgramSize;
        /// <summary>Equal ones give equal draws. Default 0.</summary>
        public ulong? Seed;
        /// <summary>Tokens generated after each prefill. Default 0: no limit.</summary>
        public ulong? MaxTokens;
        /// <summary>Where drafts come from. One of Speculation; default Speculation.None.</summary>
        public Speculation? Speculation;
        /// <summary>Drafts that one pass verifies; less than MaxRows. At most 7; default 0: as many
        /// as there may be.</summary>
        public uint? MaxDrafts;
        /// <summary>Where the grammar begins. One of GrammarBegin; default
        /// GrammarBegin.AtOnce.</summary>
        public GrammarBegin? GrammarBegin;
        /// <summary>The token of GrammarBegin.AfterToken. 0 or more; default 0.</summary>
        public int? GrammarToken;
        /// <summary>True: where the grammar's text is whole the generation goes on without it, with
        /// AFTER_TOKEN up to the next GrammarToken; an end token ends it as ever.</summary>
        public bool GrammarGoesOn;
        /// <summary>True: thoughts are told from the rest; the text of a grammar has
        /// none.</summary>
        public bool Thinking;
        /// <summary>What begins a thought. Default: as the model's chat template has it; refused
        /// where it has none.</summary>
        public string ThinkingBegin;
        /// <summary>What ends a thought, with the white space that Rondo writes. Default: as the
        /// model's chat template has it.</summary>
        public string ThinkingEnd;
        /// <summary>Of a thought: where it has so many, and a whole character, it is ended by the
        /// tokens of ThinkingEnd, whatever the model would say. Default 0: no limit.</summary>
        public ulong? ThinkingTokens;
        // generated to here
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
                SessionOptions options = new SessionOptions();
                // generated from here: recommended
                options.Temperature = raw.temperature;
                options.TopK = raw.top_k;
                options.TopP = raw.top_p;
                options.MinP = raw.min_p;
                options.RepetitionPenalty = raw.repetition_penalty;
                options.PenaltyLastN = raw.penalty_last_n;
                options.NoRepeatNgramSize = raw.no_repeat_ngram_size;
                // generated to here
                options.Stop = new string[(int)raw.n_stop_strings];
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
            // generated from here: over
            both.Temperature = Temperature ?? recommended.Temperature;
            both.TopK = TopK ?? recommended.TopK;
            both.TopP = TopP ?? recommended.TopP;
            both.MinP = MinP ?? recommended.MinP;
            both.RepetitionPenalty = RepetitionPenalty ?? recommended.RepetitionPenalty;
            both.PenaltyLastN = PenaltyLastN ?? recommended.PenaltyLastN;
            both.NoRepeatNgramSize = NoRepeatNgramSize ?? recommended.NoRepeatNgramSize;
            // generated to here
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
            // generated from here: session options said
            raw.temperature = Temperature ?? raw.temperature;
            raw.top_k = TopK ?? raw.top_k;
            raw.top_p = TopP ?? raw.top_p;
            raw.min_p = MinP ?? raw.min_p;
            raw.repetition_penalty = RepetitionPenalty ?? raw.repetition_penalty;
            raw.presence_penalty = PresencePenalty ?? raw.presence_penalty;
            raw.frequency_penalty = FrequencyPenalty ?? raw.frequency_penalty;
            raw.penalty_last_n = PenaltyLastN ?? raw.penalty_last_n;
            raw.ignore_eos = IgnoreEos ? 1u : 0u;
            raw.logprobs = Logprobs ? 1u : 0u;
            raw.no_repeat_ngram_size = NoRepeatNgramSize ?? raw.no_repeat_ngram_size;
            raw.seed = Seed ?? raw.seed;
            raw.max_tokens = MaxTokens ?? raw.max_tokens;
            raw.speculation = (int?)Speculation ?? raw.speculation;
            raw.max_drafts = MaxDrafts ?? raw.max_drafts;
            raw.grammar_begin = (int?)GrammarBegin ?? raw.grammar_begin;
            raw.grammar_token = GrammarToken ?? raw.grammar_token;
            raw.grammar_goes_on = GrammarGoesOn ? 1u : 0u;
            raw.thinking = Thinking ? 1u : 0u;
            raw.thinking_begin = lent.Bytes(Native.ZeroTerminated(ThinkingBegin));
            raw.thinking_end = lent.Bytes(Native.ZeroTerminated(ThinkingEnd));
            raw.thinking_tokens = ThinkingTokens ?? raw.thinking_tokens;
            // generated to here
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
