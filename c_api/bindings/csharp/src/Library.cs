using System;

namespace Rondo
{
    /// <summary>The library itself.</summary>
    public static class Library
    {
        /// <summary>Its release.</summary>
        public static string Version
        {
            get { return Native.Text(Raw.rondo_version_string()); }
        }

        /// <summary>That of the library, which may be newer than this binding's.</summary>
        public static uint AbiVersion
        {
            get { return Raw.rondo_abi_version(); }
        }

        /// <summary>What it can do, by name: "limit.sessions", "chat" and others of rondo.h.</summary>
        public static long Query(string name)
        {
            long value;
            Native.Check(Raw.rondo_query(Native.ZeroTerminated(name), out value));
            return value;
        }
    }
}
