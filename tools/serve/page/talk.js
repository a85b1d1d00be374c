// The conversation: asks, shows the answer as it comes, stops it, asks again.
import {copy} from './clipboard.js';
import {messagesOf, newAnswer} from './conversation.js';
import {Pace} from './pace.js';
import {chat} from './server.js';
import {TurnView} from './turn.js';

const NEAR = 48;  // pixels from the end within which the view goes on with the text
const NOTES = {
  length: 'The answer ended at its limit of tokens.',
  stopped: 'Stopped.',
};

export class Talk {
  /** @param log the element of the turns
   * @param wishes what is asked for: model, system, and request, the settings' part of it
   * @param hooks what the page does: running(is), edit(question), said(text), pace(sentence),
   *     failed(error) */
  constructor(log, wishes, hooks) {
    Object.assign(this, {log, wishes, hooks, turns: [], view: null, running: null, follows: true});
    this.nothing = log.firstElementChild;
    log.addEventListener('scroll', () => {
      this.follows = log.scrollHeight - log.scrollTop - log.clientHeight < NEAR;
    });
    log.addEventListener('load', () => this.follow(), true);  // of pictures
    new ResizeObserver(() => this.follow()).observe(log);
  }

  follow() {
    if (this.follows) this.log.scrollTop = this.log.scrollHeight;
  }

  ask(question) {
    this.turns.push({question, answer: null});
    return this.answerLast();
  }

  /** The last question once more, or another in its place. */
  askAgain(question = this.turns.at(-1).question) {
    this.turns.pop();
    this.view.element.remove();
    return this.ask(question);
  }

  stop() {
    this.running?.abort();
  }

  clear() {
    this.stop();
    this.turns = [];
    this.view = null;
    this.running = null;
    this.setRunning(false);
    this.log.replaceChildren(this.nothing);
    this.hooks.pace('');
  }

  async copyAnswer(turn, button) {
    try {
      await copy(turn.answer.text);
      button.textContent = 'Copied';
      setTimeout(() => button.textContent = 'Copy', 2000);
      button.focus();
      this.hooks.said('Copied.');
    } catch (error) {
      this.hooks.failed(error);
    }
  }

  show(turn) {
    this.nothing.remove();
    this.view = new TurnView(turn, {
      edit: () => this.hooks.edit(turn.question),
      again: () => this.askAgain(),
      copy: (button) => this.copyAnswer(turn, button),
    });
    this.log.append(this.view.element);
    this.follows = true;
    this.follow();
    return this.view;
  }

  async answerLast() {
    const turn = this.turns.at(-1);
    const answer = turn.answer = newAnswer(this.wishes.model);
    const messages = messagesOf(this.turns, this.wishes.system);
    const request = {model: this.wishes.model, messages, ...this.wishes.request};
    const view = this.show(turn);
    const running = this.running = new AbortController();
    const pace = new Pace();
    this.setRunning(true);
    try {
      for await (const piece of chat(request, running.signal)) {
        this.take(piece, answer, pace);
        view.showSoon(() => this.follow());
      }
    } catch (error) {
      if (running.signal.aborted) {
        answer.note = NOTES.stopped;
      } else {
        answer.wrong = error.message;
        this.hooks.failed(error, true);
      }
    }
    answer.ended = true;
    if (this.turns.at(-1) !== turn) return;  // a new conversation has begun
    view.show();
    this.follow();
    this.running = null;
    this.setRunning(false);
    this.hooks.pace(pace.sentence);
    this.hooks.said([answer.text.trim(), answer.note].filter(Boolean).join('\n'));
  }

  take({thought, text, finish, usage}, answer, pace) {
    if (thought || text) pace.tick();
    answer.thoughts += thought ?? '';
    answer.text += text ?? '';
    if (finish) answer.note = NOTES[finish] ?? '';
    if (usage) pace.usage = usage;
  }

  setRunning(is) {
    this.log.setAttribute('aria-busy', is);
    this.hooks.running(is);
  }
}
