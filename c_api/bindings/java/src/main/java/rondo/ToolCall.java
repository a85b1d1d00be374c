package rondo;

/**
 * A call of a function that an answer asks for.
 *
 * @param id that the model gave it; empty where it writes none
 * @param name of the function
 * @param arguments as JSON
 */
public record ToolCall(String id, String name, String arguments) {}
