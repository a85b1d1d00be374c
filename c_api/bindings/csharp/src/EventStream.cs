using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Rondo
{
    /// <summary>What Session.StreamAsync gives.</summary>
    internal sealed class EventStream : IAsyncEnumerable<Event>
    {
        private readonly Session session;
        private readonly CancellationToken cancellation;

        internal EventStream(Session session, CancellationToken cancellation)
        {
            this.session = session;
            this.cancellation = cancellation;
        }

        public IAsyncEnumerator<Event> GetAsyncEnumerator(CancellationToken other)
        {
            return new Walk(
                session, CancellationTokenSource.CreateLinkedTokenSource(cancellation, other));
        }

        private sealed class Walk : IAsyncEnumerator<Event>
        {
            private readonly Session session;
            private readonly CancellationTokenSource source;
            private bool over;

            internal Walk(Session session, CancellationTokenSource source)
            {
                this.session = session;
                this.source = source;
            }

            public Event Current { get; private set; }

            public ValueTask<bool> MoveNextAsync()
            {
                return new ValueTask<bool>(
                    over ? Task.FromResult(false) : Task.Run((Func<bool>)Move, source.Token));
            }

            private bool Move()
            {
                CancellationToken token = source.Token;
                try
                {
                    ulong number = session.CallNumber;
                    using (token.Register(() => session.CancelCall(number)))
                    {
                        Current = session.Next();
                    }
                }
                catch (RondoException error)
                {
                    if (error.Status != Status.Cancelled || !token.IsCancellationRequested) throw;
                    throw new OperationCanceledException(error.Message, error, token);
                }
                over = Current.Reason != Reason.None;
                return true;
            }

            public ValueTask DisposeAsync()
            {
                source.Dispose();
                return default(ValueTask);
            }
        }
    }
}
