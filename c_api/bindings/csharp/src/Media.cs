using System;
using System.Runtime.InteropServices;
using System.Threading;

namespace Rondo
{
    /// <summary>rondo_image_options; null: the library's default.</summary>
    public sealed class ImageOptions
    {
        /// <summary>Rows of the picture in the text, of families in which they follow from its size:
        /// at least and at most about so many.</summary>
        public uint? MinTokens, MaxTokens;
        /// <summary>The picture is not cut into tiles, where the family does.</summary>
        public bool OneTile;

        internal static Raw.ImageOptions With(ImageOptions said)
        {
            Raw.ImageOptions raw;
            Native.Check(Raw.rondo_image_options_init(
                out raw, (UIntPtr)Native.SizeOf<Raw.ImageOptions>()));
            if (said == null) return raw;
            raw.min_tokens = said.MinTokens ?? raw.min_tokens;
            raw.max_tokens = said.MaxTokens ?? raw.max_tokens;
            raw.one_tile = said.OneTile ? 1u : 0u;
            return raw;
        }
    }

    /// <summary>A picture as an engine's rows. Made by Engine.Media. Any number of sessions of the
    /// engine share it, on any thread; they keep the rows that they have when it is
    /// disposed.</summary>
    public sealed class Media : Handle
    {
        private Media(IntPtr handle) : base(handle) { }

        protected override bool ReleaseHandle()
        {
            Raw.rondo_media_close(handle);
            return true;
        }

        /// <summary>What became of the picture.</summary>
        public ImageFacts Info
        {
            get
            {
                Raw.ImageFacts facts =
                    new Raw.ImageFacts { struct_size = Native.SizeOf<Raw.ImageFacts>() };
                Native.Check(With(media => Raw.rondo_media_info(media, ref facts)));
                return new ImageFacts(facts);
            }
        }

        internal static Media Create(
            Engine engine, Image image, ImageOptions options, CancellationToken cancellation)
        {
            cancellation.ThrowIfCancellationRequested();
            Raw.ImageOptionsProgress stops = (user, done, total) =>
                cancellation.IsCancellationRequested ? 1 : 0;
            using (Lent lent = new Lent())
            {
                Raw.Image raw = image.With(lent);
                Raw.ImageOptions said = ImageOptions.With(options);
                if (cancellation.CanBeCanceled)
                {
                    said.progress = Marshal.GetFunctionPointerForDelegate(stops);
                }
                IntPtr media = IntPtr.Zero;
                try
                {
                    Native.CheckMessage((message, bytes) => engine.With(handle =>
                        Raw.rondo_media_create(
                            handle, ref raw, ref said, out media, message, bytes)));
                }
                catch (RondoException error)
                {
                    if (error.Status != Status.Cancelled) throw;
                    throw new OperationCanceledException(error.Message, error, cancellation);
                }
                GC.KeepAlive(stops);
                return new Media(media);
            }
        }
    }
}
