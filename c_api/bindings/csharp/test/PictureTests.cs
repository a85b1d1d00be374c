using System;
using System.Linq;
using System.Runtime.InteropServices;
using System.Threading;
using Rondo;
using static Support;

public static class PictureTests
{
    private static byte[] PixelsOf(int count) => Enumerable.Range(0, count).Select(i => (byte)(i * 37 % 251)).ToArray();

    public static void AlsoBlindness()
    {
        using Model model = Open();
        Equal(-1, model.Info.PictureToken);
        Fails(Status.Unsupported, () => model.ImagePlan(640, 480), "reads texts alone");
        Throws<ArgumentOutOfRangeException>(() => model.ImagePlan(0, 480), "width");
        using Engine engine = model.CreateEngine(Few);
        Fails(Status.Unsupported, () => engine.CreateMedia(new Image(Pixels.Rgb8, 2, 2, PixelsOf(12))), "MaxMediaRows is 0");
        Throws<ArgumentNullException>(() => engine.CreateMedia(null!), "image");
        Throws<ArgumentException>(
            () => engine.CreateMedia(new Image(Pixels.Rgb8, 2, 2, new Plane(PixelsOf(12), 7))), "plane 0 of the image has 12 bytes");
    }

    public static void AlsoSeeing()
    {
        using Model model = Open("SEEING");
        EngineOptions options = new EngineOptions { Context = 256, MaxSessions = 2, MaxMediaRows = 100 };
        int[] ids = model.Tokenize("See <image> here", TokenizeFlags.None);
        ImageFacts plan = model.ImagePlan(5, 7);
        True(model.ImagePlan(5, 7, new ImageOptions { OneTile = true }).Rows < plan.Rows);
        Fails(Status.Unsupported, () => model.ImagePlan(5, 7, new ImageOptions { MinTokens = 3 }), "MinTokens");
        Image picture = new Image(Pixels.Rgb8, 5, 7, PixelsOf(5 * 7 * 3));
        using Engine engine = model.CreateEngine(options), other = model.CreateEngine(options);
        using Session session = engine.CreateSession(Limit(4));
        Media media = engine.CreateMedia(picture);
        Equal((plan.Rows, plan.Positions), (media.Info.Rows, media.Info.Positions));
        session.AppendMedia(ids, media);
        Equal(ids.Length - 1L + plan.Positions, session.Position);
        session.Generate();
        session.Reset();
        session.AppendMedia(ids.Concat(ids).ToArray(), media, media);
        media.Dispose(); // the session goes on
        session.Generate();
        Throws<ObjectDisposedException>(() => session.AppendMedia(ids, media));
        using Media foreign = other.CreateMedia(picture);
        Fails(Status.InvalidArgument, () => session.AppendMedia(ids, foreign), "another engine");
        using CancellationTokenSource source = new CancellationTokenSource();
        Image gray = new Image(Pixels.Gray8, 64, 64, PixelsOf(64 * 64));
        engine.CreateMedia(gray, null, source.Token).Dispose();
        source.Cancel();
        Throws<OperationCanceledException>(() => engine.CreateMedia(gray, null, source.Token));
        byte[] large = PixelsOf(2000 * 2000);
        using CancellationTokenSource brief = new CancellationTokenSource(30);
        Throws<OperationCanceledException>(() =>
        {
            for (int i = 0; i < 100; ++i, large[0] = (byte)i) // else it is there already
            {
                engine.CreateMedia(new Image(Pixels.Gray8, 2000, 2000, large), null, brief.Token).Dispose();
            }
        });
    }

