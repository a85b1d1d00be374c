using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;

namespace Rondo
{
    /// <summary>A model file. Immutable; may be used from any thread.</summary>
    public sealed partial class Model : NativeObject
    {
        private Model(Handle handle, bool isKept) : base(handle, isKept) { }

        /// <summary>Opens the file that `rondo convert` made.</summary>
        public static Model Open(string path)
        {
            byte[]? file = Native.ZeroTerminated(Checked.NotNull(path, nameof(path)), nameof(path));
            Library.Load();
            IntPtr model = IntPtr.Zero;
            Native.CheckMessage((message, bytes) =>
                Raw.rondo_model_open_path(Raw.AbiVersion, file, out model, message, bytes));
            return new Model(new Handle(model, Raw.rondo_model_close), false);
        }

        /// <summary>The same for whoever holds the handle: it works when this is disposed.</summary>
        internal Model Keep() => new Model(Handle, true);

        /// <summary>What the model is.</summary>
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
        public IReadOnlyList<int> EosTokens
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
        public IReadOnlyDictionary<string, string> Facts
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

        private delegate int NameOf(IntPtr model, uint index, byte[] buffer, UIntPtr capacity, UIntPtr[] length);

        /// <summary>The name of index 0, of index 1, up to the first that is not there.</summary>
        private List<string> Names(NameOf call)
        {
            List<string> names = new List<string>();
            for (; ; )
            {
                try
                {
                    names.Add(With(model => Native.Text((buffer, capacity, length) =>
                        call(model, (uint)names.Count, buffer, capacity, length))));
                }
                catch (RondoException error) when (error.Status == Status.InvalidArgument)
                {
                    return names;
                }
            }
        }

        /// <summary>"name", "architecture", "producer" and others.</summary>
        public string Fact(string key)
        {
            byte[]? asked = Native.ZeroTerminated(Checked.NotNull(key, nameof(key)), nameof(key));
            return With(model => Native.Text((buffer, capacity, length) =>
                Raw.rondo_model_fact(model, asked, buffer, capacity, length)));
        }

        /// <summary>Texts of special tokens become these tokens: check what strangers write.</summary>
        public int[] Tokenize(string text, TokenizeFlags flags = TokenizeFlags.AddSpecial)
        {
            byte[] bytes = Native.Utf8(text, nameof(text));
            return With(model => Native.Ids(bytes.Length / 2 + 16, (ids, capacity, count) =>
                Raw.rondo_tokenize(model, bytes, Native.Size(bytes.Length), (uint)flags, ids, capacity, count)));
        }

