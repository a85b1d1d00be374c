// Vercel's `ai` by its providers for OpenAI and for those like it, unmodified, against `rondo serve`.
import assert from "node:assert/strict";
import test from "node:test";

import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { embedMany, generateObject, generateText, isStepCount, Output, streamText, tool } from "ai";
import { z } from "zod";

const made = { baseURL: `${process.env.RONDO_URL}/v1`, apiKey: "none" };
const openai = createOpenAI(made);
const like = createOpenAICompatible({
  ...made,
  name: "rondo",
  includeUsage: true,
  supportsStructuredOutputs: true,
});
const asked = { prompt: "Tell a story.", temperature: 0, maxOutputTokens: 40, maxRetries: 0 };
const oneCall = {
  providerOptions: { openai: { parallelToolCalls: false }, rondo: { parallel_tool_calls: false } },
};
const place = z.object({ city: z.enum(["Paris", "Rome"]) });

for (const [name, model] of [
  ["like OpenAI's", like.chatModel("plain")],
  ["chat completions", openai.chat("plain")],
  ["responses", openai.responses("plain")],
]) {
  test(`${name}: a text, whole and streamed`, async () => {
    const whole = await generateText({ ...asked, model });
    assert.ok(whole.text.length > 0);
    assert.equal(whole.finishReason, "length");
    assert.equal(whole.usage.outputTokens, 40);
    const stream = streamText({ ...asked, model });
    let text = "";
    for await (const piece of stream.textStream) text += piece;
    assert.equal(text, whole.text);
    assert.equal(await stream.finishReason, "length");
    assert.equal((await stream.usage).outputTokens, 40);
  });

  for (const answer of [generateText, streamText]) {
    test(`${name}: ${answer.name} runs a tool and tells its result`, async () => {
      const cities = [];
      const weather = tool({
        description: "Tells the weather.",
        inputSchema: place,
        execute: ({ city }) => {
          cities.push(city);
          return `Sun in ${city}.`;
        },
      });
      const answered = await answer({
        ...asked,
        ...oneCall,
        model,
        maxOutputTokens: 200,
        tools: { weather },
        stopWhen: isStepCount(2),
        prepareStep: ({ stepNumber }) => ({ toolChoice: stepNumber === 0 ? "required" : "none" }),
      });
      const steps = await answered.steps;
      assert.ok(cities.length > 0 && cities.every((city) => place.safeParse({ city }).success));
      assert.equal(steps[0].finishReason, "tool-calls");
      assert.deepEqual(steps[0].toolResults.map((result) => result.output), cities.map((city) => `Sun in ${city}.`));
      assert.equal(steps.length, 2);
      assert.ok(steps[1].text.length > 0);
    });
  }

  test(`${name}: an object`, async () => {
    const { object } = await generateObject({ ...asked, model, schema: place });
    assert.ok(place.safeParse(object).success);
    const stream = streamText({ ...asked, model, output: Output.object({ schema: place }) });
    assert.ok(place.safeParse(await stream.output).success);
  });

  test(`${name}: a stream that is left`, async () => {
    const left = new AbortController();
    const stream = streamText({ ...asked, model, maxOutputTokens: 1500, abortSignal: left.signal });
    const parts = [];
    for await (const part of stream.fullStream) {
      parts.push(part.type);
      if (part.type === "text-delta") left.abort();
    }
    assert.equal(parts.at(-1), "abort");
  });

  test(`${name}: an error`, async () => {
    const refused = generateText({ ...asked, model, temperature: 9 });
    await assert.rejects(refused, (error) => error.statusCode === 400 && /temperature/.test(error.message));
  });
}

test("an object after a tool", async () => {
  const body = JSON.stringify({ model: "plain", content: "{" });
  const headers = { "Content-Type": "application/json" };
  const reply = await fetch(`${process.env.RONDO_URL}/tokenize`, { method: "POST", headers, body });
  const likely = (await reply.json()).tokens.at(-1); // left to itself the model would call once more
  const answered = await generateText({
    ...asked,
    model: like.chatModel("plain"),
    maxOutputTokens: 200,
    providerOptions: { rondo: { parallel_tool_calls: false, logit_bias: { [likely]: 100 } } },
    tools: { weather: tool({ inputSchema: place, execute: () => "Sun." }) },
    output: Output.object({ schema: place }),
    stopWhen: isStepCount(2),
    prepareStep: ({ stepNumber }) => ({ toolChoice: stepNumber === 0 ? "required" : "auto" }),
  });
  assert.equal(answered.steps[0].toolResults[0].output, "Sun.");
  assert.ok(place.safeParse(answered.output).success);
});

test("thoughts are told apart from an object", async () => {
  const model = like.chatModel("chat");
  const output = Output.object({ schema: place });
  const brief = { providerOptions: { rondo: { thinking_budget: 8 } } };
  const answer = await generateText({ ...asked, ...brief, model, output, maxOutputTokens: 100 });
  assert.ok(answer.reasoningText.length > 0);
  assert.ok(place.safeParse(answer.output).success);
});

for (const [name, model] of [
  ["like OpenAI's", like.completionModel("plain")],
  ["OpenAI's", openai.completion("plain")],
]) {
  test(`${name}: a completion, whole and streamed`, async () => {
    const whole = await generateText({ ...asked, model });
    const stream = streamText({ ...asked, model });
    assert.ok(whole.text.length > 0);
    assert.equal(await stream.text, whole.text);
  });
}

for (const [name, model] of [
  ["like OpenAI's", like.embeddingModel("embedder")],
  ["OpenAI's", openai.embedding("embedder")],
]) {
  test(`${name}: embeddings`, async () => {
    const { embeddings, usage } = await embedMany({ model, values: ["rain", "sun"] });
    assert.equal(embeddings.length, 2);
    assert.equal(embeddings[0].length, embeddings[1].length);
    assert.ok(usage.tokens > 0);
  });
}
