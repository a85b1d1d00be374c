// Answers taken apart: see rondo.d.ts for what each does.
import {flag, only, typeOf} from './arguments.js';
import {Handle} from './handle.js';
import {ChatPartKind} from './layout.js';

export class ChatParser extends Handle {
  #call;  // that is being written

  constructor(model, handle) {
    super(model.rondo, handle, (parser) => {
      model.rondo.c.rondo_chat_parser_close(parser);
      model.release();
    });
    model.keep();
  }

  push(bytes, options) {
    const last = flag(only(options, ['last']).last, 'last', false);
    if (!ArrayBuffer.isView(bytes) || bytes.BYTES_PER_ELEMENT !== 1) {
      throw new TypeError(`bytes is a Uint8Array, not ${typeOf(bytes)}`);
    }
    this.rondo.memory.with((scope) => this.rondo.check(this.rondo.c.rondo_chat_parser_push(
        this.handle, scope.copy(bytes), bytes.length, Number(last))));
  }

  // What an event of the answer brings; what ended it is none of it.
  pushEvent({bytes, reason}) {
    const ended = reason === 'EOS' || reason === 'STOP_STRING';
    this.push(ended ? new Uint8Array() : bytes, {last: reason !== 'NONE'});
  }

  * parts() {
    for (let part; (part = this.#part());) yield part;
  }

  #part() {
    const {memory, c} = this.rondo;
    return memory.with((scope) => {
      const at = scope.struct('rondo_chat_part');
      this.rondo.check(c.rondo_chat_parser_next(this.handle, at));
      const field = (name) => memory.get('rondo_chat_part', at, name);
      const text = (name) => memory.text(field(name), field(`${name}_bytes`));
      const kind = field('kind');
      const call = field('call');
      switch (kind) {
        case ChatPartKind.NONE:
          return null;
        case ChatPartKind.CALL:
          this.#call = {call, name: text('name'), id: text('id'), arguments: ''};
          return {kind, call, name: this.#call.name, id: this.#call.id};
        case ChatPartKind.ARGUMENTS:
          this.#call.arguments += text('text');
          return {kind, call, text: text('text')};
        case ChatPartKind.CALL_END:
          return {kind, ...this.#call};
        default:
          return {kind, text: text('text')};
      }
    });
  }

  reset() {
    this.rondo.check(this.rondo.c.rondo_chat_parser_reset(this.handle));
  }
}
