package rondo

import java.nio.ByteBuffer

/** A LoRA adapter for a model. Made by [Model.adapter]. Any number of sessions share it, on any thread; they
 * keep what they need of it when it is closed. `kept`: its bytes, where they are in memory. */
class Adapter private constructor(handle: Long, @Suppress("unused") private val kept: ByteBuffer?) :
    Handle(handle, { Native.closeAdapter(it) }) {

    internal companion object {
        fun open(model: Long, path: String) = Adapter(Native.openAdapter(model, path.utf8()), null)

        fun open(model: Long, direct: ByteBuffer): Adapter {
            require(direct.isDirect) { "the buffer is not direct" }
            val handle = Native.openAdapterBuffer(model, direct, direct.capacity().toLong())
            return Adapter(handle, direct)
        }
    }

    /** [EngineOptions.adapterRank] must be at least its rank. */
    val info: AdapterFacts get() = AdapterFacts(with { Native.adapterInfo(it) })
}
