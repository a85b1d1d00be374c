using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;

namespace Rondo
{
    /// <summary>What one step of a generation brought.</summary>
    public struct Event
    {
        /// <summary>-1: no token came.</summary>
        public int Token;
        /// <summary>What can be shown now: whole characters; may be empty.</summary>
        public string Text;
        public byte[] Bytes;
        /// <summary>Why the generation ended; None: it goes on.</summary>
        public Reason Reason;
        public float Logprob;
        public ulong Pending, TakenOver;
        /// <summary>What the token belongs to, with the option Thinking.</summary>
        public Channel Channel;
    }

    /// <summary>A sequence of tokens. Made by Engine.Session. One call at a time, but for Cancel and
    /// Dispose.</summary>
    public sealed class Session : Handle
    {
        private delegate int EventCall(IntPtr session, ref Raw.Event raw);

        private readonly Engine engine;

        internal Session(IntPtr handle, Engine engine) : base(handle)
        {
            this.engine = engine;
        }

        protected override bool ReleaseHandle()
        {
            Raw.rondo_session_close(handle);
            return true;
        }

        private void Run(Func<IntPtr, int> call)
        {
            With<object>(session =>
            {
                int status = call(session);
                if (status == 0) return null;
                // Where it is busy, the message belongs to the other call.
                throw new RondoException(status, status == (int)Status.Busy
                    ? "" : Native.Text(Raw.rondo_session_last_error(session)));
            });
        }

        private static UIntPtr Count(Array array)
        {
            return (UIntPtr)(uint)array.Length;
        }

        /// <summary>Appends and evaluates a prompt. All or nothing.</summary>
        public void Prefill(int[] ids)
        {
            Run(session => Raw.rondo_session_prefill(session, ids, Count(ids)));
        }

        /// <summary>The same, and gives row(i, the logits behind ids[i]) for each.</summary>
        public void PrefillLogits(int[] ids, Action<int, float[]> row)
        {
            Exception thrown = null; // must not unwind through the library
            Raw.LogitsRow call = (user, index, logits, count) =>
            {
                if (thrown != null) return;
                try
                {
                    float[] copy = new float[(int)count];
                    Marshal.Copy(logits, copy, 0, copy.Length);
                    row((int)index, copy);
                }
                catch (Exception error)
                {
                    thrown = error;
                }
            };
            Run(session => Raw.rondo_session_prefill_logits(
                session, ids, Count(ids), call, IntPtr.Zero));
            GC.KeepAlive(call);
            if (thrown != null) throw thrown;
        }

        /// <summary>Queues tokens, which the next steps of the engine evaluate.</summary>
        public void Append(int[] ids)
        {
            Run(session => Raw.rondo_session_append(session, ids, Count(ids)));
        }

        /// <summary>Queues inputs, 1 to 64, one behind another. For engines with the option
        /// MaxInputRows.</summary>
        public void AppendInputs(IList<Input> inputs)
        {
            using (Lent lent = new Lent())
            {
                Raw.Input[] raw = Input.With(lent, inputs, engine.HiddenSize);
                Run(session => Raw.rondo_session_append_inputs(
                    session, ref raw[0], (UIntPtr)(uint)inputs.Count));
            }
        }

        /// <summary>Queues ids, of which each that is ModelFacts.PictureToken stands for the next of
        /// `media`. Chat templates write that token where a message has a part
        /// {"type": "image"}.</summary>
        public void AppendMedia(int[] ids, params Media[] media)
        {
            using (Lent lent = new Lent())
            {
                IntPtr[] handles = Array.ConvertAll(media, one => lent.Hold(one));
                Run(session => Raw.rondo_session_append_media(
                    session, ids, Count(ids), handles, Count(handles)));
            }
        }

        /// <summary>Tokens that may come next: the next pass verifies them, and no token is another
        /// for it.</summary>
        public void Propose(int[] ids)
        {
            Run(session => Raw.rondo_session_propose(session, ids, Count(ids)));
        }

        public void Accept(int token)
        {
            Run(session => Raw.rondo_session_accept(session, token));
        }

