// How fast an answer came, by this page's clock, and what of it was known before.

const number = (value) => value.toLocaleString('en', {maximumFractionDigits: value < 10 ? 1 : 0});

function duration(milliseconds) {
  return milliseconds < 1000 ? `${number(milliseconds)}\u00a0ms` : `${number(milliseconds / 1000)}\u00a0s`;
}

export class Pace {
  begin = performance.now();
  first = null;
  last = null;
  pieces = 0;
  usage = null;

  /** A piece of the answer came. */
  tick() {
    this.last = performance.now();
    this.first ??= this.last;
    ++this.pieces;
  }

  /** A sentence. A stopped answer has no usage: its pieces are counted, most of which are a token. */
  get sentence() {
    if (this.first === null) return '';
    const tokens = this.usage?.completion_tokens ?? this.pieces;
    const parts = [`${this.usage ? '' : 'about '}${number(tokens)} ${tokens === 1 ? 'token' : 'tokens'}`];
    const seconds = (this.last - this.first) / 1000;
    if (tokens > 1 && seconds > 0) parts.push(`${number((tokens - 1) / seconds)} tokens/s`);
    parts.push(`first after ${duration(this.first - this.begin)}`);
    if (this.usage) {
      const cached = this.usage.prompt_tokens_details?.cached_tokens ?? 0;
      parts.push(`prompt of ${number(this.usage.prompt_tokens)} tokens, ${number(cached)} of them cached`);
    }
    return `Last answer: ${parts.join(' · ')}`;
  }
}
