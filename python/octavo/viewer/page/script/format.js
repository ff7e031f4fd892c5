// Numbers and sizes as people read and write them.

const WHOLE = new Intl.NumberFormat("en-US");
const UNITS = ["bytes", "kB", "MB", "GB", "TB", "PB"];
const POWERS = {
  "": 1, B: 1, K: 1e3, KB: 1e3, M: 1e6, MB: 1e6, G: 1e9, GB: 1e9, KIB: 2 ** 10, MIB: 2 ** 20, GIB: 2 ** 30,
};

export const count = (number) => WHOLE.format(number);

export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

export function bytes(size) {
  if (size === null || size === undefined) return "size unknown";
  let unit = 0;
  let value = size;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  if (unit === 0) return size === 1 ? "1 byte" : `${size} bytes`;
  return `${value >= 100 ? value.toFixed(0) : value.toPrecision(3)} ${UNITS[unit]}`;
}

export const exactBytes = (size) => (size < 1000 ? bytes(size) : `${bytes(size)} (${count(size)} bytes)`);

// A reason that starts with a path, told in little space: its last part is enough.
export const briefly = (reason) => (reason ?? "").replace(/^\S*\/(?=[^/\s]+: )/, "");

export const share = (done, total) => (total > 0 ? `${((100 * done) / total).toFixed(done < total ? 1 : 0)} %` : "");

// "10 kB" -> 10000; "" -> null; anything else that is no size -> undefined.
export function sizeFrom(text) {
  const trimmed = text.replaceAll(",", "").trim().toUpperCase();
  if (trimmed === "") return null;
  const [, digits, unit] = /^(\d+(?:\.\d+)?)\s*([A-Z]*)$/.exec(trimmed) ?? [];
  if (digits === undefined || POWERS[unit] === undefined) return undefined;
  return Math.round(Number(digits) * POWERS[unit]);
}

// "1,000,000", "1e6", "-1" (the last), "50%" -> a record number; null where it names none of `total` records.
export function numberFrom(text, total) {
  const trimmed = text.replaceAll(/[,_\s]/g, "");
  if (!/^-?\d+(\.\d+)?(e\+?\d+)?%?$/i.test(trimmed) || total === 0) return null;
  if (trimmed.endsWith("%")) {
    const part = Number(trimmed.slice(0, -1)) / 100;
    return part < 0 || part > 1 ? null : Math.min(total - 1, Math.floor(part * total));
  }
  const number = Number(trimmed) + 0; // "-0" is the first one, too
  const place = number < 0 ? total + number : number;
  return Number.isInteger(place) && place >= 0 && place < total ? place : null;
}
