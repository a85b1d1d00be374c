using System;
using System.Collections.Generic;

namespace Rondo
{
    /// <summary>Token ids, or rows that stand where tokens do. For Session.AppendInputs.</summary>
    public sealed class Input
    {
        /// <summary>Three numbers for each row, which RoPE rotates it by, counted from where a
        /// token in place of the first row would be; null: row i has i.</summary>
        public int[] Coordinates;
        /// <summary>Each of these rows sees all of them, also those behind it.</summary>
        public bool SeesWhole;

        private readonly Array numbers;

        /// <summary>Token ids.</summary>
        public Input(int[] ids)
        {
            numbers = Given(ids, "ids");
        }

        /// <summary>[count, HiddenSize], in place of what the model makes of tokens before its
        /// first layer.</summary>
        public Input(float[] rows)
        {
            numbers = Given(rows, "rows");
        }

        /// <summary>Such rows of bfloat16, the upper halves of float.</summary>
        public Input(ushort[] rows)
        {
            numbers = Given(rows, "rows");
        }

        private static Array Given(Array array, string name)
        {
            if (array == null) throw new ArgumentNullException(name);
            return array;
        }

        /// <summary>At least one, so that there is a first.</summary>
        internal static Raw.Input[] With(Lent lent, IList<Input> inputs, int hiddenSize)
        {
            Raw.Input[] raw = new Raw.Input[Math.Max(inputs.Count, 1)];
            for (int i = 0; i < inputs.Count; ++i) raw[i] = inputs[i].With(lent, hiddenSize);
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
                    throw new ArgumentException("rows have " + numbers.Length +
                        " numbers, HiddenSize is " + hiddenSize);
                }
                raw.rows = lent.Pin(numbers);
                raw.row_format = (int)(numbers is float[] ? Rows.Float32 : Rows.Bfloat16);
            }
            if (Coordinates != null)
            {
                if (Coordinates.Length != 3L * count)
                {
                    throw new ArgumentException(
                        count + " rows have " + Coordinates.Length + " coordinates, not 3 each");
                }
                raw.coordinates = lent.Pin(Coordinates);
            }
            raw.count = (UIntPtr)(uint)count;
            raw.sees_whole = SeesWhole ? 1u : 0u;
            return raw;
        }
    }
}
