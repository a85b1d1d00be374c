using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;

namespace Rondo
{
    /// <summary>What one step of a generation brought.</summary>
    public readonly struct Event
    {
        internal Event(Raw.Event raw)
        {
            Token = raw.token < 0 ? (int?)null : raw.token;
            Text = Encoding.UTF8.GetString(Native.Bytes(raw.text, raw.text_bytes));
            Bytes = Native.Bytes(raw.bytes, raw.bytes_count);
            Reason = (Reason)raw.reason;
            Logprob = raw.logprob;
            (Pending, TakenOver) = ((long)raw.pending, (long)raw.taken_over);
            Channel = (Channel)raw.channel;
        }

        /// <summary>null: no token came.</summary>
        public int? Token { get; }

        /// <summary>What can be shown now: whole characters; may be empty.</summary>
        public string Text { get; }

        /// <summary>The token's own.</summary>
        public ReadOnlyMemory<byte> Bytes { get; }

        /// <summary>Why the generation ended; None: it goes on.</summary>
        public Reason Reason { get; }

        /// <summary>Natural log of the model's own probability, with the option Logprobs.</summary>
        public float Logprob { get; }

        /// <summary>Tokens of the prompt that still wait for passes.</summary>
        public long Pending { get; }

        /// <summary>Tokens of the sequence that the prefix cache had.</summary>
        public long TakenOver { get; }

        /// <summary>What the token belongs to, with the option Thinking.</summary>
        public Channel Channel { get; }

        /// <summary>What can be shown now.</summary>
        public override string ToString() => Text;
    }

    /// <summary>A sequence of tokens. Made by Engine.CreateSession. One call at a time, but for Cancel and
    /// Dispose.</summary>
    public sealed partial class Session : NativeObject
    {
        private delegate int EventCall(IntPtr session, ref Raw.Event raw);

        private readonly Engine engine;

        internal Session(IntPtr handle, Engine engine)
            : base(new Handle(handle, Raw.rondo_session_close, engine.Kept.Handle)) => this.engine = engine;

        /// <summary>Gives it up. A call that another thread is in is cancelled.</summary>
        public override void Dispose()
        {
            if (!IsDisposed)
            {
                try
                {
                    Cancel();
                }
                catch (ObjectDisposedException)
                {
                    // Another thread was first.
                }
            }
            base.Dispose();
        }

        private void Run(Func<IntPtr, int> call) => With<object?>(session =>
        {
            int status = call(session);
            if (status == 0) return null;
            // Where it is busy, the message belongs to the other call.
            throw new RondoException(status, status == (int)Status.Busy
                ? "" : Native.Text(Raw.rondo_session_last_error(session)));
        });

        /// <summary>Of a call that computes, which a token ends.</summary>
        private void Run(CancellationToken cancellation, Func<IntPtr, int> call) =>
            Cancelling.Run(new[] { this }, cancellation, () => Run(call));

        /// <summary>Appends and evaluates a prompt. All or nothing.</summary>
        public void Prefill(ReadOnlySpan<int> ids, CancellationToken cancellation = default)
        {
            int[] copy = ids.ToArray();
            Run(cancellation, session => Raw.rondo_session_prefill(session, copy, Native.Size(copy.Length)));
        }

        /// <summary>The same, and gives row(i, the logits behind ids[i]) for each. What it throws comes
        /// through.</summary>
        public void PrefillLogits(
            ReadOnlySpan<int> ids, Action<int, float[]> row, CancellationToken cancellation = default)
        {
            Checked.NotNull(row, nameof(row));
            int[] prompt = ids.ToArray();
            Exception? thrown = null; // must not unwind through the library
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
            Run(cancellation, session => Raw.rondo_session_prefill_logits(
                session, prompt, Native.Size(prompt.Length), call, IntPtr.Zero));
            GC.KeepAlive(call);
            if (thrown != null) System.Runtime.ExceptionServices.ExceptionDispatchInfo.Capture(thrown).Throw();
        }

        /// <summary>Queues tokens, which the next steps of the engine evaluate.</summary>
        public void Append(ReadOnlySpan<int> ids)
        {
            int[] copy = ids.ToArray();
            Run(session => Raw.rondo_session_append(session, copy, Native.Size(copy.Length)));
        }

        /// <summary>Queues inputs, 1 to 64, one behind another. For engines with the option
        /// MaxInputRows.</summary>
        public void AppendInputs(IReadOnlyList<Input> inputs)
        {
            Checked.NotNull(inputs, nameof(inputs));
            using Lent lent = new Lent();
            Raw.Input[] raw = Input.With(lent, inputs, engine.HiddenSize);
            Run(session => Raw.rondo_session_append_inputs(session, ref raw[0], Native.Size(inputs.Count)));
        }

        /// <summary>Queues ids, of which each that is ModelFacts.PictureToken stands for the next of
        /// `media`. Chat templates write that token where a message has a part {"type": "image"}.</summary>
        public void AppendMedia(ReadOnlySpan<int> ids, params Media[] media)
        {
            int[] copy = ids.ToArray();
            using Lent lent = new Lent();
            IntPtr[] handles = Array.ConvertAll(Checked.NotNull(media, nameof(media)),
                one => lent.Hold(Checked.NotNull(one, nameof(media))));
            Run(session => Raw.rondo_session_append_media(
                session, copy, Native.Size(copy.Length), handles, Native.Size(handles.Length)));
        }

