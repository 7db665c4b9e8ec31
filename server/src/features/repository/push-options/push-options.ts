/** What a client asks for with `git push -o`: read once, used where the part of the product is. Pure. */

/** Wishes about the merge request of each pushed branch; a wish that was not made is undefined. */
export interface MergeRequestWishes {
  readonly create?: boolean;
  readonly target?: string;
  readonly targetProject?: string;
  readonly title?: string;
  readonly description?: string;
  readonly draft?: boolean;
  readonly squash?: boolean;
  readonly removeSourceBranch?: boolean;
  readonly autoMerge?: boolean;
  readonly assign?: readonly string[];
  readonly unassign?: readonly string[];
  readonly reviewers?: readonly string[];
  /** Titles of labels that it gets, and that are taken away. */
  readonly labels?: readonly string[];
  readonly unlabel?: readonly string[];
  /** Title of the milestone. */
  readonly milestone?: string;
}

export interface PushOptions {
  readonly ci: {
    /** A pipeline that is skipped. */
    readonly skip: boolean;
    /** None at all. */
    readonly none: boolean;
    readonly variables: readonly { readonly key: string; readonly value: string }[];
    /** Values as they were written; the configuration says of which type each is. */
    readonly inputs: Readonly<Record<string, string>>;
  };
  /** Null where none of the options is about merge requests. */
  readonly mergeRequest: MergeRequestWishes | null;
  /** Those of merge requests as they were written. */
  readonly written: readonly string[];
  readonly skipSecretPushProtection: boolean;
  /** What cannot be done, in words for the terminal. */
  readonly warnings: readonly string[];
}

const flags = {
  create: 'create',
  draft: 'draft',
  squash: 'squash',
  remove_source_branch: 'removeSourceBranch',
  merge_when_pipeline_succeeds: 'autoMerge',
  auto_merge: 'autoMerge',
} as const;
const texts = {
  target: 'target',
  target_project: 'targetProject',
  title: 'title',
  description: 'description',
  milestone: 'milestone',
} as const;
const people = { assign: 'assign', unassign: 'unassign', reviewer: 'reviewers' } as const;
const labels = { label: 'labels', unlabel: 'unlabel' } as const;

const has = <T extends object>(table: T, key: string): key is Extract<keyof T, string> => Object.hasOwn(table, key);
const unquoted = (text: string) => /^"(.*)"$/s.exec(text)?.[1] ?? text;
/** An option without a value is a yes. */
const yes = (value: string | null) => value === null || !/^(false|0|no)$/i.test(value);

export function readPushOptions(options: readonly string[]): PushOptions {
  const wishes: Record<string, unknown> = {};
  const written: string[] = [];
  const warnings: string[] = [];
  const variables: { key: string; value: string }[] = [];
  const inputs = new Map<string, string>();
  const read = { skip: false, none: false, skipSecrets: false };

  function mergeRequest(key: string, value: string | null, option: string): boolean {
    if (has(flags, key)) wishes[flags[key]] = yes(value);
    else if (has(people, key)) {
      const name = people[key];
      const known = (wishes[name] as string[] | undefined) ?? [];
      wishes[name] = [...known, ...(value ?? '').split(/[\s,]+/).flatMap((each) => each.replace(/^@/, '') || [])];
    } else if (has(labels, key) && value !== null && value.trim() !== '') {
      const name = labels[key];
      const known = (wishes[name] as string[] | undefined) ?? [];
      // Titles have blanks, and no commas.
      wishes[name] = [...known, ...value.split(',').flatMap((each) => each.trim() || [])];
    } else if (has(texts, key) && value !== null && value !== '')
      wishes[texts[key]] = key === 'description' ? value.replaceAll('\\n', '\n') : value;
    else if (has(texts, key) || has(labels, key)) warnings.push(`The push option '${option}' needs a value.`);
    else return false;
    written.push(option);
    return true;
  }

  function ci(key: string, value: string | null, option: string): boolean {
    if (key === 'skip') read.skip = yes(value);
    else if (key === 'no_pipeline') read.none = yes(value);
    else if (key === 'input') {
      const [, name = '', text = ''] = /^([^=]{1,255})=(.*)$/s.exec(value ?? '') ?? [];
      if (name) inputs.set(name, text);
      else warnings.push(`The push option '${option.slice(0, 100)}' is not of the form ci.input="name=value".`);
    } else if (key === 'variable') {
      const [, name = '', text = ''] = /^([A-Za-z0-9_]{1,255})=(.*)$/s.exec(value ?? '') ?? [];
      if (name) variables.push({ key: name, value: text });
      else warnings.push(`The push option '${option}' is not of the form ci.variable="KEY=value".`);
    } else return false;
    return true;
  }

  for (const option of options) {
    const [, namespace = '', key = '', , given] = /^([^.=]+)\.([^=]+)(=(.*))?$/s.exec(option) ?? [];
    const value = given === undefined ? null : unquoted(given);
    if ((namespace === 'merge_request' || namespace === 'mr') && mergeRequest(key, value, option)) continue;
    if (namespace === 'ci' && ci(key, value, option)) continue;
    // There are no integrations that start pipelines elsewhere: nothing to skip.
    if (namespace === 'integrations' && key === 'skip_ci') continue;
    if ((namespace === 'secret_push_protection' || namespace === 'secret_detection') && key === 'skip_all') {
      read.skipSecrets = yes(value);
      continue;
    }
    warnings.push(`The push option '${option.slice(0, 100)}' is not known.`);
  }
  return {
    ci: { skip: read.skip, none: read.none, variables, inputs: Object.fromEntries(inputs) },
    mergeRequest: written.length > 0 ? (wishes as MergeRequestWishes) : null,
    written,
    skipSecretPushProtection: read.skipSecrets,
    warnings,
  };
}
