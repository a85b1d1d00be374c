using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;

namespace Rondo
{
    /// <summary>A model file. Immutable; may be used from any thread.</summary>
    public sealed class Model : Handle
    {
        private Model(IntPtr handle) : base(handle) { }

        protected override bool ReleaseHandle()
        {
            Raw.rondo_model_close(handle);
            return true;
        }

        /// <summary>Opens the file that `rondo convert` made.</summary>
        public static Model Open(string path)
        {
            IntPtr model = IntPtr.Zero;
            Native.CheckMessage((message, bytes) => Raw.rondo_model_open_path(
                Raw.AbiVersion, Native.ZeroTerminated(path), out model, message, bytes));
            return new Model(model);
        }

        public ModelFacts Info
        {
            get
            {
                Raw.ModelFacts facts = new Raw.ModelFacts { struct_size = Native.SizeOf<Raw.ModelFacts>() };
                Native.Check(With(model => Raw.rondo_model_info(model, ref facts)));
                return new ModelFacts(facts);
            }
        }

        /// <summary>The tokens that end a generation.</summary>
        public int[] EosTokens
        {
            get
            {
                int[] tokens = new int[Info.NEosTokens];
                for (int i = 0; i < tokens.Length; ++i)
                {
                    int token = 0;
                    Native.Check(With(model => Raw.rondo_model_eos_token(model, (uint)i, out token)));
                    tokens[i] = token;
                }
                return tokens;
            }
        }

        /// <summary>All that the file's maker wrote about it, by its keys.</summary>
        public IDictionary<string, string> Facts
        {
            get
            {
                List<string> keys = new List<string> { "name", "architecture", "producer" };
                keys.AddRange(Names(Raw.rondo_model_fact_key));
                Dictionary<string, string> facts = new Dictionary<string, string>();
                foreach (string key in keys) facts[key] = Fact(key);
                return facts;
            }
        }

        private delegate int NameOf(IntPtr model, uint index, byte[] buffer, UIntPtr capacity,
            UIntPtr[] length);

        /// <summary>The name of index 0, of index 1, up to the first that is not there.</summary>
        private List<string> Names(NameOf call)
        {
            List<string> names = new List<string>();
            for (;;)
            {
                try
                {
                    names.Add(With(model => Native.Text((buffer, capacity, length) =>
                        call(model, (uint)names.Count, buffer, capacity, length))));
                }
                catch (RondoException error)
                {
                    if (error.Status != Status.InvalidArgument) throw;
                    return names;
                }
            }
        }

        /// <summary>"name", "architecture", "producer" and others.</summary>
        public string Fact(string key)
        {
            return With(model => Native.Text((buffer, capacity, length) => Raw.rondo_model_fact(
                model, Native.ZeroTerminated(key), buffer, capacity, length)));
        }

        /// <summary>Texts of special tokens become these tokens: check what strangers write.</summary>
        public int[] Tokenize(string text, TokenizeFlags flags = TokenizeFlags.AddSpecial)
        {
            byte[] bytes = Native.Utf8(text);
            return With(model => Native.Ids(bytes.Length / 2 + 16, (ids, capacity, count) =>
                Raw.rondo_tokenize(model, bytes, (UIntPtr)(uint)bytes.Length, (uint)flags, ids,
                    capacity, count)));
        }

        public string Detokenize(int[] ids, DetokenizeFlags flags = 0)
        {
            return With(model => Native.Text((buffer, capacity, length) => Raw.rondo_detokenize(
                model, ids, (UIntPtr)(uint)ids.Length, (uint)flags, buffer, capacity, length)));
        }

        /// <summary>What the model makes of texts; Dimensions 0: it predicts tokens instead.</summary>
        public EmbedderFacts Embedder
        {
            get
            {
                Raw.EmbedderFacts facts =
                    new Raw.EmbedderFacts { struct_size = Native.SizeOf<Raw.EmbedderFacts>() };
                Native.Check(With(model => Raw.rondo_model_embedder(model, ref facts)));
                return new EmbedderFacts(facts);
            }
        }