        /// <summary>Tokens that may come next: the next pass verifies them, and no token is another for
        /// it.</summary>
        public void Propose(ReadOnlySpan<int> ids)
        {
            int[] copy = ids.ToArray();
            Run(session => Raw.rondo_session_propose(session, copy, Native.Size(copy.Length)));
        }

        /// <summary>Appends one token that the caller chose; TakeEvent tells what it brought.</summary>
        public void Accept(int token) => Run(session => Raw.rondo_session_accept(session, token));

        /// <summary>The vector of a text that is given as ids, or the score of a pair, which is one number:
        /// its first `dimensions` numbers; null: all. The session has no tokens behind the call.</summary>
        public float[] Embed(
            ReadOnlySpan<int> ids, int? dimensions = null, CancellationToken cancellation = default)
        {
            int[] text = ids.ToArray();
            int n = Checked.Int(nameof(dimensions), dimensions, 1, int.MaxValue) ?? engine.Dimensions;
            float[] vector = new float[engine.RoomFor(n)];
            Run(cancellation, session => Raw.rondo_session_embed(
                session, text, Native.Size(text.Length), vector, Native.Size(n)));
            return vector;
        }

        /// <summary>Generates one token. A token of .NET's that is cancelled ends the call.</summary>
        public Event Next(CancellationToken cancellation = default) =>
            Read(cancellation, Raw.rondo_session_next);

        /// <summary>What the last step of the engine, or Accept, had for this session, once.</summary>
        public Event TakeEvent() => Read(default, Raw.rondo_session_event);

        private Event Read(CancellationToken cancellation, EventCall call)
        {
            Event result = default;
            Run(cancellation, session =>
            {
                Raw.Event raw = new Raw.Event { struct_size = Native.SizeOf<Raw.Event>() };
                int status = call(session, ref raw);
                if (status == 0) result = new Event(raw);
                return status;
            });
            return result;
        }

        /// <summary>The logits after the last token, copied.</summary>
        public float[] Logits(CancellationToken cancellation = default)
        {
            float[] result = Array.Empty<float>();
            Run(cancellation, session =>
            {
                UIntPtr[] count = new UIntPtr[1];
                int status = Raw.rondo_session_logits(session, out IntPtr logits, count);
                if (status != 0) return status;
                result = new float[(int)count[0]];
                Marshal.Copy(logits, result, 0, result.Length);
                return status;
            });
            return result;
        }

        /// <summary>Takes the last n tokens back.</summary>
        public void Undo(long n)
        {
            Checked.Long(nameof(n), n, 0, long.MaxValue);
            Run(session => Raw.rondo_session_undo(session, (ulong)n));
        }

        /// <summary>Takes all tokens back.</summary>
        public void Reset() => Run(Raw.rondo_session_reset);

        /// <summary>The number of the call that computes on another thread, or else of the next one. From any
        /// thread.</summary>
        public long CallNumber
        {
            get
            {
                ulong number = 0;
                Native.Check(With(session => Raw.rondo_session_call(session, out number)));
                return (long)number;
            }
        }

        /// <summary>Ends the call of this number, and no other: nothing where it is over. From any
        /// thread.</summary>
        public void CancelCall(long number) =>
            Native.Check(With(session => Raw.rondo_session_cancel_call(session, (ulong)number)));

        /// <summary>Ends the call that another thread is in, or else the next one that computes. From any
        /// thread.</summary>
        public void Cancel() => Native.Check(With(Raw.rondo_session_cancel));

        /// <summary>A session with the same tokens, and with options of its own.</summary>
        public Session Fork(SessionOptions? options = null)
        {
            using Lent lent = new Lent();
            Raw.SessionOptions raw = (options ?? new SessionOptions()).With(lent, engine);
            IntPtr fork = IntPtr.Zero;
            Native.CheckMessage((message, bytes) => With(session =>
                Raw.rondo_session_fork(session, ref raw, out fork, message, bytes)));
            return new Session(fork, engine);
        }

        /// <summary>The bytes hold the conversation: keep them as secret as its text.</summary>
        public byte[] Save()
        {
            byte[] snapshot = Array.Empty<byte>();
            Run(session =>
            {
                UIntPtr[] size = new UIntPtr[1];
                Raw.rondo_session_save(session, null, UIntPtr.Zero, size);
                snapshot = new byte[(int)size[0]];
                return Raw.rondo_session_save(session, snapshot, size[0], size);
            });
            return snapshot;
        }

        /// <summary>Becomes what was saved. On failure the session is as before.</summary>
        public void Restore(ReadOnlySpan<byte> snapshot)
        {
            byte[] copy = snapshot.ToArray();
            Run(session => Raw.rondo_session_restore(session, copy, Native.Size(copy.Length)));
        }
    }
}
