package rondo

/** Token ids, or rows that stand where tokens do. For [Session.appendInputs]. */
class Input private constructor(
    internal val numbers: Any, private val size: Int, private val kind: Int,
    internal val coordinates: IntArray?, private val seesWhole: Boolean
) {
    constructor(ids: IntArray) : this(ids, ids.size, IDS, null, false)

    /** hiddenSize numbers for each row, in place of what the model makes of tokens before its first
     * layer. coordinates: three for each, which RoPE rotates it by, counted from where a token in
     * place of the first row would be; null: row i has i. seesWhole: each of these rows sees all of
     * them, also those behind it. */
    constructor(rows: FloatArray, coordinates: IntArray? = null, seesWhole: Boolean = false) :
        this(rows, rows.size, Rows.FLOAT32, coordinates, seesWhole)

    /** Such rows of bfloat16, the upper halves of Float. */
    constructor(bfloat16: ShortArray, coordinates: IntArray? = null, seesWhole: Boolean = false) :
        this(bfloat16, bfloat16.size, Rows.BFLOAT16, coordinates, seesWhole)

    /** What the array is, for how many tokens or rows, and whether these see the whole. */
    internal fun facts(hiddenSize: Int): List<Int> {
        if (kind == IDS) return listOf(kind, size, 0)
        val count = size / hiddenSize
        require(count > 0 && size % hiddenSize == 0) {
            "rows have $size numbers, hiddenSize is $hiddenSize"
        }
        require(coordinates == null || coordinates.size == 3 * count) {
            "$count rows have ${coordinates?.size} coordinates, not 3 each"
        }
        return listOf(kind, count, if (seesWhole) 1 else 0)
    }

    private companion object {
        const val IDS = -1 // as jni/rondo_jni.c has it
    }
}
