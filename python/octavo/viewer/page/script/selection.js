// The chosen record numbers, kept as sorted ranges [start, stop) so that a wide choice costs nothing.

export const SELECTION_LIMIT = 100_000;

export class Selection extends EventTarget {
  constructor() {
    super();
    this.ranges = [];
    this.count = 0;
  }

  has(number) {
    const at = this.firstEndingAfter(number);
    return at < this.ranges.length && this.ranges[at][0] <= number;
  }

  toggle(number) { return this.set(number, number + 1, !this.has(number)); }

  clear() {
    this.ranges = [];
    this.changed();
  }

  // False, and nothing changes, where it would hold too many.
  set(start, stop, isChosen) {
    const before = this.ranges;
    this.ranges = without(before, start, stop);
    if (isChosen) this.ranges = joined([...this.ranges, [start, stop]]);
    return this.keepOr(before);
  }

  add(numbers) {
    const before = this.ranges;
    this.ranges = joined([...before, ...numbers.map((number) => [number, number + 1])]);
    return this.keepOr(before);
  }

  keepOr(before) {
    if (total(this.ranges) > SELECTION_LIMIT) {
      this.ranges = before;
      return false;
    }
    this.changed();
    return true;
  }

  firstEndingAfter(number) {
    let low = 0;
    let high = this.ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.ranges[middle][1] > number) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  changed() {
    this.count = total(this.ranges);
    this.dispatchEvent(new Event("change"));
  }
}

const total = (ranges) => ranges.reduce((sum, [start, stop]) => sum + stop - start, 0);

function without(ranges, from, to) {
  const kept = [];
  for (const [start, stop] of ranges) {
    if (start < Math.min(stop, from)) kept.push([start, Math.min(stop, from)]);
    if (stop > Math.max(start, to)) kept.push([Math.max(start, to), stop]);
  }
  return kept;
}

function joined(ranges) {
  const merged = [];
  for (const [start, stop] of ranges.sort((one, other) => one[0] - other[0])) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], stop);
    else merged.push([start, stop]);
  }
  return merged;
}
