using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection;
using System.Runtime.InteropServices;

namespace Rondo
{
    /// <summary>The library itself, and where it is looked for: at RONDO_LIBRARY, where that is set; as the
    /// system and .NET look for the package's; by the name of its ABI.</summary>
    public static class Library
    {
        static Library()
        {
#if NETCOREAPP
            NativeLibrary.SetDllImportResolver(typeof(Library).Assembly, Find);
#endif
        }

        /// <summary>Before the first call of a program, so that it is found or missed with a sentence.</summary>
        internal static void Load()
        {
            try
            {
                Raw.rondo_abi_version();
            }
            catch (DllNotFoundException error) when (!error.Message.Contains("RONDO_LIBRARY"))
            {
                throw new DllNotFoundException(Missing(new[] { "the system's folders" }), error);
            }
        }

        /// <summary>Its release.</summary>
        public static string Version
        {
            get
            {
                Load();
                return Native.Text(Raw.rondo_version_string());
            }
        }

        /// <summary>That of this package.</summary>
        public static string PackageVersion => typeof(Library).Assembly
            .GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion.Split('+')[0];

        /// <summary>That of the library, which may be newer than this binding's.</summary>
        public static int AbiVersion
        {
            get
            {
                Load();
                return (int)Raw.rondo_abi_version();
            }
        }

        /// <summary>What it can do, by name: "limit.sessions", "chat" and others of rondo.h.</summary>
        public static long Query(string name)
        {
            byte[]? asked = Native.ZeroTerminated(Checked.NotNull(name, nameof(name)), nameof(name));
            Load();
            Native.Check(Raw.rondo_query(asked, out long value));
            return value;
        }

        private static string FileName =>
            RuntimeInformation.IsOSPlatform(OSPlatform.Windows) ? "rondo.dll"
            : RuntimeInformation.IsOSPlatform(OSPlatform.OSX) ? "librondo.dylib" : "librondo.so";

        private static string Missing(IEnumerable<string> places) =>
            $"{FileName} was not found. It was looked for at: {string.Join("; ", places)}. The package Rondo has " +
            "it for linux-x64; elsewhere install Rondo's library, or set RONDO_LIBRARY to its file.";

#if NETCOREAPP
        private static IntPtr Find(string name, Assembly assembly, DllImportSearchPath? path)
        {
            if (name != Raw.Library) return IntPtr.Zero;
            string? told = Environment.GetEnvironmentVariable("RONDO_LIBRARY");
            if (!string.IsNullOrEmpty(told))
            {
                if (NativeLibrary.TryLoad(told, out IntPtr library)) return library;
                throw new DllNotFoundException(Missing(new[] { told + " (RONDO_LIBRARY)" }));
            }
            string folder = Path.GetDirectoryName(assembly.Location) ?? "";
            List<string> places = new List<string> { "rondo", Path.Combine(folder, FileName) };
            if (RuntimeInformation.IsOSPlatform(OSPlatform.Linux)) places.Add("librondo.so.0");
            foreach (string place in places)
            {
                if (NativeLibrary.TryLoad(place, assembly, path, out IntPtr library)) return library;
            }
            places[0] = "the package's runtimes folder and the system's folders";
            throw new DllNotFoundException(Missing(places));
        }
#endif
    }
}