        /// <summary>The names of the prompts that EmbeddingText takes.</summary>
        public IList<string> Prompts
        {
            get { return Names(Raw.rondo_model_prompt_name); }
        }

        /// <summary>What the model reads of a text: it behind the prompt of this name; null: the model's
        /// usual one, "": none. For Tokenize.</summary>
        public string EmbeddingText(string text, string prompt = null)
        {
            byte[] bytes = Native.Utf8(text), name = Native.ZeroTerminated(prompt);
            return With(model => Native.Text((buffer, capacity, length) => Raw.rondo_embedding_text(
                model, name, bytes, (UIntPtr)(uint)bytes.Length, buffer, capacity, length)));
        }

        /// <summary>What a model that scores pairs reads of one. instruction: what makes a document fit, in
        /// words; null: the model's usual one. For Tokenize.</summary>
        public string PairText(string query, string document, string instruction = null)
        {
            byte[] asked = Native.Utf8(query), found = Native.Utf8(document);
            byte[] what = Native.ZeroTerminated(instruction);
            return With(model => Native.Text((buffer, capacity, length) => Raw.rondo_pair_text(
                model, what, asked, (UIntPtr)(uint)asked.Length, found, (UIntPtr)(uint)found.Length,
                buffer, capacity, length)));
        }

        /// <summary>A LoRA adapter, from the file that `rondo convert --adapter-for` made for this
        /// model.</summary>
        public Adapter Adapter(string path)
        {
            IntPtr adapter = IntPtr.Zero;
            Native.CheckMessage((message, bytes) => With(model => Raw.rondo_adapter_open_path(
                model, Native.ZeroTerminated(path), out adapter, message, bytes)));
            return new Adapter(adapter);
        }

        /// <summary>What sessions may say: JSON that is valid by a schema, which is JSON
        /// itself.</summary>
        public Grammar Grammar(string schema, GrammarOptions options)
        {
            return Create(GrammarKind.JsonSchema, schema, options);
        }

        /// <summary>The same by a regular expression of ECMA-262, which is the whole text.</summary>
        public Grammar PatternGrammar(string pattern, GrammarOptions options)
        {
            return Create(GrammarKind.Pattern, pattern, options);
        }

        /// <summary>The same by rules in GBNF's notation.</summary>
        public Grammar RulesGrammar(string gbnf, GrammarOptions options)
        {
            return Create(GrammarKind.Gbnf, gbnf, options);
        }

        private Grammar Create(GrammarKind kind, string written, GrammarOptions options)
        {
            byte[] text = Native.Utf8(written);
            Raw.GrammarOptions raw = options.With(kind);
            IntPtr grammar = IntPtr.Zero;
            Native.CheckMessage((message, bytes) => With(model => Raw.rondo_grammar_create(model, ref raw,
                text, (UIntPtr)(uint)text.Length, IntPtr.Zero, UIntPtr.Zero, out grammar, message, bytes)));
            return new Grammar(grammar);
        }

        /// <summary>The bytes that the grammar of this schema takes.</summary>
        public ulong PlanGrammar(string schema, GrammarOptions options)
        {
            return PlanOf(GrammarKind.JsonSchema, schema, options);
        }

        /// <summary>The bytes that the grammar of this pattern takes.</summary>
        public ulong PlanPatternGrammar(string pattern, GrammarOptions options)
        {
            return PlanOf(GrammarKind.Pattern, pattern, options);
        }

        /// <summary>The bytes that the grammar of these rules takes.</summary>
        public ulong PlanRulesGrammar(string gbnf, GrammarOptions options)
        {
            return PlanOf(GrammarKind.Gbnf, gbnf, options);
        }

        private ulong PlanOf(GrammarKind kind, string written, GrammarOptions options)
        {
            UIntPtr length = (UIntPtr)(uint)Native.Utf8(written).Length;
            Raw.GrammarOptions raw = options.With(kind);
            ulong size = 0;
            Native.CheckMessage((message, bytes) => With(model =>
                Raw.rondo_grammar_plan(model, ref raw, length, out size, message, bytes)));
            return size;
        }

