using System;

namespace Rondo
{
    /// <summary>Rows of bytes of an image.</summary>
    public readonly struct Plane
    {
        private readonly ArraySegment<byte> bytes;
        private readonly IntPtr address;
        /// <summary>Of those, how many there are.</summary>
        internal readonly long Length;
        /// <summary>From a row to the next; 0: those of its pixels.</summary>
        internal readonly int Stride;

        /// <summary>stride: bytes from a row to the next; 0: those of its pixels.</summary>
        public Plane(byte[] bytes, int stride = 0) : this(new ArraySegment<byte>(Checked.NotNull(bytes, nameof(bytes))), stride) { }

        /// <summary>A part of an array.</summary>
        public Plane(ArraySegment<byte> bytes, int stride = 0)
        {
            this.bytes = bytes;
            address = IntPtr.Zero;
            Length = bytes.Count;
            Stride = stride;
        }

        /// <summary>Memory that is not .NET's, or that is fixed: it stays up to the end of
        /// Engine.Media. length: how many bytes there are.</summary>
        public Plane(IntPtr address, long length, int stride = 0)
        {
            bytes = new ArraySegment<byte>();
            this.address = address;
            Length = length;
            Stride = stride;
        }

        /// <summary>Rows that lie one behind another.</summary>
        public static implicit operator Plane(byte[] bytes) => new Plane(bytes);

        /// <summary>Where it lies while `lent` is there.</summary>
        internal IntPtr With(Lent lent)
        {
            if (bytes.Array == null) return address;
            return IntPtr.Add(lent.Pin(bytes.Array), bytes.Offset);
        }
    }

    /// <summary>A picture or a camera's frame. Engine.Media alone reads it.</summary>
    public sealed class Image
    {
        /// <summary>Degrees by which it is turned clockwise to be upright: 0, 90, 180 or
        /// 270.</summary>
        public int Rotation { get; set; }
        /// <summary>Then left and right change places.</summary>
        public bool Mirror { get; set; }
        /// <summary>Of Y, U and V.</summary>
        public YuvRange Range { get; set; }
        /// <summary>Of Y, U and V.</summary>
        public YuvMatrix Matrix { get; set; }

        private readonly Pixels format;
        private readonly uint width, height;
        private readonly Plane[] planes = new Plane[3];
        private readonly int given;

        /// <summary>width and height: 1 to 65535, of the planes, before the image is turned; planes: as many as
        /// the format has, arrays where their rows lie one behind another.</summary>
        public Image(Pixels format, int width, int height, params Plane[] planes)
        {
            Checked.NotNull(planes, nameof(planes));
            Checked.Int(nameof(width), width, 1, 65535);
            Checked.Int(nameof(height), height, 1, 65535);
            this.format = format;
            this.width = (uint)width;
            this.height = (uint)height;
            given = planes.Length;
            Array.Copy(planes, this.planes, Math.Min(planes.Length, this.planes.Length));
        }

        /// <summary>The bytes of a plane's rows, and their number; 0: the format has no such
        /// plane.</summary>
        private long Rows(int plane, out long rowBytes)
        {
            long halfWidth = ((long)width + 1) / 2, halfHeight = ((long)height + 1) / 2;
            rowBytes = width;
            switch (format)
            {
                case Pixels.Rgb8:
                    rowBytes *= 3;
                    break;
                case Pixels.Rgba8:
                case Pixels.Bgra8:
                    rowBytes *= 4;
                    break;
                case Pixels.Gray8:
                    break;
                case Pixels.Nv12:
                case Pixels.Nv21:
                    if (plane == 0) break;
                    rowBytes = 2 * halfWidth;
                    return plane == 1 ? halfHeight : 0;
                case Pixels.I420:
                    if (plane == 0) break;
                    rowBytes = halfWidth;
                    return halfHeight;
                default:
                    return 0;
            }
            return plane == 0 ? height : 0;
        }

        /// <summary>Refused where a plane is shorter than what the library reads of it.</summary>
        private void Check(int plane)
        {
            long rows = Rows(plane, out long rowBytes);
            long has = planes[plane].Length, given = planes[plane].Stride;
            long stride = given == 0 ? rowBytes : given;
            if (stride < 0) throw new ArgumentException("a plane has a stride of " + stride);
            if (rows == 0) return;
            if (has < rowBytes || (rows > 1 && stride > (has - rowBytes) / (rows - 1)))
            {
                throw new ArgumentException("plane " + plane + " of the image has " + has +
                    " bytes, too few for " + rows + " rows, " + stride + " bytes apart, of " + rowBytes);
            }
        }

        internal Raw.Image With(Lent lent)
        {
            for (int i = 0; i < planes.Length; ++i) Check(i);
            Checked.Int(nameof(Rotation), Rotation, 0, 270);
            int has = 1;
            while (has < planes.Length && Rows(has, out _) > 0) ++has;
            if (given > has) throw new ArgumentException(given + " planes are given, but " + format + " has " + has);
            return new Raw.Image
            {
                struct_size = Native.SizeOf<Raw.Image>(),
                format = (int)format,
                width = width,
                height = height,
                plane0 = planes[0].With(lent),
                plane1 = planes[1].With(lent),
                plane2 = planes[2].With(lent),
                stride0 = (UIntPtr)(uint)planes[0].Stride,
                stride1 = (UIntPtr)(uint)planes[1].Stride,
                stride2 = (UIntPtr)(uint)planes[2].Stride,
                rotation = (uint)Rotation,
                mirror = Mirror ? 1u : 0u,
                yuv_range = (int)Range,
                yuv_matrix = (int)Matrix
            };
        }
    }
}
