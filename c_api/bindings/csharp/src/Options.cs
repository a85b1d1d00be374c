using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Rondo
{
    /// <summary>How a model is to be run. What is null is as the library has it. A value that an option
    /// cannot hold is refused when it is set.</summary>
    public sealed partial class EngineOptions
    {
        /// <summary>A small model of the same vocabulary, for sessions of Speculation.DraftModel.</summary>
        public Model? Draft { get; set; }

        /// <summary>The CPUs of Affinity.Cpus, which is meant where some are named and nothing else is said,
        /// as the system counts them.</summary>
        public IReadOnlyList<int>? Cpus { get; set; }

        internal Raw.EngineOptions With(Lent lent)
        {
            Native.Check(Raw.rondo_engine_options_init(
                out Raw.EngineOptions raw, (UIntPtr)Native.SizeOf<Raw.EngineOptions>()));
            Write(ref raw, lent);
            if (Draft != null) raw.draft = lent.Hold(Draft);
            if (Cpus is null || Cpus.Count == 0) return raw;
            if (Affinity is null) raw.affinity = (int)Rondo.Affinity.Cpus;
            raw.cpus = lent.Take(Cpus.Count * sizeof(uint));
            raw.n_cpus = (uint)Cpus.Count;
            for (int i = 0; i < Cpus.Count; ++i)
            {
                Checked.Int(nameof(Cpus), Cpus[i], 0, int.MaxValue);
                Marshal.WriteInt32(raw.cpus, i * sizeof(uint), Cpus[i]);
            }
            return raw;
        }
    }

    /// <summary>How a session generates. What is null is as the model's makers recommend it, or as the
    /// library has it.</summary>
    public sealed partial class SessionOptions
    {
        /// <summary>False: what the model's makers recommend for sampling is not followed.</summary>
        public bool Recommended { get; set; } = true;

        /// <summary>Strings that end a generation; null: those that the makers recommend.</summary>
        public IReadOnlyList<string>? Stop { get; set; }

        /// <summary>What is added to a token's logit, by its id; null: what the makers recommend.</summary>
        public IReadOnlyDictionary<int, float>? LogitBias { get; set; }

        /// <summary>Of Model.OpenAdapter, where the engine's AdapterRank has room for it. A fork has its
        /// source's.</summary>
        public Adapter? Adapter { get; set; }

        /// <summary>What each generation must be a text of.</summary>
        public Grammar? Grammar { get; set; }

        /// <summary>In its place a JSON Schema, of which the session makes a grammar of its own, with OneSpace
        /// and NamedOnly: JSON as people write it.</summary>
        public string? JsonSchema { get; set; }

        private static Raw.SessionOptions Defaults()
        {
            Native.Check(Raw.rondo_session_options_init(
                out Raw.SessionOptions raw, (UIntPtr)Native.SizeOf<Raw.SessionOptions>()));
            return raw;
        }

        /// <summary>What the model's makers recommend, copied: it outlives the model.</summary>
        internal static SessionOptions RecommendedBy(Model model) => model.With(handle =>
        {
            Raw.SessionOptions raw = Defaults();
            Native.Check(Raw.rondo_model_session_options(handle, ref raw));
            SessionOptions options = new SessionOptions();
            options.Take(raw);
            string[] stop = new string[(int)raw.n_stop_strings];
            for (int i = 0; i < stop.Length; ++i)
            {
                stop[i] = Native.Text(Marshal.ReadIntPtr(raw.stop_strings, i * IntPtr.Size));
            }
            options.Stop = stop;
            Dictionary<int, float> biases = new Dictionary<int, float>();
            for (int i = 0; i < (int)raw.n_logit_bias; ++i)
            {
                Raw.LogitBias bias = Marshal.PtrToStructure<Raw.LogitBias>(
                    raw.logit_bias + i * (int)Native.SizeOf<Raw.LogitBias>());
                biases[bias.token] = bias.bias;
            }
            options.LogitBias = biases;
            return options;
        });

        internal Raw.SessionOptions With(Lent lent, Engine engine)
        {
            SessionOptions both = (SessionOptions)MemberwiseClone();
            if (Recommended)
            {
                both.Fill(engine.Recommended);
                both.Stop ??= engine.Recommended.Stop;
                both.LogitBias ??= engine.Recommended.LogitBias;
            }
            Raw.SessionOptions raw = Defaults();
            both.Write(ref raw, lent);
            both.WriteLists(ref raw, lent);
            if (Adapter != null) raw.adapter = lent.Hold(Adapter);
            if (Grammar != null && JsonSchema != null)
            {
                throw new ArgumentException("of Grammar and JsonSchema one is given", nameof(JsonSchema));
            }
            if (Grammar != null) raw.grammar = lent.Hold(Grammar);
            if (JsonSchema is null) return raw;
            GrammarOptions usual = new GrammarOptions { OneSpace = true, NamedOnly = true };
            using Grammar made = engine.Kept.CreateJsonGrammar(JsonSchema, usual);
            raw.grammar = lent.Hold(made);
            return raw;
        }

        private void WriteLists(ref Raw.SessionOptions raw, Lent lent)
        {
            if (Stop != null && Stop.Count > 0)
            {
                raw.stop_strings = lent.Take(Stop.Count * IntPtr.Size);
                raw.n_stop_strings = Native.Size(Stop.Count);
                for (int i = 0; i < Stop.Count; ++i)
                {
                    byte[]? text = Native.ZeroTerminated(Checked.NotNull(Stop[i], nameof(Stop)), nameof(Stop));
                    Marshal.WriteIntPtr(raw.stop_strings, i * IntPtr.Size, lent.Bytes(text));
                }
            }
            if (LogitBias is null || LogitBias.Count == 0) return;
            int size = (int)Native.SizeOf<Raw.LogitBias>();
            raw.logit_bias = lent.Take(LogitBias.Count * size);
            raw.n_logit_bias = Native.Size(LogitBias.Count);
            IntPtr place = raw.logit_bias;
            foreach (KeyValuePair<int, float> bias in LogitBias)
            {
                Raw.LogitBias one = new Raw.LogitBias { token = bias.Key, bias = bias.Value };
                Marshal.StructureToPtr(one, place, false);
                place += size;
            }
        }
    }
}