        /// <summary>What an engine with these options will take, to the byte.</summary>
        public MemoryPlan Plan(EngineOptions options)
        {
            using (Lent lent = new Lent())
            {
                Raw.EngineOptions raw = options.With(lent);
                Raw.MemoryPlan plan = new Raw.MemoryPlan { struct_size = Native.SizeOf<Raw.MemoryPlan>() };
                Native.CheckMessage((message, bytes) =>
                    With(model => Raw.rondo_plan(model, ref raw, ref plan, message, bytes)));
                return new MemoryPlan(plan);
            }
        }

        /// <summary>What lies where in an engine's arena with these options.</summary>
        public MemoryRegion[] PlanRegions(EngineOptions options)
        {
            MemoryRegion[] regions = new MemoryRegion[Plan(options).NRegions];
            using (Lent lent = new Lent())
            {
                Raw.EngineOptions raw = options.With(lent);
                for (int i = 0; i < regions.Length; ++i)
                {
                    Raw.MemoryRegion region =
                        new Raw.MemoryRegion { struct_size = Native.SizeOf<Raw.MemoryRegion>() };
                    Native.Check(With(model =>
                        Raw.rondo_plan_region(model, ref raw, (uint)i, ref region)));
                    regions[i] = new MemoryRegion(region);
                }
            }
            return regions;
        }

        /// <summary>The largest context whose plan fits into so many bytes.</summary>
        public uint PlanFit(ulong size, EngineOptions options)
        {
            using (Lent lent = new Lent())
            {
                Raw.EngineOptions raw = options.With(lent);
                uint context = 0;
                Native.CheckMessage((message, bytes) => With(model =>
                    Raw.rondo_plan_fit(model, ref raw, size, out context, message, bytes)));
                return context;
            }
        }

        /// <summary>What becomes of a picture of this size, upright, without a pixel and without an
        /// engine.</summary>
        public ImageFacts ImagePlan(int width, int height, ImageOptions options = null)
        {
            Raw.ImageOptions raw = ImageOptions.With(options);
            Raw.ImageFacts facts = new Raw.ImageFacts { struct_size = Native.SizeOf<Raw.ImageFacts>() };
            Native.CheckMessage((message, bytes) => With(model => Raw.rondo_image_plan(
                model, (uint)width, (uint)height, ref raw, ref facts, message, bytes)));
            return new ImageFacts(facts);
        }

        /// <summary>Makes the model runnable.</summary>
        public Engine Engine(EngineOptions options)
        {
            SessionOptions recommended = SessionOptions.RecommendedBy(this);
            int dimensions = (int)Embedder.Dimensions;
            int hiddenSize = (int)Info.HiddenSize;
            using (Lent lent = new Lent())
            {
                Raw.EngineOptions raw = options.With(lent);
                IntPtr engine = IntPtr.Zero;
                Native.CheckMessage((message, bytes) => With(model => Raw.rondo_engine_create(
                    model, ref raw, IntPtr.Zero, UIntPtr.Zero, out engine, message, bytes)));
                return new Engine(engine, this, recommended, dimensions, hiddenSize);
            }
        }

        /// <summary>The model's own templates, by their names; "": the one that is taken where none
        /// is named.</summary>
        public IDictionary<string, string> ChatTemplates
        {
            get
            {
                Dictionary<string, string> templates = new Dictionary<string, string>();
                foreach (string name in Names(Raw.rondo_model_chat_template_name))
                {
                    templates[name] = With(model => Native.Text((buffer, capacity, length) =>
                        Raw.rondo_model_chat_template(model, Native.ZeroTerminated(name), buffer,
                            capacity, length)));
                }
                return templates;
            }
        }

        /// <summary>The text of a conversation.</summary>
        public string RenderChat(Chat chat)
        {
            return Render(chat, (model, raw) => Native.Text((buffer, capacity, length) =>
                Fits((message, bytes) => Raw.rondo_chat_render(model, ref raw.Value, buffer, capacity,
                    length, null, UIntPtr.Zero, null, message, bytes))));
        }

