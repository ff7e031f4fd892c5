// The numbers that were found, in the order in which they came: what the grid of the find view shows.

export class Found {
  constructor() { this.clear(); }

  clear() {
    this.numbers = [];
    this.places = new Map();
  }

  get count() { return this.numbers.length; }

  numberAt(index) { return this.numbers[index]; }

  indexOf(number) { return this.places.get(number) ?? -1; }

  add(numbers) {
    for (const number of numbers) {
      if (this.places.has(number)) continue;
      this.places.set(number, this.numbers.length);
      this.numbers.push(number);
    }
  }
}
