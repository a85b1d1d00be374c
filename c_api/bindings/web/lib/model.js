// Models: see rondo.d.ts for what each does.
import {Adapter} from './adapter.js';
import {flag, object, only, text as checkedText, typeOf, whole} from './arguments.js';
import {chatOptions, outputs} from './chat.js';
import {Engine} from './engine.js';
import {createGrammar, written} from './grammar.js';
import {Shared} from './handle.js';
import * as layout from './layout.js';
import {ChatParser} from './parser.js';

const {BUFFER_TOO_SMALL} = layout.numbers.Status;

// [name of index 0, of index 1, ...] up to the first that is not there.
function names(rondo, call) {
  const result = [];
  for (;;) {
    try {
      result.push(rondo.textOutput((...out) => call(result.length, ...out)));
    } catch (error) {
      if (error.status === 'INVALID_ARGUMENT') return result;
      throw error;
    }
  }
}

export class Model extends Shared {
  constructor(rondo, handle, bytes) {
    super(rondo, handle, () => {
      rondo.c.rondo_model_close(handle);
      for (const at of bytes) rondo.memory.free(at);
    });
  }

  get info() {
    return this.rondo.record('rondo_model_facts',
        (at) => this.rondo.c.rondo_model_info(this.handle, at));
  }

  get eosTokens() {
    return Array.from({length: this.info.nEosTokens}, (_, index) => this.rondo.memory.with((scope) => {
      const token = scope.room(4);
      this.rondo.check(this.rondo.c.rondo_model_eos_token(this.handle, index, token));
      return this.rondo.memory.view.getInt32(token, true);
    }));
  }

  get facts() {
    const {rondo} = this;
    const keys = ['name', 'architecture', 'producer',
      ...names(rondo, (...args) => rondo.c.rondo_model_fact_key(this.handle, ...args))];
    return Object.fromEntries(keys.map((key) => [key, rondo.memory.with((scope) => {
      const name = scope.text(key);
      return rondo.textOutput((...out) => rondo.c.rondo_model_fact(this.handle, name, ...out));
    })]));
  }

  tokenize(text, options) {
    return this.tokensOf(this.handle, text, flag(only(options, ['addSpecial']).addSpecial, 'addSpecial', true));
  }

  // Sessions read texts by it, also where it was closed.
  tokensOf(handle, text, addSpecial) {
    const {memory, c} = this.rondo;
    return memory.with((scope) => {
      const bytes = memory.encode(checkedText(text, 'text'));
      const at = scope.copy(bytes);
      const flags = addSpecial ? layout.TokenizeFlags.ADD_SPECIAL : 0;
      const count = scope.room(4);
      for (let capacity = (bytes.length >> 1) + 16;;) {
        const ids = scope.room(capacity * 4);
        const status = c.rondo_tokenize(handle, at, bytes.length, flags, ids, capacity, count);
        const needed = memory.view.getUint32(count, true);
        if (status !== BUFFER_TOO_SMALL) {
          this.rondo.check(status);
          return memory.ids(ids, needed);
        }
        capacity = needed;
      }
    });
  }

  detokenize(ids, options) {
    const flags = flag(only(options, ['skipSpecial']).skipSpecial, 'skipSpecial', false) ? layout.DetokenizeFlags.SKIP_SPECIAL : 0;
    return this.rondo.memory.with((scope) => {
      const {at, count} = scope.ids(ids);
      return this.rondo.textOutput(
          (...out) => this.rondo.c.rondo_detokenize(this.handle, at, count, flags, ...out));
    });
  }

  get chatTemplates() {
    const {rondo} = this;
    return Object.fromEntries(
        names(rondo, (...args) => rondo.c.rondo_model_chat_template_name(this.handle, ...args))
            .map((name) => [name, rondo.memory.with((scope) => {
              const at = scope.text(name);
              return rondo.textOutput(
                  (...out) => rondo.c.rondo_model_chat_template(this.handle, at, ...out));
            })]));
  }