        /// <summary>The vector of a text that is given as ids, or the score of a pair, which is one number:
        /// its first `dimensions` numbers; 0: all. The session has no tokens behind the call. Fails with
        /// Status.Unsupported where the model predicts tokens, and with Status.ContextFull where the text is
        /// too long.</summary>
        public float[] Embed(int[] ids, int dimensions = 0)
        {
            int n = dimensions == 0 ? engine.Dimensions : dimensions;
            float[] vector = new float[Math.Max(n, 1)];
            Run(session => Raw.rondo_session_embed(
                session, ids, Count(ids), vector, Native.Size(n)));
            return vector;
        }

        /// <summary>Generates one token.</summary>
        public Event Next()
        {
            return Read(Raw.rondo_session_next);
        }

        /// <summary>What the last step of the engine had for this session, once.</summary>
        public Event TakeEvent()
        {
            return Read(Raw.rondo_session_event);
        }

        private Event Read(EventCall call)
        {
            Event result = new Event();
            Run(session =>
            {
                Raw.Event raw = new Raw.Event { struct_size = Native.SizeOf<Raw.Event>() };
                int status = call(session, ref raw);
                if (status == 0)
                {
                    result = new Event
                    {
                        Token = raw.token,
                        Text = Encoding.UTF8.GetString(Native.Bytes(raw.text, raw.text_bytes)),
                        Bytes = Native.Bytes(raw.bytes, raw.bytes_count),
                        Reason = (Reason)raw.reason,
                        Logprob = raw.logprob,
                        Pending = raw.pending,
                        TakenOver = raw.taken_over,
                        Channel = (Channel)raw.channel
                    };
                }
                return status;
            });
            return result;
        }

        /// <summary>Generates as it is walked, up to the event with the reason.</summary>
        public IEnumerable<Event> Stream()
        {
            for (;;)
            {
                Event one = Next();
                yield return one;
                if (one.Reason != Reason.None) yield break;
            }
        }

        /// <summary>Generates on other threads as it is walked, up to the event with the reason. A
        /// token that is cancelled ends the call that runs at once, and no other.</summary>
        public IAsyncEnumerable<Event> StreamAsync(
            CancellationToken cancellation = default(CancellationToken))
        {
            return new EventStream(this, cancellation);
        }

        /// <summary>The answer to a conversation, as Stream; the session's tokens become the
        /// conversation's.</summary>
        public IEnumerable<Event> Chat(Chat chat)
        {
            Ask(chat);
            return Stream();
        }

        /// <summary>The same, as StreamAsync.</summary>
        public IAsyncEnumerable<Event> ChatAsync(
            Chat chat, CancellationToken cancellation = default(CancellationToken))
        {
            Ask(chat);
            return StreamAsync(cancellation);
        }

        /// <summary>As Chat, taken apart: content, thoughts, and calls of the chat's Tools. A stop string
        /// is part of the content.</summary>
        public IEnumerable<ChatPart> ChatParts(Chat chat)
        {
            return PartsOf(engine.Model.ChatParser(chat), Chat(chat));
        }

        private static IEnumerable<ChatPart> PartsOf(ChatParser parser, IEnumerable<Event> events)
        {
            using (parser)
            {
                foreach (Event one in events)
                {
                    foreach (ChatPart part in parser.Take(one)) yield return part;
                }
            }
        }

        /// <summary>The same, as ChatAsync.</summary>
        public IAsyncEnumerable<ChatPart> ChatPartsAsync(
            Chat chat, CancellationToken cancellation = default(CancellationToken))
        {
            return new PartStream(engine.Model.ChatParser(chat), ChatAsync(chat, cancellation));
        }

        private void Ask(Chat chat)
        {
            int[] ids = engine.Model.ChatIds(chat);
            Reset();
            AppendMedia(ids);  // refuses ids in which pictures are missing
        }

        /// <summary>The text of a whole generation.</summary>
        public string Generate()
        {
            StringBuilder text = new StringBuilder();
            foreach (Event one in Stream()) text.Append(one.Text);
            return text.ToString();
        }

