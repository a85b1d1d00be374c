"""The official clients for Python, unmodified, against `rondo serve`.

RONDO_URL is where it listens, with the models plain and embedder and the key "key".
"""

import asyncio
import enum
import os
import typing
import unittest

import anthropic
import openai
import pydantic

try:
    import jiter
except ImportError:
    jiter = None

URL = os.environ["RONDO_URL"]
OPENAI = {"base_url": f"{URL}/v1", "api_key": "key", "max_retries": 0}
ANTHROPIC = {"base_url": URL, "api_key": "key", "max_retries": 0}
SAID = [{"role": "user", "content": "Tell a story."}]
CHAT = {"model": "plain", "messages": SAID, "temperature": 0, "max_tokens": 40}
RESPONSE = {"model": "plain", "input": "Tell a story.", "temperature": 0}
MESSAGE = {"model": "plain", "messages": SAID, "max_tokens": 40, "extra_body": {"temperature": 0}}
LONG = {"max_tokens": 1500, "extra_body": {"ignore_eos": True}}  # some tenths of a second


# Debian puts another module in its place, whose function takes other arguments.
reads_pieces = unittest.skipIf(jiter is None, "without jiter clients read no JSON in pieces")


class City(enum.Enum):
    PARIS = "Paris"
    ROME = "Rome"


class Place(pydantic.BaseModel):
    city: City


