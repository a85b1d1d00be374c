using System;

namespace Rondo
{
    /// <summary>A call that failed.</summary>
    public sealed class RondoException : Exception
    {
        /// <summary>What kind of failure.</summary>
        public Status Status { get; }

        internal RondoException(Status status, string message) : base(message) => Status = status;

        internal RondoException(int status, string message)
            : base(message.Length > 0
                ? Native.Translated(message)
                : Native.Text(Raw.rondo_status_string(status)))
        {
            Status = (Status)status;
        }
    }
}
