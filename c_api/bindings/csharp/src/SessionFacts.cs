using System;
using System.Collections.Generic;

namespace Rondo
{
    public sealed partial class Session
    {
        /// <summary>How many tokens the sequence has.</summary>
        public long Position
        {
            get
            {
                ulong position = 0;
                Run(session => Raw.rondo_session_position(session, out position));
                return (long)position;
            }
        }

        /// <summary>How many more tokens fit; null under Policy.Slide, where there is no end.</summary>
        public long? Remaining
        {
            get
            {
                ulong tokens = 0;
                Run(session => Raw.rondo_session_remaining(session, out tokens));
                return tokens == ulong.MaxValue ? (long?)null : (long)tokens;
            }
        }

        /// <summary>Under Policy.Slide: the positions from Begin to before End are no longer seen.</summary>
        public (long Begin, long End) Evicted
        {
            get
            {
                ulong begin = 0, end = 0;
                Run(session => Raw.rondo_session_evicted(session, out begin, out end));
                return ((long)begin, (long)end);
            }
        }

        /// <summary>How many tokens of a prompt are evaluated, and of how many; also while they are, from any
        /// thread.</summary>
        public (long Done, long Total) Progress
        {
            get
            {
                ulong done = 0, total = 0;
                Native.Check(With(session => Raw.rondo_session_progress(session, out done, out total)));
                return ((long)done, (long)total);
            }
        }

        /// <summary>What it did since it was opened.</summary>
        public SessionCounters Stats
        {
            get
            {
                Raw.SessionCounters counters =
                    new Raw.SessionCounters { struct_size = Native.SizeOf<Raw.SessionCounters>() };
                Run(session => Raw.rondo_session_stats(session, ref counters));
                return new SessionCounters(counters);
            }
        }

        /// <summary>The tokens that it remembers, the last ones up to Position; -1 for a row of an
        /// input.</summary>
        public IReadOnlyList<int> Tokens
        {
            get
            {
                int[] ids = new int[(int)Position];
                UIntPtr[] count = new UIntPtr[1];
                Run(session => Raw.rondo_session_tokens(
                    session, out ulong _, ids, Native.Size(ids.Length), count));
                Array.Resize(ref ids, (int)count[0]);
                return ids;
            }
        }
    }
}
