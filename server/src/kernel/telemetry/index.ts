/** Structured logs. Secrets never reach them. */
import { pino } from 'pino';

export type Logger = pino.Logger;

const parameter = /([?&;#])([^=&;#\s"]*)=([^&;#\s"]*)/g;
/** Names of parameters that carry credentials, wherever in the name: `job_token`, `user[password]`, `client_secret`. */
const secretName = /token|passw|secret|otp|authorization|private_key|(^|[^a-z])(code|assertion|variables)([^a-z]|$)/i;

/** A name as the server reads it: what is escaped would otherwise pass by its spelling. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}

/** A URL as it may be logged: values of parameters that carry credentials are cut out. */
export const scrubUrl = (url: string): string =>
  url
    .replace(parameter, (whole, before: string, name: string) =>
      secretName.test(decoded(name)) ? `${before}${name}=[FILTERED]` : whole,
    )
    .replace(/\/\/[^/@\s]+@/, '//[FILTERED]@');

/** What is cut out of every line. */
const secretKeys: ReadonlySet<string> = new Set([
  'token',
  'password',
  'secret',
  'private_token',
  'access_token',
  'job_token',
  'authorization',
  'cookie',
  'private-token',
  'job-token',
]);

/** Objects inside of each other that are looked through. */
const mostDeep = 6;

/** Whether what is logged may hold credentials in its own keys. Errors, requests and answers have serializers, which come later. */
const mayHold = (key: string, value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  key !== 'req' &&
  key !== 'res' &&
  !(value instanceof Error) &&
  !ArrayBuffer.isView(value);

/**
 * The same without credentials; what holds none is not copied. Every line passes here: the redaction of pino goes through all
 * of its paths for each value, and took ten times as long as the line itself.
 */
function censored(given: object, deep = 1): object {
  let copy: Record<string, unknown> | undefined;
  for (const [key, value] of Object.entries(given)) {
    let shown: unknown = value;
    if (secretKeys.has(key)) shown = value === undefined ? value : '[FILTERED]';
    else if (deep < mostDeep && mayHold(key, value)) shown = censored(value, deep + 1);
    if (shown === value) continue;
    copy ??= (Array.isArray(given) ? [...(given as unknown[])] : { ...given }) as Record<string, unknown>;
    copy[key] = shown;
  }
  return copy ?? given;
}

/** A line for people: time, level, message, and what came with it. */
function readable(line: string): string {
  const { time, level, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const details = Object.keys(rest).length > 0 ? ` ${JSON.stringify(rest)}` : '';
  const stack = err ? `\n${String((err as { stack?: unknown }).stack)}` : '';
  return `${String(time).slice(11, 23)} ${String(level).padEnd(5)} ${String(msg ?? '')}${details}${stack}\n`;
}

/** Where the lines of a process go: JSON, or text when a person watches. Written at once, so that none is lost. */
export function logDestination(fd: number, terminal: boolean): pino.DestinationStream {
  const output = pino.destination({ fd, sync: true });
  return terminal ? { write: (line) => void output.write(readable(line)) } : output;
}

/** Creates the process's logger. */
export function createLogger(level: string, destination: pino.DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (values) => censored(values) as Record<string, unknown>,
      },
      serializers: {
        err: (error: Error) => censored(pino.stdSerializers.err(error)),
        url: (url: unknown) => scrubUrl(String(url)),
      },
    },
    destination,
  );
}
