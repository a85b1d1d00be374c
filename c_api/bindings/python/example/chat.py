"""A conversation, asked and answered: python chat.py model.rondo"""
# shown from here
import sys
import rondo

messages = [{"role": "user", "content": "What is a brook?"}]

with rondo.Model(sys.argv[1]) as model, model.engine() as engine:
    with engine.session(max_tokens=64) as session:
        reply = session.chat(messages)
        print(reply.text, reply.reason)

        messages += [{"role": "assistant", "content": reply.text},
                     {"role": "user", "content": "And a river?"}]
        for part in session.chat_stream(messages):
            print(part.text, end="", flush=True)
# shown to here
print()
