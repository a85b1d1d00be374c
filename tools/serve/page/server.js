// What the page asks of the server. Paths are relative, so that a proxy may put all of it in a folder.
import {eventsOf} from './events.js';

const KEY = 'rondo.key';  // gone with the tab

/** What the server says of what it did not do; `status` as in HTTP. */
export class Refusal extends Error {
  constructor(sentence, status) {
    super(sentence);
    this.status = status;
  }
}

export function useKey(key) {
  sessionStorage.setItem(KEY, key);
}

async function refusalOf(response) {
  let sentence = `The server answered ${response.status} ${response.statusText}.`;
  try {
    sentence = (await response.json()).error.message;
  } catch {
    // Not this server's own words, a proxy's perhaps.
  }
  return new Refusal(sentence, response.status);
}

async function ask(path, options = {}) {
  const headers = {...options.headers};
  const key = sessionStorage.getItem(KEY);
  if (key) headers.Authorization = `Bearer ${key}`;
  let response;
  try {
    response = await fetch(path, {...options, headers});
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Error('The server does not answer.', {cause: error});
  }
  if (!response.ok) throw await refusalOf(response);
  return response;
}

/** The models that chat, as /v1/models tells of them. */
export async function chatModels() {
  const {data} = await (await ask('v1/models')).json();
  return data.filter((model) => model.task === 'generate' && model.has_chat);
}

/** The pieces of an answer: {thought}, {text}, {finish} and, at the end, {usage}. */
export async function* chat(request, signal) {
  const response = await ask('v1/chat/completions', {
    method: 'POST',
    headers: {'Content-Type': 'application/json'},
    body: JSON.stringify({...request, stream: true, stream_options: {include_usage: true}}),
    signal,
  });
  for await (const event of eventsOf(response)) {
    if (event.error) throw new Refusal(event.error.message, 500);
    if (event.usage) yield {usage: event.usage};
    for (const {delta, finish_reason: finish} of event.choices) {
      if (delta.reasoning_content) yield {thought: delta.reasoning_content};
      if (delta.content) yield {text: delta.content};
      if (finish) yield {finish};
    }
  }
}
