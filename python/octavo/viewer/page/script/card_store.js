// The cards that have been read, and the one request that reads more.
//
// One screen is one request: numbers next to each other by start and count, others by name. A card that did not fit
// into an answer ("later") is asked for again, after that answer, and again with one request.

import { get, quietly } from "./api.js";
import { say } from "./status.js";

const KEPT_CARDS = 2000;
const MOST_AT_ONCE = 500;
const FRUITLESS_TRIES = 3;
const UNREAD = new Set(["later", "failed"]); // what failed is tried again when it comes to the screen

const FAILED = { status: "failed", bytes: null, kind: null, summary: "", snippet: "", image: null, name: null };

export class CardStore {
  constructor(onCards) {
    this.onCards = onCards;
    this.cards = new Map(); // in the order of their last use
    this.decoder = "";
    this.wanted = [];
    this.request = null;
    this.fruitless = 0;
  }

  // Another decoder makes other cards.
  decodeAs(name) {
    if (this.decoder === name) return;
    this.decoder = name;
    this.cards.clear();
    this.abort();
  }

  forget() {
    this.cards.clear();
    this.abort();
  }

  get(number) {
    const card = this.cards.get(number);
    if (card !== undefined) {
      this.cards.delete(number);
      this.cards.set(number, card);
    }
    return card;
  }

  // What is on the screen now; a request for another screen is given up.
  want(numbers) {
    this.wanted = numbers;
    this.fruitless = 0;
    this.ask();
  }

  abort() {
    this.request?.aborter.abort();
    this.request = null;
  }

  missing() {
    const isMissing = (number) => UNREAD.has(this.cards.get(number)?.status ?? "later");
    return this.wanted.filter(isMissing).slice(0, MOST_AT_ONCE);
  }

  ask() {
    const numbers = this.missing();
    if (this.request !== null) {
      const asked = new Set(this.request.numbers);
      if (numbers.length > 0 && numbers.every((number) => asked.has(number))) return; // it is on its way
      this.abort();
    }
    if (numbers.length === 0) return;
    const request = { numbers, aborter: new AbortController() };
    this.request = request;
    quietly(() => this.read(request), (problem) => this.fail(request, problem));
  }

  fail({ numbers }, reason) {
    say(`Records could not be read: ${reason}`);
    this.keep(numbers.map((number) => ({ ...FAILED, number, reason })));
  }

  async read(request) {
    try {
      const query = { ...described(request.numbers), as: this.decoder };
      const { records } = await get("api/records", query, request.aborter.signal);
      if (this.request !== request) return;
      this.keep(records);
    } finally {
      if (this.request === request) this.request = null;
    }
    if (this.missing().length > 0 && this.fruitless < FRUITLESS_TRIES) this.ask();
  }

  keep(records) {
    const isFruitless = records.every((card) => card.status === "later");
    this.fruitless = isFruitless ? this.fruitless + 1 : 0;
    for (const card of records) {
      this.cards.delete(card.number);
      this.cards.set(card.number, card);
    }
    for (const number of this.cards.keys()) {
      if (this.cards.size <= KEPT_CARDS) break;
      this.cards.delete(number);
    }
    this.onCards(records);
  }
}

// Numbers close together are a range, even where a few between them are known already.
function described(numbers) {
  const start = numbers[0];
  const span = numbers.at(-1) - start + 1;
  const isSorted = numbers.every((number, at) => at === 0 || number > numbers[at - 1]);
  if (isSorted && span <= Math.min(MOST_AT_ONCE, 2 * numbers.length)) return { start, count: span };
  return { numbers: numbers.join(",") };
}
