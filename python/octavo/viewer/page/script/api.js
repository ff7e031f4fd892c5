// The server's answers. Addresses are relative to the page's own, which carries the token.
//
// `Refused` is an answer that says no; `Gone` is a server that no longer answers. A request that was aborted throws
// the browser's AbortError, which `quietly` swallows: nobody waits for it any more.

class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

class Gone extends Error {}

let onGone = () => {};

export function whenGone(listener) {
  onGone = listener;
}

export async function get(path, query = {}, signal = undefined) {
  return (await ask(address(path, query), { signal })).json();
}

export async function getBytes(path, query = {}, signal = undefined) {
  const answer = await ask(address(path, query), { signal });
  return new Uint8Array(await answer.arrayBuffer());
}

// The objects of an NDJSON stream as they come; an {"error"} line is thrown. Aborting the signal ends the work there.
export async function* stream(path, body, signal) {
  const headers = { "Content-Type": "application/json" };
  const answer = await ask(path, { method: "POST", headers, body: JSON.stringify(body), signal });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await unlessGone(reader.read(), signal);
    const lines = (rest + (value ?? "")).split("\n");
    rest = done ? "" : lines.pop();
    for (const line of lines) {
      if (line.trim() === "") continue;
      const said = JSON.parse(line);
      if (said.error !== undefined) throw new Refused(said.error, 200);
      yield said;
    }
    if (done) return;
  }
}

// Runs `work`; an abort ends it without a word, a server that is gone is told by the banner, a refusal goes to `tell`.
export async function quietly(work, tell) {
  try {
    return await work();
  } catch (error) {
    if (error.name === "AbortError" || error instanceof Gone) return undefined;
    tell(error.message, error.status);
    return undefined;
  }
}

function address(path, query) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== null && value !== undefined && value !== "") parameters.set(name, value);
  }
  // Commas stand for themselves in a query: a list of numbers stays short and readable.
  const text = parameters.toString().replaceAll("%2C", ",");
  return text === "" ? path : `${path}?${text}`;
}

async function ask(url, options) {
  const answer = await unlessGone(fetch(url, options), options.signal);
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => ({}));
  throw new Refused(said.error ?? `the server answered ${answer.status}`, answer.status);
}

async function unlessGone(promise, signal) {
  try {
    return await promise;
  } catch (error) {
    if (error.name === "AbortError" || signal?.aborted) throw error;
    onGone();
    throw new Gone(error.message);
  }
}
