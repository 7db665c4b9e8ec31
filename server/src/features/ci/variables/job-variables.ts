/** One variable as jobs get it, and the order in which sources override each other. Pure. */

export interface JobVariable {
  readonly key: string;
  readonly value: string;
  readonly public: boolean;
  readonly masked: boolean;
  readonly file: boolean;
  /** Not expanded by the runner. */
  readonly raw: boolean;
}

type Flags = Partial<Omit<JobVariable, 'key' | 'value'>>;

/** A variable; public, expanded and not masked unless said otherwise. */
export const variable = (key: string, value: string, flags: Flags = {}): JobVariable => ({
  key,
  value,
  public: true,
  masked: false,
  file: false,
  raw: false,
  ...flags,
});

/** Those that make runners and services print everything, secrets included. */
const debugKeys: ReadonlySet<string> = new Set(['CI_DEBUG_TRACE', 'CI_DEBUG_SERVICES']);

/** Whether the job asks for debug logging; `$` in a value may become anything. Later variables win. */
export function asksForDebugging(variables: readonly JobVariable[]): boolean {
  const last = new Map(variables.filter(({ key }) => debugKeys.has(key)).map(({ key, value }) => [key, value]));
  return [...last.values()].some((value) => /^(1|t|true)$/i.test(value.trim()) || value.includes('$'));
}
