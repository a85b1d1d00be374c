using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Rondo
{
    public sealed partial class Engine
    {
        /// <summary>One vector per text, in their order, of a model that embeds. prompt: the name of one of
        /// Model.Prompts; null: the model's usual one, "": none. dimensions: the first so many numbers alone.
        /// Takes the places for sessions that are free, and gives them back.</summary>
        public float[][] Embed(IEnumerable<string> texts, string? prompt = null, int? dimensions = null,
            CancellationToken cancellation = default)
        {
            Check();
            int[][] ids = Checked.NotNull(texts, nameof(texts))
                .Select(text => Kept.Tokenize(Kept.EmbeddingText(text, prompt))).ToArray();
            return EmbedAll(ids, dimensions, cancellation);
        }

        /// <summary>The same of one text.</summary>
        public float[] Embed(string text, string? prompt = null, int? dimensions = null,
            CancellationToken cancellation = default) =>
            Embed(new[] { Checked.NotNull(text, nameof(text)) }, prompt, dimensions, cancellation)[0];

        /// <summary>The same on a thread of its own.</summary>
        public Task<float[][]> EmbedAsync(IEnumerable<string> texts, string? prompt = null,
            int? dimensions = null, CancellationToken cancellation = default) =>
            new Worker().Run(() => Embed(texts, prompt, dimensions, cancellation));

        /// <summary>How well each document fits the query, of a model that scores pairs. instruction: what makes
        /// one fit, in words; null: the model's usual one.</summary>
        public float[] Score(string query, IEnumerable<string> documents, string? instruction = null,
            CancellationToken cancellation = default)
        {
            Check();
            Checked.NotNull(query, nameof(query));
            int[][] ids = Checked.NotNull(documents, nameof(documents))
                .Select(document => Kept.Tokenize(Kept.PairText(query, document, instruction))).ToArray();
            return EmbedAll(ids, null, cancellation).Select(score => score[0]).ToArray();
        }

        /// <summary>The same on a thread of its own.</summary>
        public Task<float[]> ScoreAsync(string query, IEnumerable<string> documents,
            string? instruction = null, CancellationToken cancellation = default) =>
            new Worker().Run(() => Score(query, documents, instruction, cancellation));

        private float[][] EmbedAll(int[][] ids, int? wanted, CancellationToken cancellation)
        {
            List<Session> sessions = new List<Session>();
            try
            {
                int places = Math.Min(Memory.MaxSessions, Math.Max(ids.Length, 1));
                while (sessions.Count < places)
                {
                    try
                    {
                        sessions.Add(CreateSession());
                    }
                    catch (RondoException error) when (error.Status == Status.Busy && sessions.Count > 0)
                    {
                        break; // the others are in use
                    }
                }
                return Embed(sessions, ids, wanted, cancellation);
            }
            finally
            {
                foreach (Session session in sessions) session.Dispose();
            }
        }

        /// <summary>Numbers that n of a vector take, at least one: the library refuses more than there are
        /// before it writes.</summary>
        internal int RoomFor(int n) => Math.Max(Math.Min(n, Math.Max(Dimensions, 2)), 1);

        /// <summary>The same of texts as ids, by sessions of the caller's, which share the work: each takes one
        /// text, and the next when it is done with it. Where a text is refused, the message tells
        /// which.</summary>
        public float[][] Embed(IEnumerable<Session> sessions, IEnumerable<int[]> texts, int? dimensions = null,
            CancellationToken cancellation = default)
        {
            int n = Checked.Int(nameof(dimensions), dimensions, 1, int.MaxValue) ?? Dimensions;
            int[][] all = Checked.NotNull(texts, nameof(texts)).ToArray();
            Session[] workers = Checked.NotNull(sessions, nameof(sessions)).ToArray();
            int[] ids = all.SelectMany(text => Checked.NotNull(text, nameof(texts))).ToArray();
            UIntPtr[] counts = all.Select(text => Native.Size(text.Length)).ToArray();
            cancellation.ThrowIfCancellationRequested();
            float[] vectors = new float[checked(Math.Max(all.Length, 1) * RoomFor(n))];
            using Lent lent = new Lent();
            IntPtr[] handles = Array.ConvertAll(workers, one => lent.Hold(Checked.NotNull(one, nameof(sessions))));
            Cancelling.Run(workers, cancellation, () =>
                Native.CheckMessage((message, bytes) => With(engine => Raw.rondo_engine_embed(
                    engine, handles, Native.Size(handles.Length), ids, counts, Native.Size(counts.Length), vectors,
                    Native.Size(n), message, bytes))));
            return all.Select((text, i) => vectors.AsSpan(i * n, n).ToArray()).ToArray();
        }
    }

    /// <summary>Calls that a token ends, and no other calls.</summary>
    internal static class Cancelling
    {
        internal static void Run(IReadOnlyList<Session> sessions, CancellationToken cancellation, Action call)
        {
            cancellation.ThrowIfCancellationRequested();
            if (!cancellation.CanBeCanceled)
            {
                call();
                return;
            }
            long[] numbers = sessions.Select(session => session.CallNumber).ToArray();
            void Cancel()
            {
                for (int i = 0; i < numbers.Length; ++i)
                {
                    try
                    {
                        sessions[i].CancelCall(numbers[i]);
                    }
                    catch (ObjectDisposedException)
                    {
                        // Then its call ends, too.
                    }
                }
            }
            using (cancellation.Register(Cancel))
            {
                try
                {
                    call();
                }
                catch (RondoException error)
                    when (error.Status == Status.Cancelled && cancellation.IsCancellationRequested)
                {
                    throw new OperationCanceledException(error.Message, error, cancellation);
                }
            }
        }
    }
}
