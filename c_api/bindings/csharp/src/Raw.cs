// Generated from c_api/abi/api.json by c_api/bindings/generate/generate.py: do not edit.
using System;
using System.Runtime.InteropServices;

namespace Rondo
{
    /// <summary>The constants RONDO_STATUS_ of rondo.h.</summary>
    public enum Status : int
    {
        Ok = 0,
        InvalidArgument = 16,
        BufferTooSmall = 17,
        Busy = 18,
        VersionMismatch = 19,
        InvalidHandle = 20,
        IoError = 32,
        NotAModel = 33,
        NewerFormat = 34,
        Corrupt = 35,
        Unsupported = 36,
        OutOfMemory = 48,
        ArenaTooSmall = 49,
        ArenaMisaligned = 50,
        ContextFull = 64,
        Cancelled = 65,
        NoLogits = 66,
        KvPoolFull = 67,
        SnapshotMismatch = 68,
        Constraint = 69,
        Internal = 80,
    }

    [Flags]
    /// <summary>The constants RONDO_TOKENIZE_ of rondo.h.</summary>
    public enum TokenizeFlags : uint
    {
        AddSpecial = 1,
    }

    [Flags]
    /// <summary>The constants RONDO_DETOKENIZE_ of rondo.h.</summary>
    public enum DetokenizeFlags : uint
    {
        SkipSpecial = 1,
    }

    /// <summary>The constants RONDO_GRAMMAR_ of rondo.h.</summary>
    public enum GrammarKind : int
    {
        JsonSchema = 0,
        Pattern = 1,
        Gbnf = 2,
    }

    [Flags]
    /// <summary>The constants RONDO_SCHEMA_ of rondo.h.</summary>
    public enum SchemaFlags : uint
    {
        NoSpaces = 1,
        AnyOrder = 2,
        OneSpace = 4,
        NamedOnly = 8,
    }

    /// <summary>The constants RONDO_POLICY_ of rondo.h.</summary>
    public enum Policy : int
    {
        Stop = 0,
        Slide = 1,
    }

    /// <summary>The constants RONDO_KV_ of rondo.h.</summary>
    public enum Kv : int
    {
        Int8 = 0,
        Float32 = 1,
        K8v4 = 2,
        K4v4 = 3,
    }

    /// <summary>The constants RONDO_LOG_ of rondo.h.</summary>
    public enum Log : int
    {
        Warning = 0,
        Info = 1,
        Debug = 2,
    }

    /// <summary>The constants RONDO_AFFINITY_ of rondo.h.</summary>
    public enum Affinity : int
    {
        System = 0,
        Performance = 1,
        Cpus = 2,
    }

    /// <summary>The constants RONDO_SEGMENT_ of rondo.h.</summary>
    public enum Segment : int
    {
        Weights = 0,
        KvPool = 1,
        Sessions = 2,
        Activations = 3,
        Workspace = 4,
    }

    /// <summary>The constants RONDO_SPECULATION_ of rondo.h.</summary>
    public enum Speculation : int
    {
        None = 0,
        PromptLookup = 1,
        DraftModel = 2,
        DraftHead = 3,
    }

    /// <summary>The constants RONDO_GRAMMAR_BEGIN_ of rondo.h.</summary>
    public enum GrammarBegin : int
    {
        AtOnce = 0,
        AfterToken = 1,
        AfterThinking = 2,
    }

    /// <summary>The constants RONDO_REASON_ of rondo.h.</summary>
    public enum Reason : int
    {
        None = 0,
        Eos = 1,
        StopString = 2,
        TokenLimit = 3,
        ContextFull = 4,
        Grammar = 5,
    }

    /// <summary>The constants RONDO_CHANNEL_ of rondo.h.</summary>
    public enum Channel : int
    {
        Text = 0,
        Thinking = 1,
    }

    /// <summary>The constants RONDO_ROWS_ of rondo.h.</summary>
    public enum Rows : int
    {
        Float32 = 0,
        Bfloat16 = 1,
    }

    /// <summary>The constants RONDO_PIXELS_ of rondo.h.</summary>
    public enum Pixels : int
    {
        Rgb8 = 0,
        Rgba8 = 1,
        Bgra8 = 2,
        Gray8 = 3,
        Nv12 = 4,
        Nv21 = 5,
        I420 = 6,
    }

