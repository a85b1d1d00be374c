"""A model calls a function and answers with what it gave: python tools.py model.rondo"""
# shown from here
import sys
import json
import rondo

TOOLS = [{"type": "function", "function": {
    "name": "weather", "description": "The weather in a city.", "parameters": {
        "type": "object", "properties": {"city": {"type": "string", "maxLength": 30}},
        "required": ["city"], "additionalProperties": False}}}]

with rondo.Model(sys.argv[1]) as model, model.engine(max_sessions=2) as engine:
    messages = [{"role": "user", "content": "How is the weather in Rome?"}]
    calls = model.chat_grammar(messages, tools=TOOLS, calls=rondo.Calls.ONE)
    with engine.session(grammar=model.grammar(gbnf=calls)) as session:
        asked, = session.chat(messages, tools=TOOLS).calls
    call = {"name": asked.name, "arguments": json.loads(asked.arguments)}
    messages += [{"role": "assistant", "content": "",
                  "tool_calls": [{"type": "function", "function": call}]},
                 {"role": "tool", "name": "weather", "content": '{"sky": "clear"}'}]
    with engine.session(max_tokens=64) as session:
        for part in session.chat_stream(messages, tools=TOOLS):
            print(part.text, end="", flush=True)
# shown to here
print()
