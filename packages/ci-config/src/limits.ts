/** Every bound of a compilation: its name, its default, and the sentence that is shown when it is exceeded. */

export type Limits = {
  /** Bytes of one file. */
  readonly fileBytes: number;
  /** Bytes of all files together. */
  readonly totalBytes: number;
  /** Files that `include` brings in, nested ones counted. */
  readonly includes: number;
  /** Files on the way from the entry file to an included one. */
  readonly includeDepth: number;
  /** Uses of an alias (`*name`) in one file. */
  readonly aliases: number;
  /** Levels of nesting, before and after expansion. */
  readonly depth: number;
  /** Values of the configuration after aliases, `extends` and `!reference` are expanded. */
  readonly nodes: number;
  /** Bytes of text of the same expanded configuration. */
  readonly expandedBytes: number;
  /** Keys copied by merge keys, `extends` and `include`. */
  readonly mergedKeys: number;
  /** Inputs that one file declares. */
  readonly inputs: number;
  /** Blocks `$[[ ... ]]` in one file. */
  readonly interpolations: number;
  /** Jobs on a chain of `extends`. */
  readonly extendsDepth: number;
  /** Nested `!reference`. */
  readonly referenceDepth: number;
  /** Characters of one `rules:if`. */
  readonly expressionLength: number;
  /** Tokens of one `rules:if`. */
  readonly expressionTokens: number;
  /** Bytes of one variable's value after expansion. */
  readonly variableBytes: number;
  /** Bytes of all expanded text together. */
  readonly variableTotalBytes: number;
  /** Comparisons of a path with a pattern for `changes` and `exists`; past it they count as matching. */
  readonly pathComparisons: number;
  /** Alternatives of one glob with `{a,b}`. */
  readonly globAlternatives: number;
  /** Jobs that one `parallel` makes. */
  readonly parallel: number;
  /** Jobs that one `needs` lists. */
  readonly needs: number;
  /** Jobs of the configuration, parallel ones counted. */
  readonly jobs: number;
  /** Bytes of the plan as JSON. */
  readonly planBytes: number;
};

export const DEFAULT_LIMITS: Limits = Object.freeze({
  fileBytes: 524_288,
  totalBytes: 2_097_152,
  includes: 150,
  includeDepth: 100,
  aliases: 10_000,
  depth: 100,
  nodes: 200_000,
  expandedBytes: 8_388_608,
  mergedKeys: 1_000_000,
  inputs: 500,
  interpolations: 10_000,
  extendsDepth: 11,
  referenceDepth: 10,
  expressionLength: 10_000,
  expressionTokens: 200,
  variableBytes: 65_536,
  variableTotalBytes: 67_108_864,
  pathComparisons: 500_000,
  globAlternatives: 256,
  parallel: 200,
  needs: 50,
  jobs: 2_000,
  planBytes: 33_554_432,
});

/** What was exceeded, for programs; the message says the same to people. */
export type LimitUse = { readonly name: keyof Limits; readonly value: number; readonly used: number };

/** `subject` names what grew too large, in the plural where it is counted: "aliases", "bytes in one file". */
export function limitSentence(subject: string, use: LimitUse): string {
  return `too many ${subject}: ${use.used}, and the limit ${use.name} is ${use.value}`;
}
