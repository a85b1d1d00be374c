using System;

namespace Rondo
{
    /// <summary>rondo_grammar_options. The flags are of JSON Schema alone.</summary>
    public sealed class GrammarOptions
    {
        /// <summary>No spaces between the parts of a text, or one behind each colon and comma and nowhere
        /// else, as chat templates write JSON; members in any order, else as the schema has them;
        /// none that the schema does not name, unless it says that there may be.</summary>
        public bool NoSpaces, OneSpace, AnyOrder, NamedOnly;
        /// <summary>For what the grammar is made of; 0: 8 MiB.</summary>
        public ulong MemoryBytes;

        internal Raw.GrammarOptions With(GrammarKind kind)
        {
            Raw.GrammarOptions raw;
            Native.Check(Raw.rondo_grammar_options_init(
                out raw, (UIntPtr)Native.SizeOf<Raw.GrammarOptions>()));
            raw.kind = (int)kind;
            raw.flags = (uint)((NoSpaces ? SchemaFlags.NoSpaces : 0) |
                (OneSpace ? SchemaFlags.OneSpace : 0) | (AnyOrder ? SchemaFlags.AnyOrder : 0) |
                (NamedOnly ? SchemaFlags.NamedOnly : 0));
            raw.memory_bytes = MemoryBytes;
            return raw;
        }
    }

    /// <summary>What generations may say. Made by Model.Grammar. Any number of sessions share it, on any
    /// thread; they keep what they need of it when it is disposed.</summary>
    public sealed class Grammar : Handle
    {
        internal Grammar(IntPtr handle) : base(handle) { }

        protected override bool ReleaseHandle()
        {
            Raw.rondo_grammar_close(handle);
            return true;
        }
    }
}