    /// <summary>The constants RONDO_YUV_ of rondo.h.</summary>
    public enum YuvRange : int
    {
        Video = 0,
        Full = 1,
    }

    /// <summary>The constants RONDO_YUV_ of rondo.h.</summary>
    public enum YuvMatrix : int
    {
        Bt601 = 0,
        Bt709 = 1,
    }

    [Flags]
    /// <summary>The constants RONDO_CHAT_ of rondo.h.</summary>
    public enum ChatFlags : uint
    {
        AddGenerationPrompt = 1,
        ContinueFinal = 2,
        PlainContent = 4,
    }

    /// <summary>The constants RONDO_CHAT_PART_ of rondo.h.</summary>
    public enum ChatPartKind : int
    {
        None = 0,
        Content = 1,
        Thinking = 2,
        Call = 3,
        Arguments = 4,
        CallEnd = 5,
    }

    /// <summary>The constants RONDO_CALLS_ of rondo.h.</summary>
    public enum Calls : int
    {
        Auto = 0,
        Required = 1,
        One = 2,
    }

    /// <summary>The constants RONDO_POOLING_ of rondo.h.</summary>
    public enum Pooling : int
    {
        Mean = 0,
        Last = 1,
        First = 2,
    }

    /// <summary>rondo_model_facts of rondo.h.</summary>
    public sealed class ModelFacts
    {
        public readonly uint VocabSize;
        public readonly uint ContextLength;
        public readonly uint HiddenSize;
        public readonly uint NLayers;
        public readonly uint NHeads;
        public readonly uint NKvHeads;
        public readonly uint HeadDim;
        public readonly int BosToken;
        public readonly uint NEosTokens;
        public readonly uint HasTokenizer;
        public readonly uint FormatVersion;
        public readonly ulong FileBytes;
        public readonly ulong Parameters;
        public readonly ulong TokenizerBytes;
        public readonly int PictureToken;

        internal ModelFacts(Raw.ModelFacts raw)
        {
            VocabSize = raw.vocab_size;
            ContextLength = raw.context_length;
            HiddenSize = raw.hidden_size;
            NLayers = raw.n_layers;
            NHeads = raw.n_heads;
            NKvHeads = raw.n_kv_heads;
            HeadDim = raw.head_dim;
            BosToken = raw.bos_token;
            NEosTokens = raw.n_eos_tokens;
            HasTokenizer = raw.has_tokenizer;
            FormatVersion = raw.format_version;
            FileBytes = raw.file_bytes;
            Parameters = raw.parameters;
            TokenizerBytes = raw.tokenizer_bytes;
            PictureToken = raw.picture_token;
        }
    }

    /// <summary>rondo_adapter_facts of rondo.h.</summary>
    public sealed class AdapterFacts
    {
        public readonly uint Rank;
        public readonly uint NMatrices;
        public readonly ulong FileBytes;

        internal AdapterFacts(Raw.AdapterFacts raw)
        {
            Rank = raw.rank;
            NMatrices = raw.n_matrices;
            FileBytes = raw.file_bytes;
        }
    }

    /// <summary>rondo_memory_plan of rondo.h.</summary>
    public sealed class MemoryPlan
    {
        public readonly uint NRegions;
        public readonly ulong ArenaBytes;
        public readonly ulong ArenaAlignment;
        public readonly ulong WeightsBytes;
        public readonly ulong KvPoolBytes;
        public readonly ulong SessionsBytes;
        public readonly ulong ActivationsBytes;
        public readonly ulong WorkspaceBytes;
        public readonly ulong ActivationsLowerBound;
        public readonly ulong KvBytesPerToken;
        public readonly uint KvBlockTokens;
        public readonly uint Context;
        public readonly uint MaxSessions;
        public readonly uint MaxRows;
        public readonly uint Threads;
        public readonly uint SinkTokens;
        public readonly string Kernels;
        public readonly ulong MappedBytes;
        public readonly ulong KvTokens;
        public readonly uint RowsPerStep;

