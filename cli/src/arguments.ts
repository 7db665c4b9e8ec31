/** Arguments of commands: words, options, and what to say when they do not fit. */
import { parseArgs } from 'node:util';

/** The command was called wrongly: exit code 2 and how it is used. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A `list` may be given several times. */
type Kind = 'string' | 'boolean' | 'list';
type Values<O extends Readonly<Record<string, Kind>>> = {
  readonly [K in keyof O]?: O[K] extends 'boolean' ? boolean : O[K] extends 'list' ? readonly string[] : string;
};

/** Parses options and words; `words` names those that must be there, in order. */
export function parse<const W extends readonly string[], const O extends Readonly<Record<string, Kind>>>(
  args: readonly string[],
  words: W,
  options: O,
): { readonly words: { readonly [K in keyof W]: string }; readonly options: Values<O> } {
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({
      args: [...args],
      allowPositionals: true,
      strict: true,
      options: Object.fromEntries(
        Object.entries(options).map(([name, type]) => [
          name,
          type === 'list' ? { type: 'string' as const, multiple: true } : { type },
        ]),
      ),
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const { positionals, values } = parsed;
  const missing = words[positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  if (positionals.length > words.length) throw new UsageError(`unexpected argument ${positionals[words.length]}`);
  return {
    words: positionals as unknown as { readonly [K in keyof W]: string },
    options: values as Values<O>,
  };
}
