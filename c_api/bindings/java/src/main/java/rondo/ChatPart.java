package rondo;

/**
 * A piece of an answer.
 *
 * @param kind what it is; UNKNOWN: of a newer library
 * @param text CONTENT, THINKING, ARGUMENTS: the next piece of it
 * @param call CALL, ARGUMENTS, CALL_END: the call's number, from 0
 * @param name CALL and CALL_END: of the function
 * @param id CALL and CALL_END: that the model gave the call; empty where it writes none
 * @param arguments CALL_END: all of them, as JSON
 */
public record ChatPart(ChatPartKind kind, String text, long call, String name, String id,
    String arguments) {}
