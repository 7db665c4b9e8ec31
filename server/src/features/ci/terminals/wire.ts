/**
 * What goes over the WebSocket of a terminal. `terminal.gitlab.com` carries bytes in any frame and
 * `base64.terminal.gitlab.com` their base64, as in the ecosystem; neither can tell the size of the window. Our own
 * `terminal.millrace` carries bytes in binary frames and the size as JSON in text frames.
 */
import type { RawData } from 'ws';

export const subprotocols = ['terminal.millrace', 'terminal.gitlab.com', 'base64.terminal.gitlab.com'] as const;
export type Subprotocol = (typeof subprotocols)[number];

export const isSubprotocol = (name: string): name is Subprotocol => (subprotocols as readonly string[]).includes(name);

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export type Message = { readonly data: Buffer } | { readonly resize: Size };

const bytesOf = (raw: RawData): Buffer =>
  Array.isArray(raw) ? Buffer.concat(raw) : raw instanceof ArrayBuffer ? Buffer.from(raw) : raw;

const whole = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 1000;

/** Null for what is no message of the protocol. */
export function decode(protocol: Subprotocol, raw: RawData, binary: boolean): Message | null {
  const bytes = bytesOf(raw);
  if (protocol === 'base64.terminal.gitlab.com') return { data: Buffer.from(bytes.toString('latin1'), 'base64') };
  if (protocol === 'terminal.gitlab.com' || binary) return { data: bytes };
  try {
    const { columns, rows } = JSON.parse(bytes.toString('utf8')) as Partial<Size>;
    return whole(columns) && whole(rows) ? { resize: { columns, rows } } : null;
  } catch {
    return null;
  }
}

/** Null for a size where the protocol has none. */
export function encode(protocol: Subprotocol, message: Message): { data: Buffer | string; binary: boolean } | null {
  if ('resize' in message)
    return protocol === 'terminal.millrace' ? { data: JSON.stringify(message.resize), binary: false } : null;
  if (protocol === 'base64.terminal.gitlab.com') return { data: message.data.toString('base64'), binary: false };
  return { data: message.data, binary: true };
}
