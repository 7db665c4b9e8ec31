/** The one shape of every keyword's file. */
import type { Mark, Problems } from '../diagnostics.ts';
import type { Limits } from '../limits.ts';
import type { Node } from '../yaml/tree.ts';
import type { JobConfig } from './index.ts';
import type { At, Schema } from './schema.ts';

export type KeywordContext = { readonly at: At; readonly problems: Problems; readonly limits: Limits };

/** A job's keywords with the place of each, for checks across keywords. */
export type LintedJob = {
  readonly name: string;
  readonly config: JobConfig;
  /** The place of a keyword in this job, or the job's own. */
  markOf(keyword: string): Mark;
};

export type Keyword<T> = {
  readonly name: string;
  /** May stand in `default` and is taken over from there. */
  readonly inheritable?: boolean;
  readonly schema: Schema;
  /** Called only with a value that the schema accepted. */
  readonly normalise: (node: Node, context: KeywordContext) => T;
  /** What one job's keywords must satisfy together. */
  readonly lint?: (job: LintedJob, problems: Problems) => void;
};
