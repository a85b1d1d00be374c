// The official clients, unmodified, against `rondo serve`.
//   node --test official_test.mjs    RONDO_URL: where it listens, with the models chat and embedder
import assert from "node:assert/strict";
import test from "node:test";

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

const url = process.env.RONDO_URL;
const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", maxRetries: 0 });
const anthropic = new Anthropic({ baseURL: url, apiKey: "none", maxRetries: 0 });

const parameters = {
  type: "object",
  properties: { city: { type: "string", enum: ["Paris", "Rome"] } },
  required: ["city"],
  additionalProperties: false,
};
const messages = [{ role: "user", content: "Tell a story." }];
const asked = { model: "chat", messages, seed: 3, temperature: 1, max_completion_tokens: 40 };

test("a chat, whole and streamed", async () => {
  const whole = await openai.chat.completions.create(asked);
  const text = whole.choices[0].message.content;
  assert.ok(text.length > 0);
  assert.equal(whole.choices[0].finish_reason, "length");
  assert.equal(whole.usage.completion_tokens, 40);
  let streamed = "";
  let usage = null;
  const options = { stream: true, stream_options: { include_usage: true } };
  for await (const chunk of await openai.chat.completions.create({ ...asked, ...options })) {
    streamed += chunk.choices[0]?.delta?.content ?? "";
    usage = chunk.usage ?? usage;
  }
  assert.equal(streamed, text);
  assert.equal(usage.completion_tokens, 40);
  const helper = openai.chat.completions.stream(asked);
  assert.equal((await helper.finalChatCompletion()).choices[0].message.content, text);
});

test("choices and log-probabilities", async () => {
  const reply = await openai.chat.completions.create({ ...asked, n: 2, logprobs: true, top_logprobs: 3 });
  assert.equal(reply.choices.length, 2);
  for (const choice of reply.choices) {
    assert.equal(choice.logprobs.content.length, 40);
    assert.equal(choice.logprobs.content[0].top_logprobs.length, 3);
  }
});

test("a stream that is left", async () => {
  const stream = await openai.chat.completions.create({ ...asked, stream: true });
  for await (const chunk of stream) {
    assert.ok(chunk.id);
    break;
  }
  const { data } = await openai.models.list();
  assert.ok(data.some((model) => model.id === "chat"));
  assert.equal((await openai.models.retrieve("chat")).id, "chat");
});

test("functions are run by runTools", async () => {
  const cities = [];
  const runner = openai.chat.completions.runTools(
    {
      ...asked,
      max_completion_tokens: 200,
      parallel_tool_calls: false,
      tool_choice: { type: "function", function: { name: "weather" } },
      tools: [
        {
          type: "function",
          function: {
            name: "weather",
            description: "Tells the weather.",
            parameters,
            parse: JSON.parse,
            function: ({ city }) => {
              cities.push(city);
              return `Sun in ${city}.`;
            },
          },
        },
      ],
    },
    { maxChatCompletions: 2 },
  );
  await runner.done().catch(() => {}); // its last answer may be another call, which is not made
  assert.ok(cities.length > 0);
  assert.ok(cities.every((city) => ["Paris", "Rome"].includes(city)));
});

test("a parsed form", async () => {
  const reply = await openai.chat.completions.parse({
    ...asked,
    thinking_budget: 1,
    max_completion_tokens: 100,
    response_format: { type: "json_schema", json_schema: { name: "w", strict: true, schema: parameters } },
  });
  assert.ok(["Paris", "Rome"].includes(JSON.parse(reply.choices[0].message.content).city));
});

test("completions", async () => {
  const body = { model: "chat", prompt: "Once upon a time", seed: 1, max_tokens: 20, temperature: 1 };
  const whole = await openai.completions.create(body);
  let text = "";
  for await (const chunk of await openai.completions.create({ ...body, stream: true })) {
    text += chunk.choices[0]?.text ?? "";
  }
  assert.equal(text, whole.choices[0].text);
});