    public static void AlsoImages()
    {
        using Model model = Open("SEEING");
        int[] ids = model.Tokenize("See <image> here", TokenizeFlags.None);
        using Engine engine = model.CreateEngine(new EngineOptions { Context = 256, MaxMediaRows = 100 });
        float[] See(Image image)
        {
            using Media media = engine.CreateMedia(image);
            using Session session = engine.CreateSession();
            session.AppendMedia(ids, media);
            return session.Logits();
        }
        void Compare(Image image, float[] seen, bool alike = true) => Equal(alike, See(image).SequenceEqual(seen));
        byte[] rgb = PixelsOf(9 * 7 * 3);
        float[] plain = See(new Image(Pixels.Rgb8, 9, 7, rgb));
        Compare(new Image(Pixels.Bgra8, 9, 7, Enumerable.Range(0, 9 * 7 * 4)
            .Select(i => i % 4 == 3 ? (byte)99 : rgb[i / 4 * 3 + 2 - i % 4]).ToArray()), plain);
        // In rows that lie apart, of which the last ends with its pixels; in an array and beside it.
        byte[] apart = new byte[3 + 6 * 32 + 27];
        for (int row = 0; row < 7; ++row) Array.Copy(rgb, row * 27, apart, 3 + row * 32, 27);
        Compare(new Image(Pixels.Rgb8, 9, 7, new Plane(new ArraySegment<byte>(apart, 3, apart.Length - 3), 32)), plain);
        IntPtr native = Marshal.AllocHGlobal(apart.Length);
        Marshal.Copy(apart, 0, native, apart.Length);
        Compare(new Image(Pixels.Rgb8, 9, 7, new Plane(IntPtr.Add(native, 3), apart.Length - 3, 32)), plain);
        Marshal.FreeHGlobal(native);
        byte[] back = Enumerable.Range(0, rgb.Length).Select(i => rgb[rgb.Length - 3 - i / 3 * 3 + i % 3]).ToArray();
        Compare(new Image(Pixels.Rgb8, 9, 7, back), plain, false);
        Compare(new Image(Pixels.Rgb8, 9, 7, back) { Rotation = 180 }, plain);
        Compare(new Image(Pixels.Rgb8, 9, 7, back) { Rotation = 180, Mirror = true }, plain, false);
        byte[] y = PixelsOf(63), u = PixelsOf(20), v = u.Select(one => (byte)(200 - one)).ToArray();
        byte[] uv = Enumerable.Range(0, 40).Select(i => (i % 2 == 0 ? u : v)[i / 2]).ToArray();
        float[] frame = See(new Image(Pixels.I420, 9, 7, y, u, v));
        Compare(new Image(Pixels.Nv12, 9, 7, y, uv), frame);
        Compare(new Image(Pixels.Nv21, 9, 7, y, uv), frame, false);
        Compare(new Image(Pixels.Nv12, 9, 7, y, uv) { Range = YuvRange.Full }, frame, false);
        Compare(new Image(Pixels.Nv12, 9, 7, y, uv) { Matrix = YuvMatrix.Bt709 }, frame, false);
        Throws<ArgumentException>(() => See(new Image(Pixels.Rgb8, 9, 7, rgb.Skip(1).ToArray())), "plane 0");
        Throws<ArgumentException>(() => See(new Image(Pixels.Rgb8, 9, 7)), "plane 0");
        Throws<ArgumentException>(() => See(new Image(Pixels.Nv12, 9, 7, y, uv.Skip(1).ToArray())), "plane 1");
        Throws<ArgumentException>(() => See(new Image(Pixels.I420, 9, 7, y, u)), "plane 2");
        Throws<ArgumentException>(() => See(new Image(Pixels.Rgb8, 9, 7, rgb) { Rotation = -90 }), "Rotation is -90");
        Throws<ArgumentException>(() => See(new Image(Pixels.Rgb8, 9, 7, rgb, rgb)), "2 planes are given, but Rgb8 has 1");
        Throws<ArgumentException>(() => See(new Image(Pixels.Rgb8, 9, 7, new Plane(rgb, -27))), "stride of -27");
        Fails(Status.InvalidArgument, () => See(new Image(Pixels.Rgb8, 9, 7, new Plane(rgb, 26))), "stride of 26");
        Fails(Status.InvalidArgument, () => See(new Image((Pixels)7, 9, 7, rgb)), "no format");
        Fails(Status.InvalidArgument, () => See(new Image(Pixels.Rgb8, 9, 7, rgb) { Rotation = 45 }), "45");
    }
}