class ByOpenAI(unittest.TestCase):
    def setUp(self):
        self.client = openai.OpenAI(**OPENAI)
        self.chat = self.client.chat.completions
        self.addCleanup(self.client.close)

    def test_models(self):
        self.assertIn("plain", [model.id for model in self.client.models.list()])
        self.assertEqual(self.client.models.retrieve("plain").id, "plain")

    def test_chat(self):
        whole = self.chat.create(**CHAT)
        text = whole.choices[0].message.content
        self.assertTrue(text)
        self.assertEqual(whole.usage.completion_tokens, 40)
        told = {"stream": True, "stream_options": {"include_usage": True}}
        chunks = list(self.chat.create(**CHAT, **told))
        self.assertEqual("".join(c.choices[0].delta.content or "" for c in chunks if c.choices), text)
        self.assertEqual(chunks[-1].usage.completion_tokens, 40)

    def test_chat_in_events(self):
        with self.chat.stream(**CHAT | {"max_tokens": 1500}) as stream:
            pieces = [event.delta for event in stream if event.type == "content.delta"]
            last = stream.get_final_completion().choices[0]
        self.assertEqual(last.message.content, "".join(pieces))
        self.assertEqual(last.finish_reason, "stop")

    def test_chat_calls_a_tool(self):
        tools = [openai.pydantic_function_tool(Place, name="weather", description="Tells it.")]
        asked = CHAT | {"max_tokens": 200, "tools": tools, "parallel_tool_calls": False}
        called = self.chat.parse(**asked, tool_choice="required").choices[0]
        self.assertEqual(called.finish_reason, "tool_calls")
        call = called.message.tool_calls[0]
        self.assertIsInstance(call.function.parsed_arguments, Place)
        result = {"role": "tool", "tool_call_id": call.id, "content": "Sun."}
        said = [*SAID, called.message, result]
        last = self.chat.create(**asked | {"messages": said, "tool_choice": "none"})
        self.assertTrue(last.choices[0].message.content)

    def test_chat_parses(self):
        answer = self.chat.parse(**CHAT, response_format=Place).choices[0].message.parsed
        self.assertIsInstance(answer, Place)

    @reads_pieces
    def test_chat_in_pieces_of_json(self):
        with self.chat.stream(**CHAT, response_format=Place) as stream:
            parsed = stream.get_final_completion().choices[0].message.parsed
        self.assertIsInstance(parsed, Place)
        tool = openai.pydantic_function_tool(Place, name="weather")
        asked = CHAT | {"max_tokens": 200, "tools": [tool], "parallel_tool_calls": False}
        with self.chat.stream(**asked, tool_choice="required") as stream:
            call = stream.get_final_completion().choices[0].message.tool_calls[0]
        self.assertIsInstance(call.function.parsed_arguments, Place)

    def test_completions(self):
        asked = {"model": "plain", "prompt": "Once upon a time", "temperature": 0}
        whole = self.client.completions.create(**asked).choices[0].text
        chunks = self.client.completions.create(**asked, stream=True)
        self.assertEqual("".join(chunk.choices[0].text for chunk in chunks), whole)

    def test_responses(self):
        whole = self.client.responses.create(**RESPONSE)
        self.assertTrue(whole.output_text)
        with self.client.responses.stream(**RESPONSE) as stream:
            pieces = [e.delta for e in stream if e.type == "response.output_text.delta"]
            self.assertEqual("".join(pieces), whole.output_text)
            self.assertEqual(stream.get_final_response().output_text, whole.output_text)
        counted = self.client.responses.input_tokens.count(model="plain", input="Tell a story.")
        self.assertEqual(counted.input_tokens, whole.usage.input_tokens)

    def test_responses_call_a_tool(self):
        function = openai.pydantic_function_tool(Place, name="weather")["function"]
        tools = [{"type": "function", **function}]
        asked = RESPONSE | {"tools": tools, "parallel_tool_calls": False}
        called = self.client.responses.create(**asked, tool_choice="required")
        call = next(item for item in called.output if item.type == "function_call")
        Place.model_validate_json(call.arguments)
        result = {"type": "function_call_output", "call_id": call.call_id, "output": "Sun."}
        said = [*SAID, *called.output, result]
        last = self.client.responses.create(**asked | {"input": said, "tool_choice": "none"})
        self.assertTrue(last.output_text)

    def test_responses_parse(self):
        answer = self.client.responses.parse(**RESPONSE, text_format=Place)
        self.assertIsInstance(answer.output_parsed, Place)

    def test_embeddings(self):
        asked = {"model": "embedder", "input": ["rain", "sun"]}
        packed = self.client.embeddings.create(**asked).data  # this client asks for base64
        plain = self.client.embeddings.create(**asked, encoding_format="float").data
        for a, b in zip(packed, plain, strict=True):
            self.assertEqual(len(a.embedding), len(b.embedding))
            self.assertTrue(all(abs(x - y) < 1e-6 for x, y in zip(a.embedding, b.embedding)))

    def test_errors(self):
        with self.assertRaises(openai.BadRequestError) as refused:
            self.chat.create(**CHAT | {"temperature": 9})
        self.assertEqual(refused.exception.param, "/temperature")
        with self.assertRaises(openai.NotFoundError) as refused:
            self.chat.create(**CHAT | {"model": "x"})
        self.assertEqual(refused.exception.code, "model_not_found")
        with self.assertRaises(openai.AuthenticationError):
            self.client.with_options(api_key="no key").chat.completions.create(**CHAT)

    def test_time_is_out(self):
        hasty = self.client.with_options(timeout=0.02)
        with self.assertRaises(openai.APITimeoutError):
            hasty.chat.completions.create(**CHAT | LONG)
        self.assertTrue(self.chat.create(**CHAT).choices)

    def test_a_stream_is_left(self):
        stream = self.chat.create(**CHAT | LONG, stream=True)
        self.assertTrue(next(iter(stream)).id)
        stream.close()
        self.assertTrue(self.chat.create(**CHAT).choices)

    def test_side_by_side_and_cancelled(self):
        async def ask():
            async with openai.AsyncOpenAI(**OPENAI) as client:
                chat = client.chat.completions
                left = asyncio.create_task(chat.create(**CHAT | LONG))
                others = [chat.create(**CHAT) for _ in range(4)]
                replies = await asyncio.gather(*others)
                left.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await left
                return {reply.choices[0].message.content for reply in replies}

        self.assertEqual(len(asyncio.run(ask())), 1)


