// LangChain's clients, unmodified, against `rondo serve`.
import assert from "node:assert/strict";
import test from "node:test";

import { HumanMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { ChatOpenAI, OpenAI, OpenAIEmbeddings } from "@langchain/openai";
import { z } from "zod";

const made = {
  apiKey: "none",
  configuration: { baseURL: `${process.env.RONDO_URL}/v1` },
  maxRetries: 0,
  maxTokens: 200,
  model: "plain",
  temperature: 0,
};
const place = z.object({ city: z.enum(["Paris", "Rome"]) });
const weather = tool(({ city }) => `Sun in ${city}.`, {
  name: "weather",
  description: "Tells the weather.",
  schema: place,
});

for (const [name, model] of [
  ["chat completions", new ChatOpenAI(made)],
  ["responses", new ChatOpenAI({ ...made, useResponsesApi: true })],
]) {
  test(`${name}: a text, whole and streamed`, async () => {
    const whole = await model.invoke("Tell a story.");
    assert.ok(whole.text.length > 0);
    assert.ok(whole.usage_metadata.output_tokens > 0);
    let streamed;
    for await (const piece of await model.stream("Tell a story.")) streamed = streamed?.concat(piece) ?? piece;
    assert.equal(streamed.text, whole.text);
    assert.equal(streamed.usage_metadata.output_tokens, whole.usage_metadata.output_tokens);
  });

  test(`${name}: a tool is run and its result told`, async () => {
    const calling = model.bindTools([weather], { tool_choice: "weather", parallel_tool_calls: false });
    const said = [new HumanMessage("Rain?")];
    const called = await calling.invoke(said);
    assert.equal(called.tool_calls.length, 1);
    const result = await weather.invoke(called.tool_calls[0]);
    assert.match(result.content, /^Sun in (Paris|Rome)\.$/);
    const last = await model.bindTools([weather], { tool_choice: "none" }).invoke([...said, called, result]);
    assert.equal(last.tool_calls.length, 0);
    let streamed;
    for await (const piece of await calling.stream(said)) streamed = streamed?.concat(piece) ?? piece;
    assert.deepEqual(streamed.tool_calls[0].args, called.tool_calls[0].args);
  });

  for (const method of ["jsonSchema", "functionCalling"]) {
    test(`${name}: an object by ${method}`, async () => {
      const answer = await model.withStructuredOutput(place, { method, name: "place" }).invoke("Where?");
      assert.ok(place.safeParse(answer).success);
    });
  }

  test(`${name}: a stream that is left`, async () => {
    const left = new AbortController();
    const pieces = await model.stream("Tell a story.", { signal: left.signal });
    await assert.rejects(async () => {
      for await (const piece of pieces) if (piece.text) left.abort();
    }, /abort/i);
  });

  test(`${name}: an error`, async () => {
    const refused = new ChatOpenAI({ ...made, model: "x", useResponsesApi: name === "responses" });
    await assert.rejects(refused.invoke("Rain?"), (error) => error.status === 404);
  });
}

test("completions, whole and streamed", async () => {
  const model = new OpenAI(made);
  const whole = await model.invoke("Once upon a time");
  let streamed = "";
  for await (const piece of await model.stream("Once upon a time")) streamed += piece;
  assert.ok(whole.length > 0);
  assert.equal(streamed, whole);
});

test("embeddings", async () => {
  const model = new OpenAIEmbeddings({ ...made, model: "embedder" });
  const vectors = await model.embedDocuments(["rain", "sun"]);
  assert.deepEqual(vectors[0], await model.embedQuery("rain"));
  assert.equal(vectors[0].length, vectors[1].length);
});
