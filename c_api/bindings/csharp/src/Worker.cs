using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Rondo
{
    /// <summary>A thread of a session's own for calls that compute, so that none of the pool waits in them.
    /// It ends when it had nothing to do for a second, and is started again.</summary>
    internal sealed class Worker
    {
        private readonly Queue<Action> jobs = new Queue<Action>();
        private bool isRunning;

        internal Task<T> Run<T>(Func<T> work)
        {
            // Whoever awaits goes on elsewhere, not on this thread.
            var outcome = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
            lock (jobs)
            {
                jobs.Enqueue(() => Complete(outcome, work));
                if (isRunning)
                {
                    Monitor.Pulse(jobs);
                }
                else
                {
                    isRunning = true;
                    new Thread(Work) { IsBackground = true, Name = "Rondo" }.Start();
                }
            }
            return outcome.Task;
        }

        private static void Complete<T>(TaskCompletionSource<T> outcome, Func<T> work)
        {
            try
            {
                outcome.SetResult(work());
            }
            catch (OperationCanceledException error)
            {
                outcome.SetCanceled(error);
            }
            catch (Exception error)
            {
                outcome.SetException(error);
            }
        }

        private void Work()
        {
            for (; ; )
            {
                Action job;
                lock (jobs)
                {
                    while (jobs.Count == 0)
                    {
                        if (Monitor.Wait(jobs, 1000) || jobs.Count > 0) continue;
                        isRunning = false;
                        return;
                    }
                    job = jobs.Dequeue();
                }
                job();
            }
        }
    }

    internal static class Outcomes
    {
        /// <summary>Cancelled, by the exception's own token.</summary>
        internal static void SetCanceled<T>(this TaskCompletionSource<T> outcome, OperationCanceledException error)
        {
            if (!outcome.TrySetCanceled(error.CancellationToken)) outcome.SetException(error);
        }
    }
}
