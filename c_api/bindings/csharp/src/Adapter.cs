using System;

namespace Rondo
{
    /// <summary>A LoRA adapter for a model. Made by Model.Adapter. Any number of sessions share it, on any
    /// thread; they keep what they need of it when it is disposed.</summary>
    public sealed class Adapter : Handle
    {
        internal Adapter(IntPtr handle) : base(handle) { }

        protected override bool ReleaseHandle()
        {
            Raw.rondo_adapter_close(handle);
            return true;
        }

        /// <summary>EngineOptions.AdapterRank must be at least its Rank.</summary>
        public AdapterFacts Info
        {
            get
            {
                Raw.AdapterFacts facts =
                    new Raw.AdapterFacts { struct_size = Native.SizeOf<Raw.AdapterFacts>() };
                Native.Check(With(adapter => Raw.rondo_adapter_info(adapter, ref facts)));
                return new AdapterFacts(facts);
            }
        }
    }
}
