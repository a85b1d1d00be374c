package rondo.kotlin

import java.time.LocalDateTime
import rondo.*

/** A conversation by the names of its options. */
fun chatOf(
    vararg messages: Message,
    /** The functions that the model may call, as JSON. */
    tools: String? = null,
    /** An object as JSON: more names for the template. */
    variables: String? = null,
    /** Jinja, in place of the model's own. */
    template: String? = null,
    /** Which of the model's templates. */
    templateName: String? = null,
    /** False: the text does not end where the assistant's answer begins. */
    addGenerationPrompt: Boolean = true,
    /** True: the text ends inside of the last message, which the model goes on with. */
    continueFinal: Boolean = false,
    /** False: special tokens' texts in messages become these tokens. */
    plainContent: Boolean = true,
    /** What the clock on the wall shows; null: no clock. */
    localTime: LocalDateTime? = null
): Chat {
    val to = Chat.builder(*messages).tools(tools).variables(variables).template(template)
        .templateName(templateName).plainContent(plainContent).localTime(localTime)
    return (if (continueFinal) to.continueFinal(true) else to.addGenerationPrompt(addGenerationPrompt)).build()
}

/** How a grammar is read, by the names of options; all but [memoryBytes] is of JSON Schema alone. */
fun grammarOptions(
    noSpaces: Boolean = false,
    oneSpace: Boolean = false,
    anyOrder: Boolean = false,
    namedOnly: Boolean = false,
    memoryBytes: Long = 0
): GrammarOptions = GrammarOptions.builder().noSpaces(noSpaces).oneSpace(oneSpace).anyOrder(anyOrder)
    .namedOnly(namedOnly).memoryBytes(memoryBytes).build()

/** How a picture is encoded, by the names of options. */
fun imageOptions(
    minTokens: Int = 0,
    maxTokens: Int = 0,
    oneTile: Boolean = false,
    progress: ((Long, Long) -> Boolean)? = null
): ImageOptions {
    val to = ImageOptions.builder().minTokens(minTokens).maxTokens(maxTokens).oneTile(oneTile)
    progress?.let { to.progress { done, total -> it(done, total) } }
    return to.build()
}