        /// <summary>The token ids of a conversation.</summary>
        public int[] ChatIds(Chat chat)
        {
            return Render(chat, (model, raw) => Native.Ids(1024, (ids, capacity, count) =>
                Fits((message, bytes) => Raw.rondo_chat_render(model, ref raw.Value, null,
                    UIntPtr.Zero, null, ids, capacity, count, message, bytes))));
        }

        /// <summary>Takes answers to this conversation apart; its Tools say what may be
        /// called.</summary>
        public ChatParser ChatParser(Chat chat)
        {
            return Render(chat, (model, raw) =>
            {
                IntPtr parser = IntPtr.Zero;
                Native.CheckMessage((message, bytes) => Raw.rondo_chat_parser_create(
                    model, ref raw.Value, out parser, message, bytes));
                return new ChatParser(parser);
            });
        }

        /// <summary>The GBNF of answers to a conversation whose calls of its Tools parse, for
        /// RulesGrammar. function: the only one that may be called; null: any.</summary>
        public string ChatGrammar(Chat chat, Calls calls = Calls.Auto, string function = null)
        {
            return Render(chat, (model, raw) => Native.Text((buffer, capacity, length) =>
                Fits((message, bytes) => Raw.rondo_chat_grammar(model, ref raw.Value, (int)calls,
                    Native.ZeroTerminated(function), buffer, capacity, length, message, bytes))));
        }

        /// <summary>What begins and what ends a thought in the template; empty where it has
        /// none.</summary>
        public Tuple<string, string> ChatThinking(Chat chat)
        {
            byte[] end = new byte[0];
            UIntPtr[] count = new UIntPtr[1];
            string begin = Render(chat, (model, raw) => Native.Text((buffer, capacity, length) =>
            {
                end = new byte[(int)count[0] + 1];
                return Fits((message, bytes) => Raw.rondo_chat_thinking(model, ref raw.Value, buffer,
                    capacity, length, end, (UIntPtr)(uint)end.Length, count, message, bytes));
            }));
            return Tuple.Create(begin, Native.Text(end));
        }

        private sealed class Box
        {
            internal Raw.ChatOptions Value;
        }

        private T Render<T>(Chat chat, Func<IntPtr, Box, T> render)
        {
            using (Lent lent = new Lent())
            {
                Box raw = new Box { Value = chat.With(lent) };
                return With(model => render(model, raw));
            }
        }

        /// <summary>Throws with the message where the call fails otherwise than for want of
        /// room.</summary>
        private static int Fits(Native.WithMessage call)
        {
            int status = 0;
            Native.CheckMessage((message, bytes) =>
            {
                status = call(message, bytes);
                return status == (int)Status.BufferTooSmall ? 0 : status;
            });
            return status;
        }
    }

    /// <summary>A model made runnable. Made by Model.Engine; may be used from any thread.</summary>
    public sealed class Engine : Handle
    {
        internal readonly Model Model;
        /// <summary>What the model's makers recommend.</summary>
        internal readonly SessionOptions Recommended;
        /// <summary>Of vectors, also when the model is disposed.</summary>
        internal readonly int Dimensions;
        /// <summary>Of rows, likewise.</summary>
        internal readonly int HiddenSize;

        internal Engine(IntPtr handle, Model model, SessionOptions recommended, int dimensions,
            int hiddenSize) : base(handle)
        {
            Model = model;
            Recommended = recommended;
            Dimensions = dimensions;
            HiddenSize = hiddenSize;
        }

        protected override bool ReleaseHandle()
        {
            Raw.rondo_engine_close(handle);
            return true;
        }

        public MemoryPlan Memory
        {
            get
            {
                Raw.MemoryPlan plan = new Raw.MemoryPlan { struct_size = Native.SizeOf<Raw.MemoryPlan>() };
                Native.Check(With(engine => Raw.rondo_engine_memory(engine, ref plan)));
                return new MemoryPlan(plan);
            }
        }