        internal MemoryPlan(Raw.MemoryPlan raw)
        {
            NRegions = raw.n_regions;
            ArenaBytes = raw.arena_bytes;
            ArenaAlignment = raw.arena_alignment;
            WeightsBytes = raw.weights_bytes;
            KvPoolBytes = raw.kv_pool_bytes;
            SessionsBytes = raw.sessions_bytes;
            ActivationsBytes = raw.activations_bytes;
            WorkspaceBytes = raw.workspace_bytes;
            ActivationsLowerBound = raw.activations_lower_bound;
            KvBytesPerToken = raw.kv_bytes_per_token;
            KvBlockTokens = raw.kv_block_tokens;
            Context = raw.context;
            MaxSessions = raw.max_sessions;
            MaxRows = raw.max_rows;
            Threads = raw.threads;
            SinkTokens = raw.sink_tokens;
            Kernels = Native.Text(raw.kernels);
            MappedBytes = raw.mapped_bytes;
            KvTokens = raw.kv_tokens;
            RowsPerStep = raw.rows_per_step;
        }
    }

    /// <summary>rondo_memory_region of rondo.h.</summary>
    public sealed class MemoryRegion
    {
        public readonly int Segment;
        public readonly ulong Offset;
        public readonly ulong Bytes;
        public readonly int FirstStep;
        public readonly int LastStep;
        public readonly string Name;

        internal MemoryRegion(Raw.MemoryRegion raw)
        {
            Segment = raw.segment;
            Offset = raw.offset;
            Bytes = raw.bytes;
            FirstStep = raw.first_step;
            LastStep = raw.last_step;
            Name = Native.Text(raw.name);
        }
    }

    /// <summary>rondo_engine_counters of rondo.h.</summary>
    public sealed class EngineCounters
    {
        public readonly uint SessionsOpen;
        public readonly uint OwnsArena;
        public readonly ulong TokensPrefilled;
        public readonly ulong TokensGenerated;
        public readonly ulong TokensTakenOver;
        public readonly ulong ParallelFaults;
        public readonly ulong Passes;
        public readonly ulong Rows;
        public readonly ulong PrefillNs;
        public readonly ulong DecodeNs;
        public readonly ulong SampleNs;
        public readonly ulong PrefixHits;
        public readonly ulong TokensEvicted;
        public readonly ulong KvBytesUsed;
        public readonly ulong KvBytesTotal;
        public readonly ulong DraftsProposed;
        public readonly ulong DraftsAccepted;

        internal EngineCounters(Raw.EngineCounters raw)
        {
            SessionsOpen = raw.sessions_open;
            OwnsArena = raw.owns_arena;
            TokensPrefilled = raw.tokens_prefilled;
            TokensGenerated = raw.tokens_generated;
            TokensTakenOver = raw.tokens_taken_over;
            ParallelFaults = raw.parallel_faults;
            Passes = raw.passes;
            Rows = raw.rows;
            PrefillNs = raw.prefill_ns;
            DecodeNs = raw.decode_ns;
            SampleNs = raw.sample_ns;
            PrefixHits = raw.prefix_hits;
            TokensEvicted = raw.tokens_evicted;
            KvBytesUsed = raw.kv_bytes_used;
            KvBytesTotal = raw.kv_bytes_total;
            DraftsProposed = raw.drafts_proposed;
            DraftsAccepted = raw.drafts_accepted;
        }
    }

    /// <summary>rondo_profile_event of rondo.h.</summary>
    public sealed class ProfileEvent
    {
        public readonly int Layer;
        public readonly uint Rows;
        public readonly uint Inputs;
        public readonly uint Outputs;
        public readonly ulong BeginNs;
        public readonly ulong DurationNs;
        public readonly ulong Thread;
        public readonly string Name;

        internal ProfileEvent(Raw.ProfileEvent raw)
        {
            Layer = raw.layer;
            Rows = raw.rows;
            Inputs = raw.inputs;
            Outputs = raw.outputs;
            BeginNs = raw.begin_ns;
            DurationNs = raw.duration_ns;
            Thread = raw.thread;
            Name = Native.Text(raw.name);
        }
    }

