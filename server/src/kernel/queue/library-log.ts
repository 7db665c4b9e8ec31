/** The library's log lines in ours: its start-up talk and successes are debug output, our wrapper logs failures. */
import type { Logger as LibraryLogger, LogFunctionFactory } from 'graphile-worker';

interface Sink {
  debug(details: object, message: string): void;
  error(details: object, message: string): void;
}

type LoggerClass = new (factory: LogFunctionFactory) => LibraryLogger;

/** `Logger` is the library's class: it is loaded late, so that the process starts fast. */
export function libraryLogger(Logger: LoggerClass, log: Sink): LibraryLogger {
  return new Logger((scope) => (level, message, meta) => {
    // A failed task is logged by the wrapper, with what it knows of it.
    if (meta && 'failure' in meta) return;
    const details = { queue: scope };
    if (level === 'error') log.error(details, message);
    else log.debug(details, message);
  });
}

/** Says nothing. */
export const quietLogger = (Logger: LoggerClass): LibraryLogger => new Logger(() => () => undefined);