        /// <summary>What lies where in the arena.</summary>
        public MemoryRegion[] MemoryRegions
        {
            get
            {
                MemoryRegion[] regions = new MemoryRegion[Memory.NRegions];
                for (int i = 0; i < regions.Length; ++i)
                {
                    Raw.MemoryRegion region =
                        new Raw.MemoryRegion { struct_size = Native.SizeOf<Raw.MemoryRegion>() };
                    Native.Check(With(engine =>
                        Raw.rondo_engine_memory_region(engine, (uint)i, ref region)));
                    regions[i] = new MemoryRegion(region);
                }
                return regions;
            }
        }

        /// <summary>The next event of the profile from number `cursor` on, which becomes the number
        /// behind it; null: there is none yet.</summary>
        public ProfileEvent Profile(ref ulong cursor)
        {
            ulong next = cursor;
            Raw.ProfileEvent raw =
                new Raw.ProfileEvent { struct_size = Native.SizeOf<Raw.ProfileEvent>() };
            Native.Check(With(engine => Raw.rondo_engine_profile(engine, ref next, ref raw)));
            cursor = next;
            return raw.name == IntPtr.Zero ? null : new ProfileEvent(raw);
        }

        public EngineCounters Stats
        {
            get
            {
                Raw.EngineCounters counters =
                    new Raw.EngineCounters { struct_size = Native.SizeOf<Raw.EngineCounters>() };
                Native.Check(With(engine => Raw.rondo_engine_stats(engine, ref counters)));
                return new EngineCounters(counters);
            }
        }

        /// <summary>An empty session in one of the engine's places. It samples as the model's makers
        /// recommend it, where the options say nothing else.</summary>
        public Session Session(SessionOptions options)
        {
            using (Lent lent = new Lent())
            {
                Raw.SessionOptions raw = options.With(lent, this);
                IntPtr session = IntPtr.Zero;
                Native.CheckMessage((message, bytes) => With(engine =>
                    Raw.rondo_session_open(engine, ref raw, out session, message, bytes)));
                return new Session(session, this);
            }
        }

        /// <summary>Encodes a picture, between the passes of sessions. For engines with the option
        /// MaxMediaRows. A token that is cancelled ends it.</summary>
        public Media Media(Image image, ImageOptions options = null,
            CancellationToken cancellation = default(CancellationToken))
        {
            return Rondo.Media.Create(this, image, options, cancellation);
        }

        /// <summary>One vector per text, in their order, each as Session.Embed makes it. The sessions share
        /// the work: each takes one text, and the next when it is done with it. Where a text is
        /// refused, the message tells which; Status.Busy: a session is in another call.</summary>
        public float[][] Embed(IList<Session> sessions, IList<int[]> texts, int dimensions = 0)
        {
            int n = dimensions == 0 ? Dimensions : dimensions;
            int[] ids = texts.SelectMany(text => text).ToArray();
            UIntPtr[] counts = texts.Select(text => (UIntPtr)(uint)text.Length).ToArray();
            float[] vectors = new float[Math.Max(checked(texts.Count * n), 1)];
            IntPtr[] handles = new IntPtr[sessions.Count];
            Native.CheckMessage((message, bytes) => With(engine => Enter(sessions, handles, 0, () =>
                Raw.rondo_engine_embed(engine, handles, (UIntPtr)(uint)handles.Length, ids, counts,
                    (UIntPtr)(uint)counts.Length, vectors, Native.Size(n), message, bytes))));
            return texts.Select((text, i) => vectors.Skip(i * n).Take(n).ToArray()).ToArray();
        }

        /// <summary>One pass for several sessions; Session.TakeEvent tells what each got.</summary>
        public void Step(IList<Session> sessions)
        {
            IntPtr[] handles = new IntPtr[sessions.Count];
            Native.CheckMessage((message, bytes) => With(engine => Enter(sessions, handles, 0, () =>
                Raw.rondo_engine_step(engine, handles, (UIntPtr)(uint)handles.Length, message, bytes))));
        }

        private static int Enter(IList<Session> sessions, IntPtr[] handles, int i, Func<int> use)
        {
            if (i == handles.Length) return use();
            return sessions[i].With(session =>
            {
                handles[i] = session;
                return Enter(sessions, handles, i + 1, use);
            });
        }
    }
}