        /// <summary>The logits after the last token, copied.</summary>
        public float[] Logits()
        {
            float[] result = null;
            Run(session =>
            {
                IntPtr logits;
                UIntPtr[] count = new UIntPtr[1];
                int status = Raw.rondo_session_logits(session, out logits, count);
                result = new float[(int)count[0]];
                if (status == 0) Marshal.Copy(logits, result, 0, result.Length);
                return status;
            });
            return result;
        }

        public void Undo(ulong n)
        {
            Run(session => Raw.rondo_session_undo(session, n));
        }

        public void Reset()
        {
            Run(Raw.rondo_session_reset);
        }

        public ulong Position
        {
            get
            {
                ulong position = 0;
                Run(session => Raw.rondo_session_position(session, out position));
                return position;
            }
        }

        /// <summary>ulong.MaxValue under Policy.Slide.</summary>
        public ulong Remaining
        {
            get
            {
                ulong tokens = 0;
                Run(session => Raw.rondo_session_remaining(session, out tokens));
                return tokens;
            }
        }

        /// <summary>Under Policy.Slide: the positions from Item1 to before Item2 are no longer
        /// seen.</summary>
        public Tuple<ulong, ulong> Evicted
        {
            get
            {
                ulong begin = 0, end = 0;
                Run(session => Raw.rondo_session_evicted(session, out begin, out end));
                return Tuple.Create(begin, end);
            }
        }

        /// <summary>How many tokens of a prompt are evaluated, and of how many; also while they are,
        /// from any thread.</summary>
        public Tuple<ulong, ulong> Progress
        {
            get
            {
                ulong done = 0, total = 0;
                Native.Check(With(session =>
                    Raw.rondo_session_progress(session, out done, out total)));
                return Tuple.Create(done, total);
            }
        }

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
        public int[] Tokens
        {
            get
            {
                int[] ids = new int[(int)Position];
                UIntPtr[] count = new UIntPtr[1];
                ulong begin;
                Run(session => Raw.rondo_session_tokens(session, out begin, ids, Count(ids), count));
                Array.Resize(ref ids, (int)count[0]);
                return ids;
            }
        }

        /// <summary>The number of the call that computes on another thread, or else of the next one.
        /// From any thread.</summary>
        public ulong CallNumber
        {
            get
            {
                ulong number = 0;
                Native.Check(With(session => Raw.rondo_session_call(session, out number)));
                return number;
            }
        }

        /// <summary>Ends the call of this number, and no other: nothing where it is over. From any
        /// thread.</summary>
        public void CancelCall(ulong number)
        {
            Native.Check(With(session => Raw.rondo_session_cancel_call(session, number)));
        }

        /// <summary>Ends the call that another thread is in, or else the next one that computes. From
        /// any thread.</summary>
        public void Cancel()
        {
            Native.Check(With(Raw.rondo_session_cancel));
        }

        /// <summary>A session with the same tokens, and with options of its own.</summary>
        public Session Fork(SessionOptions options)
        {
            using (Lent lent = new Lent())
            {
                Raw.SessionOptions raw = options.With(lent, engine);
                IntPtr fork = IntPtr.Zero;
                Native.CheckMessage((message, bytes) => With(session =>
                    Raw.rondo_session_fork(session, ref raw, out fork, message, bytes)));
                return new Session(fork, engine);
            }
        }

        /// <summary>The bytes hold the conversation: keep them as secret as its text.</summary>
        public byte[] Save()
        {
            byte[] snapshot = null;
            Run(session =>
            {
                UIntPtr[] size = new UIntPtr[1];
                Raw.rondo_session_save(session, null, UIntPtr.Zero, size);
                snapshot = new byte[(int)size[0]];
                return Raw.rondo_session_save(session, snapshot, size[0], size);
            });
            return snapshot;
        }

        public void Restore(byte[] snapshot)
        {
            Run(session => Raw.rondo_session_restore(session, snapshot, Count(snapshot)));
        }
    }
}