    /// <summary>rondo_image_facts of rondo.h.</summary>
    public sealed class ImageFacts
    {
        public readonly uint Rows;
        public readonly uint Positions;
        public readonly uint TileColumns;
        public readonly uint TileRows;
        public readonly uint TilePixels;
        public readonly uint WholeWidth;
        public readonly uint WholeHeight;
        public readonly ulong Patches;

        internal ImageFacts(Raw.ImageFacts raw)
        {
            Rows = raw.rows;
            Positions = raw.positions;
            TileColumns = raw.tile_columns;
            TileRows = raw.tile_rows;
            TilePixels = raw.tile_pixels;
            WholeWidth = raw.whole_width;
            WholeHeight = raw.whole_height;
            Patches = raw.patches;
        }
    }

    /// <summary>rondo_session_counters of rondo.h.</summary>
    public sealed class SessionCounters
    {
        public readonly ulong TokensPrefilled;
        public readonly ulong TokensGenerated;
        public readonly ulong TokensTakenOver;
        public readonly ulong Passes;
        public readonly ulong Rows;
        public readonly ulong PrefillNs;
        public readonly ulong DecodeNs;
        public readonly ulong SampleNs;
        public readonly ulong PrefixHits;
        public readonly ulong TokensEvicted;
        public readonly ulong KvBytesHeld;
        public readonly ulong DraftsProposed;
        public readonly ulong DraftsAccepted;

        internal SessionCounters(Raw.SessionCounters raw)
        {
            TokensPrefilled = raw.tokens_prefilled;
            TokensGenerated = raw.tokens_generated;
            TokensTakenOver = raw.tokens_taken_over;
            Passes = raw.passes;
            Rows = raw.rows;
            PrefillNs = raw.prefill_ns;
            DecodeNs = raw.decode_ns;
            SampleNs = raw.sample_ns;
            PrefixHits = raw.prefix_hits;
            TokensEvicted = raw.tokens_evicted;
            KvBytesHeld = raw.kv_bytes_held;
            DraftsProposed = raw.drafts_proposed;
            DraftsAccepted = raw.drafts_accepted;
        }
    }

    /// <summary>rondo_embedder_facts of rondo.h.</summary>
    public sealed class EmbedderFacts
    {
        public readonly uint Dimensions;
        public readonly uint MaxTokens;
        public readonly uint WholeTexts;
        public readonly uint Normalized;
        public readonly uint ScoresPairs;
        public readonly int Pooling;
        public readonly uint NPrompts;
        public readonly int DefaultPrompt;

        internal EmbedderFacts(Raw.EmbedderFacts raw)
        {
            Dimensions = raw.dimensions;
            MaxTokens = raw.max_tokens;
            WholeTexts = raw.whole_texts;
            Normalized = raw.normalized;
            ScoresPairs = raw.scores_pairs;
            Pooling = raw.pooling;
            NPrompts = raw.n_prompts;
            DefaultPrompt = raw.default_prompt;
        }
    }

    /// <summary>The C API as P/Invoke sees it.</summary>
    internal static class Raw
    {
        private const string Library = "rondo";
        internal const uint AbiVersion = 13;

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        internal delegate void Task(IntPtr context, UIntPtr index);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        internal delegate int EngineOptionsProgress(IntPtr progressUser, ulong done, ulong total);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        internal delegate void EngineOptionsParallelFor(IntPtr parallelUser, UIntPtr count, IntPtr task, IntPtr context);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        internal delegate void EngineOptionsLog(IntPtr logUser, int level, IntPtr message);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        internal delegate void LogitsRow(IntPtr user, UIntPtr index, IntPtr logits, UIntPtr count);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        internal delegate int ImageOptionsProgress(IntPtr progressUser, ulong done, ulong total);