test("responses, whole and streamed", async () => {
  const body = { model: "chat", input: "Tell a story.", temperature: 1, max_output_tokens: 30 };
  const whole = await openai.responses.create({ ...body, seed: 3 });
  assert.ok(whole.output_text.length > 0);
  const stream = openai.responses.stream({ ...body, seed: 3 });
  let text = "";
  stream.on("response.output_text.delta", (event) => (text += event.delta));
  const last = await stream.finalResponse();
  assert.equal(text, whole.output_text);
  assert.equal(last.output_text, whole.output_text);
  const tools = [{ type: "function", name: "weather", parameters, strict: true }];
  const calls = await openai.responses.create({
    ...body,
    tools,
    tool_choice: "required",
    parallel_tool_calls: false,
    max_output_tokens: 200,
  });
  const call = calls.output.find((item) => item.type === "function_call");
  assert.ok(["Paris", "Rome"].includes(JSON.parse(call.arguments).city));
  await openai.responses.create({
    ...body,
    tools,
    input: [
      { role: "user", content: "Rain?" },
      call,
      { type: "function_call_output", call_id: call.call_id, output: "Sun." },
    ],
  });
});

test("embeddings, which this client asks for in base64", async () => {
  const reply = await openai.embeddings.create({ model: "embedder", input: ["rain", "sun"] });
  assert.equal(reply.data.length, 2);
  const plain = await openai.embeddings.create({ model: "embedder", input: "rain", encoding_format: "float" });
  const [a, b] = [reply.data[0].embedding, plain.data[0].embedding];
  assert.equal(a.length, b.length);
  assert.ok(a.every((value, i) => Math.abs(value - b[i]) < 1e-6));
});

test("errors are those that clients know", async () => {
  await assert.rejects(openai.chat.completions.create({ ...asked, model: "x" }), OpenAI.NotFoundError);
  await assert.rejects(
    openai.chat.completions.create({ ...asked, temperature: 9 }),
    (error) => error instanceof OpenAI.BadRequestError && error.param === "/temperature",
  );
  await assert.rejects(
    anthropic.messages.create({ model: "x", max_tokens: 4, messages }),
    Anthropic.NotFoundError,
  );
  await assert.rejects(
    anthropic.messages.create({ model: "chat", max_tokens: 0, messages }),
    (error) => error instanceof Anthropic.BadRequestError && error.error.type === "error",
  );
});

test("messages, whole and streamed", async () => {
  const body = { model: "chat", max_tokens: 30, messages, system: "Be kind.", temperature: 0 };
  const whole = await anthropic.messages.create(body);
  assert.equal(whole.role, "assistant");
  assert.ok(whole.usage.output_tokens > 0);
  const stream = anthropic.messages.stream(body);
  let text = "";
  stream.on("text", (piece) => (text += piece));
  const last = await stream.finalMessage();
  assert.deepEqual(last.content, whole.content);
  assert.equal(last.stop_reason, whole.stop_reason);
  assert.equal(text, whole.content.filter((block) => block.type === "text").map((block) => block.text).join(""));
});

test("messages that use tools", async () => {
  const tools = [{ name: "weather", description: "Tells.", input_schema: parameters }];
  const body = { model: "chat", max_tokens: 200, messages, tools };
  const stream = anthropic.messages.stream({
    ...body,
    tool_choice: { type: "any", disable_parallel_tool_use: true },
  });
  const message = await stream.finalMessage();
  const use = message.content.find((block) => block.type === "tool_use");
  assert.equal(message.stop_reason, "tool_use");
  assert.ok(["Paris", "Rome"].includes(use.input.city));
  const next = [
    ...messages,
    { role: "assistant", content: message.content },
    { role: "user", content: [{ type: "tool_result", tool_use_id: use.id, content: "Sun." }] },
  ];
  await anthropic.messages.create({ ...body, messages: next, max_tokens: 4 });
  const count = await anthropic.messages.countTokens({ model: "chat", messages: next, tools });
  assert.ok(count.input_tokens > 20);
});
