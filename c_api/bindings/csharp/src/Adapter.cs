using System;

namespace Rondo
{
    /// <summary>A LoRA adapter for a model. Made by Model.OpenAdapter. Any number of sessions share it, on any
    /// thread; they keep what they need of it when it is disposed.</summary>
    public sealed class Adapter : NativeObject
    {
        internal Adapter(IntPtr handle) : base(new Handle(handle, Raw.rondo_adapter_close)) { }

        /// <summary>EngineOptions.AdapterRank must be at least its Rank.</summary>
        public AdapterFacts Info
        {
            get
            {
                Raw.AdapterFacts facts = new Raw.AdapterFacts { struct_size = Native.SizeOf<Raw.AdapterFacts>() };
                Native.Check(With(adapter => Raw.rondo_adapter_info(adapter, ref facts)));
                return new AdapterFacts(facts);
            }
        }
    }
}
