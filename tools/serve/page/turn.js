// How a turn is shown: the question, and the answer as it grows.
import {showText} from './text.js';

function make(tag, className, ...inside) {
  const element = document.createElement(tag);
  element.className = className;
  element.append(...inside);
  return element;
}

function tool(name, label, act, className = '') {
  const button = make('button', className, name);
  button.type = 'button';
  button.setAttribute('aria-label', label);
  button.addEventListener('click', () => act(button));
  return button;
}

export class TurnView {
  /** @param deeds what the buttons do: edit(), again(), copy(button) */
  constructor(turn, deeds) {
    this.turn = turn;
    this.wanted = false;
    const {question} = turn;
    this.question = make('article', 'question', make('h2', 'unseen', 'You asked'));
    for (const {name, url} of question.pictures) {
      const image = make('img', '');
      image.src = url;
      image.alt = name;
      this.question.append(image);
    }
    const asked = make('div', 'text');
    showText(asked, question.text);
    if (question.text) this.question.append(asked);
    this.question.append(
        make('div', 'tools last', tool('Edit', 'Edit the question', deeds.edit)));

    this.thoughts = make('div', '');
    this.summary = make('summary', '');
    this.thinking = make('details', 'thoughts', this.summary, this.thoughts);
    this.text = make('div', 'text');
    this.note = make('p', 'note');
    this.wrong = make('p', 'wrong');
    this.wrong.setAttribute('role', 'alert');
    this.copy = tool('Copy', 'Copy the answer', deeds.copy);
    const again = tool('Regenerate', 'Regenerate the answer', deeds.again, 'last');
    this.heading = make('h2', 'unseen');
    this.answer = make('article', 'answer', this.heading, this.thinking, this.text, this.note,
                       this.wrong, make('div', 'tools', this.copy, again));
    this.element = make('section', 'turn', this.question, this.answer);
    this.show();
  }

  /** Shows what the answer is now. */
  show() {
    const {model, text, thoughts, note, wrong, ended} = this.turn.answer;
    this.heading.textContent = `${model} answered`;
    this.thinking.hidden = !thoughts;
    this.summary.textContent = thoughts && !text && !ended ? 'Thinking …' : 'Thoughts';
    if (this.thoughts.textContent !== thoughts) this.thoughts.textContent = thoughts;
    showText(this.text, text);
    this.text.classList.toggle('waiting', !ended);
    this.note.textContent = note;
    this.note.hidden = !note;
    if (this.wrong.textContent !== wrong) this.wrong.textContent = wrong;
    this.wrong.hidden = !wrong;
    this.copy.hidden = !text;
  }

  /** Shows it with the next frame, however many pieces come before that. */
  showSoon(shown) {
    if (this.wanted) return;
    this.wanted = true;
    requestAnimationFrame(() => {
      this.wanted = false;
      this.show();
      shown();
    });
  }
}
