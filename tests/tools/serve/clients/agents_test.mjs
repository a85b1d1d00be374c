// OpenAI's agents, unmodified, against `rondo serve`.
import assert from "node:assert/strict";
import test from "node:test";

import {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run,
  setTracingDisabled,
  tool,
} from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";

setTracingDisabled(true); // traces would go to OpenAI
const client = new OpenAI({ baseURL: `${process.env.RONDO_URL}/v1`, apiKey: "none", maxRetries: 0 });
const place = z.object({ city: z.enum(["Paris", "Rome"]) });
const modelSettings = { temperature: 0, maxTokens: 1500, parallelToolCalls: false };

for (const [name, model] of [
  ["chat completions", new OpenAIChatCompletionsModel(client, "plain")],
  ["responses", new OpenAIResponsesModel(client, "plain")],
]) {
  const made = { name: "Teller", instructions: "Be kind.", model, modelSettings };

  test(`${name}: a text, whole and streamed`, async () => {
    const agent = new Agent(made);
    const whole = await run(agent, "Tell a story.");
    assert.ok(whole.finalOutput.length > 0);
    const stream = await run(agent, "Tell a story.", { stream: true });
    let text = "";
    for await (const piece of stream.toTextStream()) text += piece;
    await stream.completed;
    assert.equal(text, whole.finalOutput);
    const next = [...whole.history, { role: "user", content: "Go on." }];
    assert.ok((await run(agent, next)).finalOutput.length > 0);
  });

  for (const stream of [false, true]) {
    test(`${name}: a tool is run and its result told${stream ? ", streamed" : ""}`, async () => {
      const cities = [];
      const weather = tool({
        name: "weather",
        description: "Tells the weather.",
        parameters: place,
        execute: ({ city }) => {
          cities.push(city);
          return `Sun in ${city}.`;
        },
      });
      const once = { ...modelSettings, toolChoice: "required" }; // an agent asks so the first time alone
      const agent = new Agent({ ...made, tools: [weather], modelSettings: once });
      const done = await run(agent, "Rain?", { stream });
      if (stream) await done.completed;
      assert.ok(cities.length > 0);
      const results = done.newItems.filter((item) => item.type === "tool_call_output_item");
      assert.deepEqual(results.map((item) => item.output), cities.map((city) => `Sun in ${city}.`));
      assert.ok(done.finalOutput.length > 0);
    });
  }

  test(`${name}: an object`, async () => {
    const agent = new Agent({ ...made, outputType: place });
    assert.ok(place.safeParse((await run(agent, "Where?")).finalOutput).success);
  });

  test(`${name}: a stream that is left`, async () => {
    const left = new AbortController();
    const stream = await run(new Agent(made), "Tell a story.", { stream: true, signal: left.signal });
    let pieces = 0;
    for await (const piece of stream.toTextStream()) {
      pieces += piece.length > 0;
      left.abort();
    }
    await stream.completed.catch(() => {});
    assert.equal(pieces, 1);
    assert.ok(stream.cancelled);
  });

  test(`${name}: an error`, async () => {
    const agent = new Agent({ ...made, modelSettings: { ...modelSettings, temperature: 9 } });
    await assert.rejects(run(agent, "Rain?"), (error) => error.status === 400 && error.param === "/temperature");
  });
}
