using System;
using System.Runtime.InteropServices;
using System.Text;

namespace Rondo
{
    /// <summary>A call that failed.</summary>
    public sealed class RondoException : Exception
    {
        /// <summary>What kind of failure.</summary>
        public Status Status { get; }

        internal RondoException(int status, string message)
            : base(message.Length > 0 ? message : Native.Text(Raw.rondo_status_string(status)))
        {
            Status = (Status)status;
        }
    }

    /// <summary>A handle that is given up once, and never under a call of another thread.</summary>
    public abstract class Handle : SafeHandle
    {
        internal Handle(IntPtr handle) : base(IntPtr.Zero, true)
        {
            SetHandle(handle);
        }

        public override bool IsInvalid
        {
            get { return handle == IntPtr.Zero; }
        }

        internal T With<T>(Func<IntPtr, T> use)
        {
            bool added = false;
            try
            {
                DangerousAddRef(ref added);
                return use(handle);
            }
            finally
            {
                if (added) DangerousRelease();
            }
        }
    }

    /// <summary>Statuses into exceptions, bytes into texts.</summary>
    internal static class Native
    {
        internal delegate int WithMessage(byte[] message, UIntPtr bytes);
        internal delegate int TextOutput(byte[] buffer, UIntPtr capacity, UIntPtr[] length);
        internal delegate int IdsOutput(int[] ids, UIntPtr capacity, UIntPtr[] count);

        internal static void Check(int status)
        {
            if (status != 0) throw new RondoException(status, "");
        }

        internal static void CheckMessage(WithMessage call)
        {
            byte[] message = new byte[512];
            int status = call(message, (UIntPtr)(uint)message.Length);
            if (status != 0) throw new RondoException(status, Text(message));
        }

        /// <summary>Of a call that ends in (buffer, capacity, length).</summary>
        internal static string Text(TextOutput call)
        {
            UIntPtr[] length = new UIntPtr[1];
            for (byte[] buffer = new byte[256];; buffer = new byte[(int)length[0] + 1])
            {
                int status = call(buffer, (UIntPtr)(uint)buffer.Length, length);
                if (status == (int)Status.BufferTooSmall) continue;
                Check(status);
                return Encoding.UTF8.GetString(buffer, 0, (int)length[0]);
            }
        }

        /// <summary>Of a call that ends in (ids, capacity, count).</summary>
        internal static int[] Ids(int capacity, IdsOutput call)
        {
            UIntPtr[] count = new UIntPtr[1];
            for (int[] ids = new int[capacity];; ids = new int[(int)count[0]])
            {
                int status = call(ids, (UIntPtr)(uint)ids.Length, count);
                if (status == (int)Status.BufferTooSmall) continue;
                Check(status);
                Array.Resize(ref ids, (int)count[0]);
                return ids;
            }
        }

        /// <summary>Of what is negative one that the library refuses.</summary>
        internal static UIntPtr Size(int n)
        {
            return n < 0 ? (UIntPtr)uint.MaxValue : (UIntPtr)(uint)n;
        }

        internal static byte[] Utf8(string text)
        {
            return Encoding.UTF8.GetBytes(text);
        }

        internal static byte[] ZeroTerminated(string text)
        {
            return text == null ? null : Utf8(text + "\0");
        }

        internal static string Text(byte[] zeroTerminated)
        {
            int end = Array.IndexOf(zeroTerminated, (byte)0);
            return Encoding.UTF8.GetString(zeroTerminated, 0, end < 0 ? zeroTerminated.Length : end);
        }

        internal static string Text(IntPtr zeroTerminated)
        {
            if (zeroTerminated == IntPtr.Zero) return "";
            int length = 0;
            while (Marshal.ReadByte(zeroTerminated, length) != 0) ++length;
            return Encoding.UTF8.GetString(Bytes(zeroTerminated, (UIntPtr)(uint)length));
        }

        internal static byte[] Bytes(IntPtr from, UIntPtr count)
        {
            byte[] bytes = new byte[(int)count];
            if (bytes.Length > 0) Marshal.Copy(from, bytes, 0, bytes.Length);
            return bytes;
        }

        internal static uint SizeOf<T>()
        {
            return (uint)Marshal.SizeOf(typeof(T));
        }
    }

    /// <summary>Memory that the library reads during a call, and handles that it takes.</summary>
    internal sealed class Lent : IDisposable
    {
        private readonly System.Collections.Generic.List<IntPtr> blocks =
            new System.Collections.Generic.List<IntPtr>();
        private readonly System.Collections.Generic.List<Handle> handles =
            new System.Collections.Generic.List<Handle>();
        private readonly System.Collections.Generic.List<GCHandle> pinned =
            new System.Collections.Generic.List<GCHandle>();

        /// <summary>A handle that stays while this is there.</summary>
        internal IntPtr Hold(Handle one)
        {
            bool added = false;
            one.DangerousAddRef(ref added);
            handles.Add(one);
            return one.DangerousGetHandle();
        }

        /// <summary>Where an array of the caller's lies, which stays there while this is
        /// there.</summary>
        internal IntPtr Pin(Array array)
        {
            GCHandle one = GCHandle.Alloc(array, GCHandleType.Pinned);
            pinned.Add(one);
            return one.AddrOfPinnedObject();
        }

        internal IntPtr Bytes(byte[] bytes)
        {
            if (bytes == null) return IntPtr.Zero;
            IntPtr block = Take(bytes.Length);
            Marshal.Copy(bytes, 0, block, bytes.Length);
            return block;
        }

        internal IntPtr Take(int size)
        {
            IntPtr block = Marshal.AllocHGlobal(Math.Max(size, 1));
            blocks.Add(block);
            return block;
        }

        public void Dispose()
        {
            foreach (IntPtr block in blocks) Marshal.FreeHGlobal(block);
            blocks.Clear();
            foreach (Handle one in handles) one.DangerousRelease();
            handles.Clear();
            foreach (GCHandle one in pinned) one.Free();
            pinned.Clear();
        }
    }
}