class ByAnthropic(unittest.TestCase):
    def setUp(self):
        self.client = anthropic.Anthropic(**ANTHROPIC)
        self.messages = self.client.messages
        self.addCleanup(self.client.close)

    def test_messages(self):
        whole = self.messages.create(**MESSAGE, system="Be kind.")
        self.assertEqual(whole.usage.output_tokens, 40)
        self.assertEqual(whole.stop_reason, "max_tokens")
        with self.messages.stream(**MESSAGE, system="Be kind.") as stream:
            text = "".join(stream.text_stream)
            self.assertEqual(stream.get_final_text(), text)
        self.assertEqual(text, whole.content[0].text)
        events = self.messages.create(**MESSAGE, system="Be kind.", stream=True)
        self.assertEqual([event.type for event in events][-1], "message_stop")

    def test_tools(self):
        tools = [{"name": "weather", "input_schema": Place.model_json_schema()}]
        asked = MESSAGE | {"max_tokens": 200, "tools": tools}
        one = {"type": "any", "disable_parallel_tool_use": True}
        called = self.messages.create(**asked, tool_choice=one)
        self.assertEqual(called.stop_reason, "tool_use")
        Place.model_validate(called.content[0].input)
        result = {"type": "tool_result", "tool_use_id": called.content[0].id, "content": "Sun."}
        said = [
            *SAID,
            {"role": "assistant", "content": called.content},
            {"role": "user", "content": [result]},
        ]
        last = self.messages.create(**asked | {"messages": said}, tool_choice={"type": "none"})
        self.assertEqual(last.content[0].type, "text")

    @reads_pieces
    def test_tools_in_pieces(self):
        tools = [{"name": "weather", "input_schema": Place.model_json_schema()}]
        one = {"type": "any", "disable_parallel_tool_use": True}
        asked = MESSAGE | {"max_tokens": 200, "tools": tools, "tool_choice": one}
        with self.messages.stream(**asked) as stream:
            Place.model_validate(stream.get_final_message().content[0].input)

    def test_a_runner_of_tools(self):
        cities = []

        @anthropic.beta_tool
        def weather(city: typing.Literal["Paris", "Rome"]) -> str:
            """Tells the weather."""
            cities.append(city)
            return "Sun."

        one = {"type": "any", "disable_parallel_tool_use": True}
        asked = MESSAGE | {"max_tokens": 200, "tools": [weather], "tool_choice": one}
        replies = list(self.client.beta.messages.tool_runner(**asked, max_iterations=2))
        self.assertEqual(len(replies), 2)
        self.assertTrue(cities and set(cities) <= {"Paris", "Rome"}, cities)

    def test_a_parsed_form(self):
        answer = self.messages.parse(**MESSAGE, output_format=Place)
        self.assertIsInstance(answer.parsed_output, Place)
        with self.messages.stream(**MESSAGE, output_format=Place) as stream:
            self.assertEqual(stream.get_final_message().parsed_output, answer.parsed_output)

    def test_tokens_are_counted(self):
        asked = {"model": "plain", "messages": SAID, "system": "Be kind."}
        whole = self.messages.create(**MESSAGE, system="Be kind.")
        counted = self.messages.count_tokens(**asked).input_tokens
        read = whole.usage.input_tokens + whole.usage.cache_read_input_tokens
        self.assertEqual(counted, read)
        parsed = self.messages.count_tokens(**asked, output_format=Place)
        self.assertEqual(parsed.input_tokens, counted)

    def test_models(self):
        self.assertIn("plain", [model.id for model in self.client.models.list()])

    def test_errors(self):
        with self.assertRaises(anthropic.BadRequestError) as refused:
            self.messages.create(**MESSAGE | {"max_tokens": 0})
        self.assertEqual(refused.exception.body["error"]["type"], "invalid_request_error")
        with self.assertRaises(anthropic.NotFoundError):
            self.messages.create(**MESSAGE | {"model": "x"})
        with self.assertRaises(anthropic.AuthenticationError):
            self.client.with_options(api_key="no key").messages.create(**MESSAGE)

    def test_time_is_out(self):
        with self.assertRaises(anthropic.APITimeoutError):
            self.client.with_options(timeout=0.02).messages.create(**MESSAGE | LONG)
        self.assertTrue(self.messages.create(**MESSAGE).content)

    def test_a_stream_is_left(self):
        with self.messages.stream(**MESSAGE | LONG) as stream:
            self.assertTrue(next(iter(stream.text_stream)))
        self.assertTrue(self.messages.create(**MESSAGE).content)


if __name__ == "__main__":
    unittest.main(argv=["python_test.py"])
