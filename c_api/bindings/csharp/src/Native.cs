using System;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.RegularExpressions;

namespace Rondo
{
    /// <summary>Statuses into exceptions, bytes into texts.</summary>
    internal static class Native
    {
        internal delegate int WithMessage(byte[] message, UIntPtr bytes);
        internal delegate int TextOutput(byte[] buffer, UIntPtr capacity, UIntPtr[] length);
        internal delegate int IdsOutput(int[] ids, UIntPtr capacity, UIntPtr[] count);

        private static readonly Regex Names =
            new Regex(@"(?<=\boption )[a-z]\w*|^[a-z]\w*(?= is )|\b[a-z]+(?:_[a-z0-9]+)+\b", RegexOptions.CultureInvariant);

        internal static void Check(int status)
        {
            if (status != 0) throw new RondoException(status, "");
        }

        internal static void CheckMessage(WithMessage call)
        {
            byte[] message = new byte[512];
            int status = call(message, Size(message.Length));
            if (status != 0) throw new RondoException(status, Text(message));
        }

        /// <summary>A sentence of the library with the options' names as they are here.</summary>
        internal static string Translated(string sentence) => Names.Replace(
            sentence, match => OptionNames.Of.TryGetValue(match.Value, out string? name) ? name : match.Value);

        /// <summary>Of a call that ends in (buffer, capacity, length).</summary>
        internal static string Text(TextOutput call)
        {
            UIntPtr[] length = new UIntPtr[1];
            for (byte[] buffer = new byte[256]; ; buffer = new byte[(int)length[0] + 1])
            {
                int status = call(buffer, Size(buffer.Length), length);
                if (status == (int)Status.BufferTooSmall) continue;
                Check(status);
                return Encoding.UTF8.GetString(buffer, 0, (int)length[0]);
            }
        }

        /// <summary>What a call gives that has no sentence of its own where it fails: what its statuses mean
        /// there.</summary>
        internal static string Explained(Func<string> call, string invalid, string? unsupported = null)
        {
            try
            {
                return call();
            }
            catch (RondoException error) when (error.Status == Status.InvalidArgument)
            {
                throw new RondoException(error.Status, invalid);
            }
            catch (RondoException error) when (error.Status == Status.Unsupported && unsupported != null)
            {
                throw new RondoException(error.Status, unsupported);
            }
        }

        /// <summary>Of a call that ends in (ids, capacity, count).</summary>
        internal static int[] Ids(int capacity, IdsOutput call)
        {
            UIntPtr[] count = new UIntPtr[1];
            for (int[] ids = new int[capacity]; ; ids = new int[(int)count[0]])
            {
                int status = call(ids, Size(ids.Length), count);
                if (status == (int)Status.BufferTooSmall) continue;
                Check(status);
                Array.Resize(ref ids, (int)count[0]);
                return ids;
            }
        }

        internal static UIntPtr Size(int n) => (UIntPtr)(uint)n;

        internal static byte[] Utf8(string text, string name)
        {
            if (text is null) throw new ArgumentNullException(name);
            return Encoding.UTF8.GetBytes(text);
        }

        /// <summary>A text that C reads up to a zero, so that it may have none inside.</summary>
        internal static byte[]? ZeroTerminated(string? text, string name)
        {
            if (text is null) return null;
            if (text.IndexOf('\0') >= 0) throw new ArgumentException(name + " has a zero character", name);
            return Encoding.UTF8.GetBytes(text + "\0");
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
            return Encoding.UTF8.GetString(Bytes(zeroTerminated, Size(length)));
        }

        internal static byte[] Bytes(IntPtr from, UIntPtr count)
        {
            byte[] bytes = new byte[(int)count];
            if (bytes.Length > 0) Marshal.Copy(from, bytes, 0, bytes.Length);
            return bytes;
        }

        internal static uint SizeOf<T>() where T : struct => (uint)Marshal.SizeOf<T>();
    }

    /// <summary>Refuses what an option or argument cannot hold, by its name.</summary>
    internal static class Checked
    {
        internal static int? Int(string name, int? value, int low, int high) =>
            (int?)Long(name, value, low, high);

        internal static long? Long(string name, long? value, long low, long high)
        {
            if (value < low || value > high) throw Refused(name, value, $"{low} to {high}");
            return value;
        }

        internal static float? Float(string name, float? value, bool accepted, string range)
        {
            if (value is null || (accepted && !float.IsNaN(value.Value))) return value;
            throw Refused(name, value, range);
        }

        private static ArgumentOutOfRangeException Refused(string name, object? value, string range) =>
            new ArgumentOutOfRangeException(name, value, $"{name} is {value}, but must be {range}");

        internal static T NotNull<T>(T? value, string name) where T : class =>
            value ?? throw new ArgumentNullException(name);
    }
}