  renderChat(messages, options) {
    return this.#chatTexts(1, messages, options, (c, chat, text, ...message) =>
      c.rondo_chat_render(this.handle, chat, ...text, 0, 0, 0, ...message))[0];
  }

  chatIds(messages, options) {
    return this.chatIdsOf(this.handle, messages, options);
  }

  chatIdsOf(handle, messages, options) {
    const {memory, c} = this.rondo;
    return memory.with((scope) => {
      const chat = chatOptions(scope, this.rondo, messages, options);
      const [[at, count]] = outputs(scope, this.rondo, 1, (ids, ...message) =>
        c.rondo_chat_render(handle, chat, 0, 0, 0, ...ids, ...message));
      return memory.ids(at, count);
    });
  }

  chatGrammar(messages, options) {
    const {calls = 'AUTO', function: called, ...chatOptions} = object(options);
    if (!Object.hasOwn(layout.numbers.Calls, calls)) {
      throw new TypeError(`calls is one of Calls: AUTO, REQUIRED, ONE, not ${typeOf(calls)}`);
    }
    return this.rondo.memory.with((scope) => {
      const name = called === undefined ? 0 : scope.text(called, 'function');
      return this.#chatTexts(1, messages, chatOptions, (c, chat, text, ...message) => c.rondo_chat_grammar(
          this.handle, chat, layout.numbers.Calls[calls], name, ...text, ...message))[0];
    });
  }

  chatThinking(messages, options) {
    const [begin, end] = this.#chatTexts(2, messages, options, (c, chat, texts, ...message) =>
      c.rondo_chat_thinking(this.handle, chat, ...texts, ...message));
    return {begin, end};
  }

  chatParser(messages, options) {
    return this.chatParserOf(this.handle, messages, options);
  }

  chatParserOf(handle, messages, options) {
    const {memory, c} = this.rondo;
    return memory.with((scope) => {
      const chat = chatOptions(scope, this.rondo, messages, options);
      const out = scope.room(4);
      this.rondo.checkMessage(scope, (...message) =>
        c.rondo_chat_parser_create(handle, chat, out, ...message));
      return new ChatParser(this, memory.view.getUint32(out, true));
    });
  }

  // What call(c, options, outputs, ...message) gives.
  #chatTexts(n, messages, options, call) {
    const {memory, c} = this.rondo;
    return memory.with((scope) => {
      const chat = chatOptions(scope, this.rondo, messages, options);
      return outputs(scope, this.rondo, n, (texts, ...message) => call(c, chat, texts, ...message))
          .map(([at, count]) => memory.text(at, count));
    });
  }

  get embedder() {
    return this.rondo.record('rondo_embedder_facts',
        (at) => this.rondo.c.rondo_model_embedder(this.handle, at));
  }

  get prompts() {
    return names(this.rondo, (...args) => this.rondo.c.rondo_model_prompt_name(this.handle, ...args));
  }

  embeddingText(text, options) {
    return this.embeddingTextOf(this.handle, text, options);
  }

  embeddingTextOf(handle, text, options) {
    const {prompt} = only(options, ['prompt']);
    return this.rondo.memory.with((scope) => {
      const name = prompt === undefined ? 0 : scope.text(prompt, 'prompt');
      const said = scope.encoded(text);
      return this.rondo.textOutput(
          (...out) => this.rondo.c.rondo_embedding_text(handle, name, ...said, ...out));
    });
  }

  pairText(query, document, options) {
    return this.pairTextOf(this.handle, query, document, options);
  }

  pairTextOf(handle, query, document, options) {
    const {instruction} = only(options, ['instruction']);
    return this.rondo.memory.with((scope) => {
      const what = instruction === undefined ? 0 : scope.text(instruction, 'instruction');
      const pair = [...scope.encoded(query, 'query'), ...scope.encoded(document, 'document')];
      return this.rondo.textOutput(
          (...out) => this.rondo.c.rondo_pair_text(handle, what, ...pair, ...out));
    });
  }

  async adapter(bytes, count = bytes?.byteLength) {
    const {memory, c} = this.rondo;
    const at = await this.rondo.take(bytes, count);
    try {
      return memory.with((scope) => {
        const out = scope.room(4);
        this.rondo.checkMessage(scope, (...message) =>
          c.rondo_adapter_open_memory(this.handle, at, count, out, ...message));
        return new Adapter(this, memory.view.getUint32(out, true), at);
      });
    } catch (error) {
      memory.free(at);
      throw error;
    }
  }

  grammar(description) {
    return createGrammar(this, this.handle, description);
  }

  imagePlan(width, height, options) {
    const {rondo} = this;
    whole(width, 'width', 2 ** 32 - 1);
    whole(height, 'height', 2 ** 32 - 1);
    return rondo.memory.with((scope) => {
      const at = rondo.options(scope, 'rondo_image_options', options);
      return rondo.record('rondo_image_facts', (facts, ...message) =>
        rondo.c.rondo_image_plan(this.handle, width, height, at, facts, ...message));
    });
  }

  planGrammar(description) {
    const {memory, c} = this.rondo;
    return memory.with((scope) => {
      const {options, text} = written(scope, this.rondo, description);
      const bytes = scope.room(8);
      this.rondo.checkMessage(scope, (...message) =>
        c.rondo_grammar_plan(this.handle, options, text.length, bytes, ...message));
      return Number(memory.view.getBigUint64(bytes, true));
    });
  }

  plan(options = {}) {
    const {rondo} = this;
    return rondo.memory.with((scope) => {
      const at = rondo.options(scope, 'rondo_engine_options', options);
      return rondo.record('rondo_memory_plan',
          (plan, ...message) => rondo.c.rondo_plan(this.handle, at, plan, ...message));
    });
  }

  planRegions(options = {}) {
    const {rondo} = this;
    return rondo.memory.with((scope) => {
      const at = rondo.options(scope, 'rondo_engine_options', options);
      return Array.from({length: this.plan(options).nRegions}, (_, index) =>
        rondo.record('rondo_memory_region',
            (region) => rondo.c.rondo_plan_region(this.handle, at, index, region)));
    });
  }

  planFit(bytes, options) {
    const {rondo} = this;
    whole(bytes, 'bytes');
    return rondo.memory.with((scope) => {
      const at = rondo.options(scope, 'rondo_engine_options', options);
      const context = scope.room(4);
      rondo.checkMessage(scope, (...message) =>
        rondo.c.rondo_plan_fit(this.handle, at, BigInt(bytes), context, ...message));
      return rondo.memory.view.getUint32(context, true);
    });
  }

  engine(given) {
    const {draft, ...options} = object(given);
    const {rondo} = this;
    if (draft !== undefined && !(draft instanceof Model)) {
      throw new TypeError(`draft is a Model, not ${typeOf(draft)}`);
    }
    const {dimensions} = this.embedder;
    const {hiddenSize} = this.info;
    const handle = rondo.memory.with((scope) => {
      const at = rondo.options(scope, 'rondo_engine_options', options);
      if (draft) rondo.memory.set('rondo_engine_options', at, 'draft', draft.handle);
      const out = scope.room(4);
      rondo.checkMessage(scope, (...message) =>
        rondo.c.rondo_engine_create(this.handle, at, 0, 0, out, ...message));
      return rondo.memory.view.getUint32(out, true);
    });
    return new Engine(this, handle, draft ? [this, draft] : [this], dimensions, hiddenSize);
  }
}
