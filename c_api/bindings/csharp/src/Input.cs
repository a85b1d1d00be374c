using System;
using System.Collections.Generic;

namespace Rondo
{
    /// <summary>Token ids, or rows that stand where tokens do. For Session.AppendInputs.</summary>
    public sealed class Input
    {
        private readonly Array numbers;

        /// <summary>Token ids.</summary>
        public Input(int[] ids) => numbers = Checked.NotNull(ids, nameof(ids));

        /// <summary>[count, HiddenSize], in place of what the model makes of tokens before its first
        /// layer.</summary>
        public Input(float[] rows) => numbers = Checked.NotNull(rows, nameof(rows));

        /// <summary>Such rows of bfloat16, the upper halves of float.</summary>
        public Input(ushort[] rows) => numbers = Checked.NotNull(rows, nameof(rows));

        /// <summary>Three numbers for each row, which RoPE rotates it by, counted from where a token in place
        /// of the first row would be; null: row i has i.</summary>
        public int[]? Coordinates { get; set; }

        /// <summary>Each of these rows sees all of them, also those behind it.</summary>
        public bool SeesWhole { get; set; }

        /// <summary>At least one, so that there is a first.</summary>
        internal static Raw.Input[] With(Lent lent, IReadOnlyList<Input> inputs, int hiddenSize)
        {
            Raw.Input[] raw = new Raw.Input[Math.Max(inputs.Count, 1)];
            for (int i = 0; i < inputs.Count; ++i)
            {
                raw[i] = Checked.NotNull(inputs[i], nameof(inputs)).With(lent, hiddenSize);
            }
            return raw;
        }

        private Raw.Input With(Lent lent, int hiddenSize)
        {
            Raw.Input raw = new Raw.Input { struct_size = Native.SizeOf<Raw.Input>() };
            int count = numbers.Length;
            if (numbers is int[])
            {
                raw.ids = lent.Pin(numbers);
            }
            else
            {
                count = numbers.Length / hiddenSize;
                if (count == 0 || numbers.Length % hiddenSize != 0)
                {
                    throw new ArgumentException(
                        $"rows have {numbers.Length} numbers, HiddenSize is {hiddenSize}");
                }
                raw.rows = lent.Pin(numbers);
                raw.row_format = (int)(numbers is float[] ? Rows.Float32 : Rows.Bfloat16);
            }
            if (Coordinates != null)
            {
                if (Coordinates.Length != 3L * count)
                {
                    throw new ArgumentException(
                        $"{count} rows have {Coordinates.Length} coordinates, not 3 each");
                }
                raw.coordinates = lent.Pin(Coordinates);
            }
            raw.count = Native.Size(count);
            raw.sees_whole = SeesWhole ? 1u : 0u;
            return raw;
        }
    }
}