        /// <summary>The text of tokens.</summary>
        public string Detokenize(ReadOnlySpan<int> ids, DetokenizeFlags flags = DetokenizeFlags.None)
        {
            int[] copy = ids.ToArray();
            return Native.Explained(() => With(model => Native.Text((buffer, capacity, length) =>
                Raw.rondo_detokenize(model, copy, Native.Size(copy.Length), (uint)flags, buffer, capacity, length))),
                "ids has a number that is no token of the model");
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

        /// <summary>The names of the prompts that embeddings are made with.</summary>
        public IReadOnlyList<string> Prompts => Names(Raw.rondo_model_prompt_name);

        /// <summary>What the model reads of a text: it behind the prompt of this name; null: the model's usual
        /// one, "": none. For Tokenize.</summary>
        public string EmbeddingText(string text, string? prompt = null)
        {
            byte[] bytes = Native.Utf8(text, nameof(text));
            byte[]? name = Native.ZeroTerminated(prompt, nameof(prompt));
            return Native.Explained(() => With(model => Native.Text((buffer, capacity, length) =>
                Raw.rondo_embedding_text(model, name, bytes, Native.Size(bytes.Length), buffer, capacity, length))),
                $"the model has no prompt named '{prompt}'", "the model makes no vectors of texts");
        }

        /// <summary>What a model that scores pairs reads of one. instruction: what makes a document fit, in
        /// words; null: the model's usual one. For Tokenize.</summary>
        public string PairText(string query, string document, string? instruction = null)
        {
            byte[] asked = Native.Utf8(query, nameof(query)), found = Native.Utf8(document, nameof(document));
            byte[]? what = Native.ZeroTerminated(instruction, nameof(instruction));
            return Native.Explained(() => With(model => Native.Text((buffer, capacity, length) => Raw.rondo_pair_text(
                model, what, asked, Native.Size(asked.Length), found, Native.Size(found.Length), buffer,
                capacity, length))),
                "the query has the token that stands between the two texts", "the model scores no pairs");
        }

        /// <summary>Opens a LoRA adapter, the file that `rondo convert --adapter-for` made for this
        /// model.</summary>
        public Adapter OpenAdapter(string path)
        {
            byte[]? file = Native.ZeroTerminated(Checked.NotNull(path, nameof(path)), nameof(path));
            IntPtr adapter = IntPtr.Zero;
            Native.CheckMessage((message, bytes) => With(model =>
                Raw.rondo_adapter_open_path(model, file, out adapter, message, bytes)));
            return new Adapter(adapter);
        }

        /// <summary>What sessions may say: JSON that is valid by a schema, which is JSON itself.</summary>
        public Grammar CreateJsonGrammar(string schema, GrammarOptions? options = null) =>
            Create(GrammarKind.JsonSchema, schema, options);

        /// <summary>The same by a regular expression of ECMA-262, which is the whole text.</summary>
        public Grammar CreatePatternGrammar(string pattern, GrammarOptions? options = null) =>
            Create(GrammarKind.Pattern, pattern, options);

        /// <summary>The same by rules in GBNF's notation.</summary>
        public Grammar CreateRulesGrammar(string gbnf, GrammarOptions? options = null) =>
            Create(GrammarKind.Gbnf, gbnf, options);

        private Grammar Create(GrammarKind kind, string written, GrammarOptions? options)
        {
            byte[] text = Native.Utf8(written, "text");
            Raw.GrammarOptions raw = (options ?? new GrammarOptions()).With(kind);
            IntPtr grammar = IntPtr.Zero;
            Native.CheckMessage((message, bytes) => With(model => Raw.rondo_grammar_create(model, ref raw, text,
                Native.Size(text.Length), IntPtr.Zero, UIntPtr.Zero, out grammar, message, bytes)));
            return new Grammar(grammar);
        }

        /// <summary>The bytes that such a grammar takes, of a text of this kind.</summary>
        public long PlanGrammar(GrammarKind kind, string text, GrammarOptions? options = null)
        {
            UIntPtr length = Native.Size(Native.Utf8(text, nameof(text)).Length);
            Raw.GrammarOptions raw = (options ?? new GrammarOptions()).With(kind);
            ulong size = 0;
            Native.CheckMessage((message, bytes) => With(model =>
                Raw.rondo_grammar_plan(model, ref raw, length, out size, message, bytes)));
            return (long)size;
        }

        /// <summary>What an engine with these options will take, to the byte.</summary>
        public MemoryPlan Plan(EngineOptions? options = null)
        {
            using Lent lent = new Lent();
            Raw.EngineOptions raw = (options ?? new EngineOptions()).With(lent);
            Raw.MemoryPlan plan = new Raw.MemoryPlan { struct_size = Native.SizeOf<Raw.MemoryPlan>() };
            Native.CheckMessage((message, bytes) =>
                With(model => Raw.rondo_plan(model, ref raw, ref plan, message, bytes)));
            return new MemoryPlan(plan);
        }

        /// <summary>What lies where in an engine's arena with these options.</summary>
        public IReadOnlyList<MemoryRegion> PlanRegions(EngineOptions? options = null)
        {
            MemoryRegion[] regions = new MemoryRegion[Plan(options).NRegions];
            using Lent lent = new Lent();
            Raw.EngineOptions raw = (options ?? new EngineOptions()).With(lent);
            for (int i = 0; i < regions.Length; ++i)
            {
                Raw.MemoryRegion region =
                    new Raw.MemoryRegion { struct_size = Native.SizeOf<Raw.MemoryRegion>() };
                Native.Check(With(model => Raw.rondo_plan_region(model, ref raw, (uint)i, ref region)));
                regions[i] = new MemoryRegion(region);
            }
            return regions;
        }

        /// <summary>The largest context whose plan fits into so many bytes.</summary>
        public int PlanFit(long size, EngineOptions? options = null)
        {
            Checked.Long(nameof(size), size, 0, long.MaxValue);
            using Lent lent = new Lent();
            Raw.EngineOptions raw = (options ?? new EngineOptions()).With(lent);
            uint context = 0;
            Native.CheckMessage((message, bytes) => With(model =>
                Raw.rondo_plan_fit(model, ref raw, (ulong)size, out context, message, bytes)));
            return (int)context;
        }

        /// <summary>What becomes of a picture of this size, upright, without a pixel and without an
        /// engine.</summary>
        public ImageFacts ImagePlan(int width, int height, ImageOptions? options = null)
        {
            Checked.Int(nameof(width), width, 1, 65535);
            Checked.Int(nameof(height), height, 1, 65535);
            Raw.ImageOptions raw = ImageOptions.With(options);
            Raw.ImageFacts facts = new Raw.ImageFacts { struct_size = Native.SizeOf<Raw.ImageFacts>() };
            Native.CheckMessage((message, bytes) => With(model => Raw.rondo_image_plan(
                model, (uint)width, (uint)height, ref raw, ref facts, message, bytes)));
            return new ImageFacts(facts);
        }

        /// <summary>Makes the model runnable. progress: told how many of how many bytes are read; a token that
        /// is cancelled ends it.</summary>
        public Engine CreateEngine(EngineOptions? options = null,
            IProgress<(long Done, long Total)>? progress = null, CancellationToken cancellation = default)
        {
            cancellation.ThrowIfCancellationRequested();
            Exception? thrown = null;
            Raw.EngineOptionsProgress tell = (user, done, total) =>
            {
                try
                {
                    progress?.Report(((long)done, (long)total));
                }
                catch (Exception error) // must not unwind through the library
                {
                    thrown = error;
                }
                return thrown != null || cancellation.IsCancellationRequested ? 1 : 0;
            };
            using Lent lent = new Lent();
            Raw.EngineOptions raw = (options ?? new EngineOptions()).With(lent);
            if (progress != null || cancellation.CanBeCanceled)
            {
                raw.progress = Marshal.GetFunctionPointerForDelegate(tell);
            }
            IntPtr engine = IntPtr.Zero;
            try
            {
                Native.CheckMessage((message, bytes) => With(model => Raw.rondo_engine_create(
                    model, ref raw, IntPtr.Zero, UIntPtr.Zero, out engine, message, bytes)));
            }
            catch (RondoException error) when (error.Status == Status.Cancelled)
            {
                throw thrown ?? new OperationCanceledException(error.Message, error, cancellation);
            }
            GC.KeepAlive(tell);
            return new Engine(engine, this);
        }

        /// <summary>The same on a thread of its own.</summary>
        public Task<Engine> CreateEngineAsync(EngineOptions? options = null,
            IProgress<(long Done, long Total)>? progress = null, CancellationToken cancellation = default) =>
            new Worker().Run(() => CreateEngine(options, progress, cancellation));
    }
}