        [StructLayout(LayoutKind.Sequential)]
        internal struct ModelPart
        {
            internal IntPtr bytes;
            internal UIntPtr length;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct ModelFacts
        {
            internal uint struct_size;
            internal uint vocab_size;
            internal uint context_length;
            internal uint hidden_size;
            internal uint n_layers;
            internal uint n_heads;
            internal uint n_kv_heads;
            internal uint head_dim;
            internal int bos_token;
            internal uint n_eos_tokens;
            internal uint has_tokenizer;
            internal uint format_version;
            internal ulong file_bytes;
            internal ulong parameters;
            internal ulong tokenizer_bytes;
            internal int picture_token;
            internal uint reserved;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct GrammarOptions
        {
            internal uint struct_size;
            internal int kind;
            internal uint flags;
            internal uint reserved;
            internal ulong memory_bytes;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct AdapterFacts
        {
            internal uint struct_size;
            internal uint rank;
            internal uint n_matrices;
            internal uint reserved;
            internal ulong file_bytes;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct EngineOptions
        {
            internal uint struct_size;
            internal uint context;
            internal uint max_sessions;
            internal uint max_rows;
            internal uint threads;
            internal int context_policy;
            internal uint sink_tokens;
            internal int kv_format;
            internal IntPtr kernels;
            internal IntPtr progress;
            internal IntPtr progress_user;
            internal uint kv_tokens;
            internal uint rows_per_step;
            internal uint no_prefix_cache;
            internal uint profile_events;
            internal IntPtr parallel_for;
            internal IntPtr parallel_user;
            internal IntPtr log;
            internal IntPtr log_user;
            internal int log_level;
            internal uint duty_percent;
            internal IntPtr draft;
            internal uint draft_head;
            internal uint reserved;
            internal IntPtr cpus;
            internal uint n_cpus;
            internal int affinity;
            internal uint adapter_rank;
            internal uint reserved2;
            internal uint max_input_rows;
            internal uint reserved3;
            internal uint max_media_rows;
            internal uint reserved4;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct MemoryPlan
        {
            internal uint struct_size;
            internal uint n_regions;
            internal ulong arena_bytes;
            internal ulong arena_alignment;
            internal ulong weights_bytes;
            internal ulong kv_pool_bytes;
            internal ulong sessions_bytes;
            internal ulong activations_bytes;
            internal ulong workspace_bytes;
            internal ulong activations_lower_bound;
            internal ulong kv_bytes_per_token;
            internal uint kv_block_tokens;
            internal uint context;
            internal uint max_sessions;
            internal uint max_rows;
            internal uint threads;
            internal uint sink_tokens;
            internal IntPtr kernels;
            internal ulong mapped_bytes;
            internal ulong kv_tokens;
            internal uint rows_per_step;
            internal uint reserved;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct MemoryRegion
        {
            internal uint struct_size;
            internal int segment;
            internal ulong offset;
            internal ulong bytes;
            internal int first_step;
            internal int last_step;
            [MarshalAs(UnmanagedType.ByValArray, SizeConst = 48)]
            internal byte[] name;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct EngineCounters
        {
            internal uint struct_size;
            internal uint sessions_open;
            internal uint owns_arena;
            internal uint reserved;
            internal ulong tokens_prefilled;
            internal ulong tokens_generated;
            internal ulong tokens_taken_over;
            internal ulong parallel_faults;
            internal ulong passes;
            internal ulong rows;
            internal ulong prefill_ns;
            internal ulong decode_ns;
            internal ulong sample_ns;
            internal ulong prefix_hits;
            internal ulong tokens_evicted;
            internal ulong kv_bytes_used;
            internal ulong kv_bytes_total;
            internal ulong drafts_proposed;
            internal ulong drafts_accepted;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct ProfileEvent
        {
            internal uint struct_size;
            internal int layer;
            internal uint rows;
            internal uint inputs;
            internal uint outputs;
            internal uint reserved;
            internal ulong begin_ns;
            internal ulong duration_ns;
            internal ulong thread;
            internal IntPtr name;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct LogitBias
        {
            internal int token;
            internal float bias;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct SessionOptions
        {
            internal uint struct_size;
            internal float temperature;
            internal int top_k;
            internal float top_p;
            internal float min_p;
            internal float repetition_penalty;
            internal float presence_penalty;
            internal float frequency_penalty;
            internal int penalty_last_n;
            internal uint ignore_eos;
            internal uint logprobs;
            internal uint no_repeat_ngram_size;
            internal ulong seed;
            internal ulong max_tokens;
            internal IntPtr logit_bias;
            internal UIntPtr n_logit_bias;
            internal IntPtr stop_strings;
            internal UIntPtr n_stop_strings;
            internal int speculation;
            internal uint max_drafts;
            internal IntPtr grammar;
            internal int grammar_begin;
            internal int grammar_token;
            internal uint grammar_goes_on;
            internal uint thinking;
            internal IntPtr thinking_begin;
            internal IntPtr thinking_end;
            internal ulong thinking_tokens;
            internal IntPtr adapter;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct Event
        {
            internal uint struct_size;
            internal int token;
            internal float logprob;
            internal int reason;
            internal IntPtr bytes;
            internal UIntPtr bytes_count;
            internal IntPtr text;
            internal UIntPtr text_bytes;
            internal ulong pending;
            internal ulong taken_over;
            internal int channel;
            internal uint reserved;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct Input
        {
            internal uint struct_size;
            internal int row_format;
            internal IntPtr ids;
            internal IntPtr rows;
            internal UIntPtr count;
            internal IntPtr coordinates;
            internal uint sees_whole;
            internal uint reserved;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct Image
        {
            internal uint struct_size;
            internal int format;
            internal uint width;
            internal uint height;
            internal IntPtr plane0;
            internal IntPtr plane1;
            internal IntPtr plane2;
            internal UIntPtr stride0;
            internal UIntPtr stride1;
            internal UIntPtr stride2;
            internal uint rotation;
            internal uint mirror;
            internal int yuv_range;
            internal int yuv_matrix;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct ImageOptions
        {
            internal uint struct_size;
            internal uint min_tokens;
            internal uint max_tokens;
            internal uint one_tile;
            internal IntPtr progress;
            internal IntPtr progress_user;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct ImageFacts
        {
            internal uint struct_size;
            internal uint rows;
            internal uint positions;
            internal uint tile_columns;
            internal uint tile_rows;
            internal uint tile_pixels;
            internal uint whole_width;
            internal uint whole_height;
            internal ulong patches;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct SessionCounters
        {
            internal uint struct_size;
            internal uint reserved;
            internal ulong tokens_prefilled;
            internal ulong tokens_generated;
            internal ulong tokens_taken_over;
            internal ulong passes;
            internal ulong rows;
            internal ulong prefill_ns;
            internal ulong decode_ns;
            internal ulong sample_ns;
            internal ulong prefix_hits;
            internal ulong tokens_evicted;
            internal ulong kv_bytes_held;
            internal ulong drafts_proposed;
            internal ulong drafts_accepted;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct ChatOptions
        {
            internal uint struct_size;
            internal uint flags;
            internal long local_time;
            internal IntPtr messages;
            internal UIntPtr messages_bytes;
            internal IntPtr tools;
            internal UIntPtr tools_bytes;
            internal IntPtr variables;
            internal UIntPtr variables_bytes;
            internal IntPtr template_name;
            internal IntPtr template_text;
            internal UIntPtr template_bytes;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct ChatPart
        {
            internal uint struct_size;
            internal int kind;
            internal ulong call;
            internal IntPtr text;
            internal UIntPtr text_bytes;
            internal IntPtr name;
            internal UIntPtr name_bytes;
            internal IntPtr id;
            internal UIntPtr id_bytes;
        }

        [StructLayout(LayoutKind.Sequential)]
        internal struct EmbedderFacts
        {
            internal uint struct_size;
            internal uint dimensions;
            internal uint max_tokens;
            internal uint whole_texts;
            internal uint normalized;
            internal uint scores_pairs;
            internal int pooling;
            internal uint n_prompts;
            internal int default_prompt;
            internal uint reserved;
        }

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern uint rondo_abi_version();

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr rondo_version_string();

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr rondo_status_string(int status);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_query(byte[] name, out long value);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_model_open_path(uint abiVersion, byte[] path, out IntPtr model, [In, Out] byte[] message, UIntPtr messageBytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_model_open_fd(uint abiVersion, int fd, ulong offset, ulong length, out IntPtr model, [In, Out] byte[] message, UIntPtr messageBytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_model_open_memory(uint abiVersion, IntPtr bytes, UIntPtr length, out IntPtr model, [In, Out] byte[] message, UIntPtr messageBytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_model_open_parts(uint abiVersion, ref ModelPart parts, uint nParts, out IntPtr model, [In, Out] byte[] message, UIntPtr messageBytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void rondo_model_close(IntPtr model);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_model_info(IntPtr model, ref ModelFacts facts);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_model_eos_token(IntPtr model, uint index, out int token);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_model_fact(IntPtr model, byte[] key, [In, Out] byte[] buffer, UIntPtr capacity, [In, Out] UIntPtr[] length);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_model_fact_key(IntPtr model, uint index, [In, Out] byte[] buffer, UIntPtr capacity, [In, Out] UIntPtr[] length);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_tokenize(IntPtr model, byte[] text, UIntPtr textBytes, uint flags, [In, Out] int[] ids, UIntPtr capacity, [In, Out] UIntPtr[] count);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_detokenize(IntPtr model, int[] ids, UIntPtr count, uint flags, [In, Out] byte[] buffer, UIntPtr capacity, [In, Out] UIntPtr[] length);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_grammar_options_init(out GrammarOptions options, UIntPtr structSize);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_grammar_plan(IntPtr model, ref GrammarOptions options, UIntPtr textBytes, out ulong bytes, [In, Out] byte[] message, UIntPtr messageBytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_grammar_create(IntPtr model, ref GrammarOptions options, byte[] text, UIntPtr textBytes, IntPtr memory, UIntPtr memoryBytes, out IntPtr grammar, [In, Out] byte[] message, UIntPtr messageBytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void rondo_grammar_close(IntPtr grammar);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_adapter_open_path(IntPtr model, byte[] path, out IntPtr adapter, [In, Out] byte[] message, UIntPtr messageBytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_adapter_open_memory(IntPtr model, IntPtr bytes, UIntPtr length, out IntPtr adapter, [In, Out] byte[] message, UIntPtr messageBytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void rondo_adapter_close(IntPtr adapter);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_adapter_info(IntPtr adapter, ref AdapterFacts facts);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_engine_options_init(out EngineOptions options, UIntPtr structSize);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_plan(IntPtr model, ref EngineOptions options, ref MemoryPlan plan, [In, Out] byte[] message, UIntPtr messageBytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_plan_region(IntPtr model, ref EngineOptions options, uint index, ref MemoryRegion region);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_plan_fit(IntPtr model, ref EngineOptions options, ulong bytes, out uint context, [In, Out] byte[] message, UIntPtr messageBytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_engine_create(IntPtr model, ref EngineOptions options, IntPtr arena, UIntPtr arenaBytes, out IntPtr engine, [In, Out] byte[] message, UIntPtr messageBytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void rondo_engine_close(IntPtr engine);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_engine_memory(IntPtr engine, ref MemoryPlan plan);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_engine_memory_region(IntPtr engine, uint index, ref MemoryRegion region);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_engine_stats(IntPtr engine, ref EngineCounters counters);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_engine_profile(IntPtr engine, ref ulong cursor, ref ProfileEvent @event);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_options_init(out SessionOptions options, UIntPtr structSize);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_model_session_options(IntPtr model, ref SessionOptions options);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_open(IntPtr engine, ref SessionOptions options, out IntPtr session, [In, Out] byte[] message, UIntPtr messageBytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_fork(IntPtr session, ref SessionOptions options, out IntPtr @fork, [In, Out] byte[] message, UIntPtr messageBytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void rondo_session_close(IntPtr session);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_prefill(IntPtr session, int[] ids, UIntPtr count);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_prefill_logits(IntPtr session, int[] ids, UIntPtr count, LogitsRow row, IntPtr user);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_next(IntPtr session, ref Event @event);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_append(IntPtr session, int[] ids, UIntPtr count);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_append_inputs(IntPtr session, ref Input inputs, UIntPtr count);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_image_options_init(out ImageOptions options, UIntPtr structSize);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_image_plan(IntPtr model, uint width, uint height, ref ImageOptions options, ref ImageFacts facts, [In, Out] byte[] message, UIntPtr messageBytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_media_create(IntPtr engine, ref Image image, ref ImageOptions options, out IntPtr media, [In, Out] byte[] message, UIntPtr messageBytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_media_info(IntPtr media, ref ImageFacts facts);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void rondo_media_close(IntPtr media);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_append_media(IntPtr session, int[] ids, UIntPtr count, IntPtr[] media, UIntPtr nMedia);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_engine_step(IntPtr engine, IntPtr[] sessions, UIntPtr count, [In, Out] byte[] message, UIntPtr messageBytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_event(IntPtr session, ref Event @event);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_logits(IntPtr session, out IntPtr logits, [In, Out] UIntPtr[] count);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_propose(IntPtr session, int[] ids, UIntPtr count);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_accept(IntPtr session, int token);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_undo(IntPtr session, ulong n);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_reset(IntPtr session);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_position(IntPtr session, out ulong position);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_remaining(IntPtr session, out ulong tokens);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_evicted(IntPtr session, out ulong begin, out ulong end);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_progress(IntPtr session, out ulong done, out ulong total);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_stats(IntPtr session, ref SessionCounters counters);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_cancel(IntPtr session);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_call(IntPtr session, out ulong number);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_cancel_call(IntPtr session, ulong number);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern IntPtr rondo_session_last_error(IntPtr session);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_save(IntPtr session, [In, Out] byte[] buffer, UIntPtr capacity, [In, Out] UIntPtr[] bytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_restore(IntPtr session, byte[] bytes, UIntPtr count);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_tokens(IntPtr session, out ulong begin, [In, Out] int[] ids, UIntPtr capacity, [In, Out] UIntPtr[] count);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_model_chat_template_name(IntPtr model, uint index, [In, Out] byte[] buffer, UIntPtr capacity, [In, Out] UIntPtr[] length);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_model_chat_template(IntPtr model, byte[] name, [In, Out] byte[] buffer, UIntPtr capacity, [In, Out] UIntPtr[] length);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_chat_options_init(out ChatOptions options, UIntPtr structSize);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_chat_render(IntPtr model, ref ChatOptions options, [In, Out] byte[] text, UIntPtr textCapacity, [In, Out] UIntPtr[] textLength, [In, Out] int[] ids, UIntPtr idsCapacity, [In, Out] UIntPtr[] idsCount, [In, Out] byte[] message, UIntPtr messageBytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_chat_parser_create(IntPtr model, ref ChatOptions options, out IntPtr parser, [In, Out] byte[] message, UIntPtr messageBytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_chat_parser_push(IntPtr parser, byte[] bytes, UIntPtr count, int last);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_chat_parser_next(IntPtr parser, ref ChatPart part);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_chat_parser_reset(IntPtr parser);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern void rondo_chat_parser_close(IntPtr parser);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_chat_grammar(IntPtr model, ref ChatOptions options, int calls, byte[] function, [In, Out] byte[] buffer, UIntPtr capacity, [In, Out] UIntPtr[] length, [In, Out] byte[] message, UIntPtr messageBytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_chat_thinking(IntPtr model, ref ChatOptions options, [In, Out] byte[] begin, UIntPtr beginCapacity, [In, Out] UIntPtr[] beginLength, [In, Out] byte[] end, UIntPtr endCapacity, [In, Out] UIntPtr[] endLength, [In, Out] byte[] message, UIntPtr messageBytes);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_model_embedder(IntPtr model, ref EmbedderFacts facts);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_model_prompt_name(IntPtr model, uint index, [In, Out] byte[] buffer, UIntPtr capacity, [In, Out] UIntPtr[] length);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_embedding_text(IntPtr model, byte[] prompt, byte[] text, UIntPtr textBytes, [In, Out] byte[] buffer, UIntPtr capacity, [In, Out] UIntPtr[] length);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_pair_text(IntPtr model, byte[] instruction, byte[] query, UIntPtr queryBytes, byte[] document, UIntPtr documentBytes, [In, Out] byte[] buffer, UIntPtr capacity, [In, Out] UIntPtr[] length);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_session_embed(IntPtr session, int[] ids, UIntPtr count, [In, Out] float[] vector, UIntPtr dimensions);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        internal static extern int rondo_engine_embed(IntPtr engine, IntPtr[] sessions, UIntPtr nSessions, int[] ids, UIntPtr[] counts, UIntPtr nTexts, [In, Out] float[] vectors, UIntPtr dimensions, [In, Out] byte[] message, UIntPtr messageBytes);
    }
}
