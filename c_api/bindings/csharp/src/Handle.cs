using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Rondo
{
    /// <summary>A handle of the library, given up once and never under a call of another thread.</summary>
    internal sealed class Handle : SafeHandle
    {
        private readonly Action<IntPtr> close;
        private readonly Handle? keeps;
        private readonly long pressure;

        /// <summary>keeps: a handle that stays open as long as this one; pressure: bytes that the collector
        /// does not see.</summary>
        internal Handle(IntPtr handle, Action<IntPtr> close, Handle? keeps = null, long pressure = 0)
            : base(IntPtr.Zero, true)
        {
            this.close = close;
            SetHandle(handle);
            if (keeps != null)
            {
                bool added = false;
                keeps.DangerousAddRef(ref added);
                this.keeps = keeps;
            }
            if (pressure > 0)
            {
                this.pressure = pressure;
                GC.AddMemoryPressure(pressure);
            }
        }

        public override bool IsInvalid => handle == IntPtr.Zero;

        protected override bool ReleaseHandle()
        {
            close(handle);
            keeps?.DangerousRelease();
            if (pressure > 0) GC.RemoveMemoryPressure(pressure);
            return true;
        }
    }

    /// <summary>What the library made. Disposing twice is fine, and so is any order; what is dropped
    /// undisposed is given back when it is collected.</summary>
    public abstract class NativeObject : IDisposable
    {
        internal readonly Handle Handle;
        /// <summary>Its user holds the handle: it works whoever disposed of it.</summary>
        private readonly bool isKept;
        private volatile bool isDisposed; // the handle stays open where others hold it

        private protected NativeObject(Handle handle, bool isKept = false)
        {
            Handle = handle;
            this.isKept = isKept;
        }

        /// <summary>Whether it was disposed of.</summary>
        public bool IsDisposed => isDisposed;

        /// <summary>Gives it up. Calls that run on it on other threads are done first, or cancelled.</summary>
        public virtual void Dispose()
        {
            isDisposed = true;
            Handle.Dispose();
            GC.SuppressFinalize(this);
        }

        internal T With<T>(Func<IntPtr, T> use)
        {
            if (isKept) return use(Handle.DangerousGetHandle());
            bool added = false;
            try
            {
                Hold(ref added);
                return use(Handle.DangerousGetHandle());
            }
            finally
            {
                if (added) Handle.DangerousRelease();
            }
        }

        internal void Hold(ref bool added)
        {
            Check();
            try
            {
                Handle.DangerousAddRef(ref added);
            }
            catch (ObjectDisposedException)
            {
                throw new ObjectDisposedException(GetType().FullName);
            }
        }

        private protected void Check()
        {
            if (isDisposed) throw new ObjectDisposedException(GetType().FullName);
        }
    }

    /// <summary>Memory that the library reads during a call, and handles that it takes.</summary>
    internal sealed class Lent : IDisposable
    {
        private readonly List<IntPtr> blocks = new List<IntPtr>();
        private readonly List<Handle> handles = new List<Handle>();
        private readonly List<GCHandle> pinned = new List<GCHandle>();

        /// <summary>A handle that stays while this is there.</summary>
        internal IntPtr Hold(NativeObject one)
        {
            bool added = false;
            one.Hold(ref added);
            handles.Add(one.Handle);
            return one.Handle.DangerousGetHandle();
        }

        /// <summary>Where an array of the caller's lies, which stays there while this is there.</summary>
        internal IntPtr Pin(Array array)
        {
            GCHandle one = GCHandle.Alloc(array, GCHandleType.Pinned);
            pinned.Add(one);
            return one.AddrOfPinnedObject();
        }

        internal IntPtr Bytes(byte[]? bytes)
        {
            if (bytes is null) return IntPtr.Zero;
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
