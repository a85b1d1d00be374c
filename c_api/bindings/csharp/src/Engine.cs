using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;

namespace Rondo
{
    /// <summary>A model made runnable. Made by Model.CreateEngine; may be used from any thread.</summary>
    public sealed partial class Engine : NativeObject
    {
        /// <summary>The model, also when its user disposed of it.</summary>
        internal readonly Model Kept;
        /// <summary>What the model's makers recommend.</summary>
        internal readonly SessionOptions Recommended;
        /// <summary>Of vectors.</summary>
        internal readonly int Dimensions;

        internal Engine(IntPtr handle, Model model)
            : base(new Handle(handle, Raw.rondo_engine_close, model.Handle, Pressure(handle)))
        {
            Kept = model.Keep();
            Recommended = SessionOptions.RecommendedBy(Kept);
            Dimensions = Kept.Embedder.Dimensions;
            HiddenSize = Kept.Info.HiddenSize;
        }

        /// <summary>Numbers of a row of an input.</summary>
        internal int HiddenSize { get; }

        /// <summary>Bytes that the collector must know of, to collect what is dropped.</summary>
        private static long Pressure(IntPtr handle)
        {
            Raw.MemoryPlan plan = new Raw.MemoryPlan { struct_size = Native.SizeOf<Raw.MemoryPlan>() };
            return Raw.rondo_engine_memory(handle, ref plan) == 0 ? (long)plan.arena_bytes : 0;
        }

        /// <summary>The plan that it was made by.</summary>
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
        public IReadOnlyList<MemoryRegion> MemoryRegions
        {
            get
            {
                MemoryRegion[] regions = new MemoryRegion[Memory.NRegions];
                for (int i = 0; i < regions.Length; ++i)
                {
                    Raw.MemoryRegion region =
                        new Raw.MemoryRegion { struct_size = Native.SizeOf<Raw.MemoryRegion>() };
                    Native.Check(With(engine => Raw.rondo_engine_memory_region(engine, (uint)i, ref region)));
                    regions[i] = new MemoryRegion(region);
                }
                return regions;
            }
        }

        /// <summary>What it did since it was created.</summary>
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

        /// <summary>The next event of the profile from number `cursor` on, which becomes the number behind it;
        /// null: there is none yet.</summary>
        public ProfileEvent? Profile(ref long cursor)
        {
            ulong next = (ulong)cursor;
            Raw.ProfileEvent raw = new Raw.ProfileEvent { struct_size = Native.SizeOf<Raw.ProfileEvent>() };
            Native.Check(With(engine => Raw.rondo_engine_profile(engine, ref next, ref raw)));
            cursor = (long)next;
            return raw.name == IntPtr.Zero ? null : new ProfileEvent(raw);
        }

        /// <summary>An empty session in one of the engine's places. It samples as the model's makers recommend
        /// it, where the options say nothing else.</summary>
        public Session CreateSession(SessionOptions? options = null)
        {
            using Lent lent = new Lent();
            Raw.SessionOptions raw = (options ?? new SessionOptions()).With(lent, this);
            IntPtr session = IntPtr.Zero;
            Native.CheckMessage((message, bytes) => With(engine =>
                Raw.rondo_session_open(engine, ref raw, out session, message, bytes)));
            return new Session(session, this);
        }

        /// <summary>Encodes a picture, between the passes of sessions. For engines with the option
        /// MaxMediaRows. A token that is cancelled ends it.</summary>
        public Media CreateMedia(Image image, ImageOptions? options = null,
            CancellationToken cancellation = default) => Media.Create(this, image, options, cancellation);

        /// <summary>One pass for several sessions; Session.TakeEvent tells what each got.</summary>
        public void Step(IEnumerable<Session> sessions)
        {
            using Lent lent = new Lent();
            IntPtr[] handles = Checked.NotNull(sessions, nameof(sessions)).Select(one =>
                lent.Hold(Checked.NotNull(one, nameof(sessions)))).ToArray();
            Native.CheckMessage((message, bytes) => With(engine =>
                Raw.rondo_engine_step(engine, handles, Native.Size(handles.Length), message, bytes)));
        }
    }
}
