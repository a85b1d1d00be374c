using System;
using System.Runtime.InteropServices;
using System.Threading;

namespace Rondo
{
    /// <summary>How a picture is encoded. What is null is as the library has it.</summary>
    public sealed class ImageOptions
    {
        private int? minTokens, maxTokens;

        /// <summary>Rows of the picture in the text, of families in which they follow from its size: at least
        /// about so many.</summary>
        public int? MinTokens
        {
            get => minTokens;
            set => minTokens = Checked.Int(nameof(MinTokens), value, 0, int.MaxValue);
        }

        /// <summary>At most about so many.</summary>
        public int? MaxTokens
        {
            get => maxTokens;
            set => maxTokens = Checked.Int(nameof(MaxTokens), value, 0, int.MaxValue);
        }

        /// <summary>The picture is not cut into tiles, where the family does.</summary>
        public bool OneTile { get; set; }

        internal static Raw.ImageOptions With(ImageOptions? said)
        {
            Native.Check(Raw.rondo_image_options_init(
                out Raw.ImageOptions raw, (UIntPtr)Native.SizeOf<Raw.ImageOptions>()));
            if (said is null) return raw;
            raw.min_tokens = (uint?)said.MinTokens ?? raw.min_tokens;
            raw.max_tokens = (uint?)said.MaxTokens ?? raw.max_tokens;
            raw.one_tile = said.OneTile ? 1u : 0u;
            return raw;
        }
    }

    /// <summary>A picture as an engine's rows. Made by Engine.CreateMedia. Any number of sessions of the engine
    /// share it, on any thread; they keep the rows that they have when it is disposed.</summary>
    public sealed class Media : NativeObject
    {
        private Media(IntPtr handle) : base(new Handle(handle, Raw.rondo_media_close)) { }

        /// <summary>What became of the picture.</summary>
        public ImageFacts Info
        {
            get
            {
                Raw.ImageFacts facts = new Raw.ImageFacts { struct_size = Native.SizeOf<Raw.ImageFacts>() };
                Native.Check(With(media => Raw.rondo_media_info(media, ref facts)));
                return new ImageFacts(facts);
            }
        }

        internal static Media Create(
            Engine engine, Image image, ImageOptions? options, CancellationToken cancellation)
        {
            Checked.NotNull(image, nameof(image));
            cancellation.ThrowIfCancellationRequested();
            Raw.ImageOptionsProgress stops = (user, done, total) => cancellation.IsCancellationRequested ? 1 : 0;
            using Lent lent = new Lent();
            Raw.Image raw = image.With(lent);
            Raw.ImageOptions said = ImageOptions.With(options);
            if (cancellation.CanBeCanceled) said.progress = Marshal.GetFunctionPointerForDelegate(stops);
            IntPtr media = IntPtr.Zero;
            try
            {
                Native.CheckMessage((message, bytes) => engine.With(handle =>
                    Raw.rondo_media_create(handle, ref raw, ref said, out media, message, bytes)));
            }
            catch (RondoException error) when (error.Status == Status.Cancelled)
            {
                throw new OperationCanceledException(error.Message, error, cancellation);
            }
            GC.KeepAlive(stops);
            return new Media(media);
        }
    }
}
