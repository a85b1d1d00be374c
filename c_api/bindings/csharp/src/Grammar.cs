using System;

namespace Rondo
{
    /// <summary>How a grammar is read. The flags are of JSON Schema alone.</summary>
    public sealed class GrammarOptions
    {
        private long? memoryBytes;

        /// <summary>No spaces between the parts of a text.</summary>
        public bool NoSpaces { get; set; }

        /// <summary>One space behind each colon and comma and nowhere else, as chat templates write
        /// JSON.</summary>
        public bool OneSpace { get; set; }

        /// <summary>Members in any order; else as the schema has them.</summary>
        public bool AnyOrder { get; set; }

        /// <summary>No members that the schema does not name, unless it says that there may be.</summary>
        public bool NamedOnly { get; set; }

        /// <summary>For what the grammar is made of. 2^20 to 2^30; default 0: 8 MiB.</summary>
        public long? MemoryBytes
        {
            get => memoryBytes;
            set => memoryBytes = value == 0 ? 0 : Checked.Long(nameof(MemoryBytes), value, 1 << 20, 1 << 30);
        }

        internal Raw.GrammarOptions With(GrammarKind kind)
        {
            Native.Check(Raw.rondo_grammar_options_init(
                out Raw.GrammarOptions raw, (UIntPtr)Native.SizeOf<Raw.GrammarOptions>()));
            raw.kind = (int)kind;
            raw.flags = (uint)((NoSpaces ? SchemaFlags.NoSpaces : 0) | (OneSpace ? SchemaFlags.OneSpace : 0) |
                (AnyOrder ? SchemaFlags.AnyOrder : 0) | (NamedOnly ? SchemaFlags.NamedOnly : 0));
            raw.memory_bytes = (ulong?)MemoryBytes ?? raw.memory_bytes;
            return raw;
        }
    }

    /// <summary>What generations may say. Made by Model.CreateJsonGrammar and its like. Any number of sessions
    /// share it, on any thread; they keep what they need of it when it is disposed.</summary>
    public sealed class Grammar : NativeObject
    {
        internal Grammar(IntPtr handle) : base(new Handle(handle, Raw.rondo_grammar_close)) { }
    }
}
