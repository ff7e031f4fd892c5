// Where records are known to be damaged: from what was read, searched and verified. Sorted ranges [start, stop).

const MOST_RANGES = 20_000;

export class Damage extends EventTarget {
  constructor() {
    super();
    this.ranges = [];
  }

  add(found) {
    if (found.length === 0) return;
    const merged = [];
    for (const [start, stop] of [...this.ranges, ...found].sort((one, other) => one[0] - other[0])) {
      const last = merged.at(-1);
      if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], stop);
      else merged.push([start, stop]);
    }
    this.ranges = merged.slice(0, MOST_RANGES);
    this.dispatchEvent(new Event("change"));
  }

  addCards(cards) {
    const isNew = (card) => card.status === "damaged" && !this.has(card.number);
    this.add(cards.filter(isNew).map((card) => [card.number, card.number + 1]));
  }

  has(number) { return this.overlaps(number, number + 1); }

  overlaps(start, stop) { return this.ranges.some((range) => range[0] < stop && range[1] > start); }

  // The next one that starts after a record, or the first of all.
  after(number) {
    const next = this.ranges.find(([start]) => start > number) ?? this.ranges[0];
    return next === undefined ? null : { start: next[0], stop: next[1] };
  }
}
