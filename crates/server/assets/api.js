// Requests to the server: JSON in and out, problems as errors, events as they come.

const PREFIX = '/api/v1';

/** What the server answers when it cannot do what was asked. */
export class Problem extends Error {
  constructor(problem) {
    super(problem.detail || problem.title);
    Object.assign(this, problem);
  }
}

/** The key of this window, if one was entered; it is forgotten when the window is closed. */
export const key = {
  get: () => sessionStorage.getItem('retold.key') || '',
  set: (value) => value ? sessionStorage.setItem('retold.key', value) : sessionStorage.removeItem('retold.key'),
};

const listeners = new Set();
/** Calls `listener` whenever the server asks for a key. */
export function onKeyNeeded(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns an address of the API with parameters; those that are empty are left out. */
export function address(path, parameters = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== null && value !== '') query.set(name, value);
  }
  const text = query.toString();
  return PREFIX + path + (text ? `?${text}` : '');
}

/** Puts parts together to a path; each is encoded by itself. */
export const path = (parts, ...values) =>
  parts.reduce((all, part, at) => all + part + (at < values.length ? encodeURIComponent(values[at]) : ''), '');

function headers(more = {}) {
  const value = key.get();
  return value ? { authorization: `Bearer ${value}`, ...more } : more;
}

/** Sends a request and returns the response; problems are thrown. */
export async function send(method, where, { body, type, signal, accept, more } = {}) {
  const all = headers(more);
  if (accept) all.accept = accept;
  let content = body;
  if (body !== undefined) {
    all['content-type'] = type || 'application/json';
    if (!type) content = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(where.startsWith('/') ? where : PREFIX + where, { method, headers: all, body: content, signal });
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Problem({ status: 0, code: 'no-connection', title: 'No connection', detail: 'The server cannot be reached.' });
  }
  if (response.ok) return response;
  let problem = { status: response.status, title: response.statusText, detail: '' };
  try { problem = await response.json(); } catch { /* No JSON: what the status says. */ }
  if (response.status === 401) listeners.forEach((listener) => listener());
  throw new Problem(problem);
}

/** Asks for JSON. */
export const get = async (where, parameters, signal) =>
  (await send('GET', address(where, parameters), { signal })).json();

/** Sends JSON, or a file with its type, and returns the JSON of the answer. */
export const post = async (where, body, options = {}) =>
  (await send('POST', address(where, options.parameters), { body, ...options })).json();

export const put = async (where, body) => (await send('PUT', address(where), { body })).json();

export const remove = async (where) => {
  const response = await send('DELETE', address(where));
  return response.status === 204 ? null : response.json();
};

/** Saves what an address gives as a file, with the key of this window. */
export async function download(where, parameters, name) {
  const blob = await (await send('GET', address(where, parameters))).blob();
  save(blob, name);
}

/** Hands a file to the person. */
export function save(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/**
 * Hands over server-sent events as they come, `{id, event, data}`; after a break it goes on behind the last.
 * `EventSource` cannot send a key, so the stream is read by `fetch`.
 */
export async function events(where, parameters, signal, each, state = () => {}) {
  let last = null;
  let pause = 1000;
  while (!signal.aborted) {
    try {
      const more = last === null ? {} : { 'last-event-id': last };
      const response = await send('GET', address(where, parameters), { signal, accept: 'text/event-stream', more });
      state(true);
      pause = 1000;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = '';
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        rest += value;
        let end;
        while ((end = rest.indexOf('\n\n')) >= 0) {
          const message = { event: 'message', data: '' };
          for (const line of rest.slice(0, end).split('\n')) {
            const colon = line.indexOf(':');
            if (colon <= 0) continue;
            const text = line.slice(colon + 1).trimStart();
            const name = line.slice(0, colon);
            if (name === 'data') message.data += text; else message[name] = text;
          }
          rest = rest.slice(end + 2);
          if (message.id) last = message.id;
          if (message.data) each({ ...message, data: JSON.parse(message.data) });
        }
      }
      if (last === 'over') return;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Problem && error.status >= 400 && error.status < 500 && error.status !== 429) throw error;
    }
    state(false);
    await new Promise((resolve) => { setTimeout(resolve, pause); });
    pause = Math.min(pause * 2, 30000);
  }
}
