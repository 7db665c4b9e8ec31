/** The value of `include`: which files, under which rules. */
import type { Mark } from '../diagnostics.ts';
import { hasReference } from '../inputs/value.ts';
import type { KeywordContext } from '../keywords/keyword.ts';
import { booleanOf, field, secondsOf, textOf, textsOf } from '../keywords/read.ts';
import { ruleList, ruleListSchema } from '../keywords/rule.ts';
import { flatItems, hash, isText, oneOf, type Schema, text, textOrTexts } from '../keywords/schema.ts';
import type { Conditions } from '../rules/rules.ts';
import { isMapping, isNull, type Node } from '../yaml/tree.ts';

type IncludeRule = Conditions & { readonly when: 'always' | 'never' };

/** Where a file is that is not in the repository of the file that includes it. */
export type IncludeSource =
  /** `anonymous`: as anybody may read it, for files that came from elsewhere. */
  | { readonly kind: 'project'; readonly project: string; readonly ref: string | null; readonly anonymous?: true }
  /** What a job of the parent pipeline has left. */
  | { readonly kind: 'artifact'; readonly job: string }
  /** Any address; the content has the hash where one is given. `shown` is the address without what may be secret. */
  | {
      readonly kind: 'remote';
      readonly integrity: string | null;
      /** Seconds for which an earlier answer may be used; null when it is always fetched. */
      readonly cache: number | null;
      readonly shown: string;
    }
  /** What the instance offers to start with. */
  | { readonly kind: 'template' }
  /** A file in `templates/` of a project, by name and version. */
  | { readonly kind: 'component'; readonly anonymous?: true };

export type IncludeEntry = {
  readonly mark: Mark;
  /** Path of the file; the address of one elsewhere, the name of a template or component. */
  readonly local: string;
  /** Null: the repository of the file that includes it. */
  readonly source: IncludeSource | null;
  readonly rules: readonly IncludeRule[] | null;
  /** Values for the inputs of the files. */
  readonly inputs: ReadonlyMap<string, Node>;
};

const KINDS = ['local', 'project', 'remote', 'template', 'artifact', 'component'] as const;
const SUBKEYS = KINDS.map((each) => `\`${each}\``).join(', ');
const AT = { path: 'include', noun: 'config' };
const RULES_AT = { path: 'include:rules', noun: 'config' };
const inputs: Schema = (node, at, problems) => {
  const settled = isMapping(node) && !hasReference(node);
  if (!settled) {
    const wrong = isMapping(node) ? 'cannot use !reference' : 'should be a hash';
    problems.error(node.mark, `${at.path}:${at.noun} ${wrong}`);
  }
  return settled;
};
const common = { rules: ruleListSchema({ when: oneOf(['always', 'never']) }), inputs };
const integrity: Schema = (node, { path }, problems) => {
  const written = isText(node) ? node.text : '';
  const wrong = !written.startsWith('sha256-')
    ? "must start with 'sha256-'"
    : /^sha256-[A-Za-z0-9+/]{43}=$/.test(written)
      ? null
      : 'must be base64 encoded';
  if (wrong) problems.error(node.mark, `${path} config integrity hash ${wrong}`);
  return wrong === null;
};
/** How long an answer is kept, in seconds, where the configuration leaves that open. */
const USUAL_CACHE = 3_600;
const SHORTEST_CACHE = 60;
const cache: Schema = (node, { path }, problems) => {
  const seconds = secondsOf(node);
  const wrong =
    node.kind === 'scalar' && typeof node.value === 'boolean'
      ? null
      : !isText(node)
        ? 'must be a boolean or a duration string'
        : seconds === null
          ? 'contains an invalid duration'
          : seconds < SHORTEST_CACHE
            ? 'duration must be at least 1 minute'
            : null;
  if (wrong) problems.error(node.mark, `${path} config cache ${wrong}`);
  return wrong === null;
};

/** What only one kind knows. */
const OWN = {
  project: { file: textOrTexts, ref: text },
  artifact: { job: text },
  remote: { integrity, cache },
} as const;
const foreignKeys = (kind: Kind): string[] =>
  Object.entries(OWN).flatMap(([other, keys]) => (other === kind ? [] : Object.keys(keys)));
const shapeOf = (kind: Kind): Schema => {
  const own: Readonly<Record<string, Schema>> = kind in OWN ? OWN[kind as keyof typeof OWN] : {};
  // The ecosystem takes what belongs to another kind, and does nothing with it.
  const foreign = Object.fromEntries(foreignKeys(kind).map((key) => [key, withoutEffect(kind)]));
  return hash({ keys: { ...foreign, ...common, [kind]: text, ...own } });
};
const withoutEffect =
  (kind: Kind): Schema =>
  (node, at, problems) => {
    if (at.noun in OWN.remote) {
      problems.error(node.mark, `${at.path} config ${at.noun} can only be specified for remote includes`);
      return false;
    }
    problems.warn(node.mark, `${at.path} ${at.noun} has no effect on include:${kind}`);
    return true;
  };
type Kind = (typeof KINDS)[number];
const SCHEMAS = Object.fromEntries(KINDS.map((kind) => [kind, shapeOf(kind)])) as Readonly<Record<Kind, Schema>>;
const REQUIRED = { project: 'file', artifact: 'job' } as const;
const MISSING = {
  file: 'must specify the file where to fetch the config from',
  job: 'must specify the job where to fetch the artifact from',
} as const;
const NO_INPUTS: ReadonlyMap<string, Node> = new Map();

const HEADER_KINDS: ReadonlySet<string> = new Set(['local', 'project', 'remote']);

/** The entries of a header's `include`: files that declare inputs. */
export function headerEntries(node: Node, context: Omit<KeywordContext, 'at'>): IncludeEntry[] {
  return includeEntries(node, context).filter(({ mark, source, rules, inputs: values }) => {
    const kind = source?.kind ?? 'local';
    const wrong = !HEADER_KINDS.has(kind)
      ? `cannot include a ${kind}`
      : rules !== null || values.size > 0
        ? 'cannot have rules or inputs'
        : null;
    if (wrong !== null) context.problems.error(mark, `header:spec:include config ${wrong}`);
    return wrong === null;
  });
}

/** The entries that can be followed; what is wrong with the others is reported. */
export function includeEntries(node: Node, context: Omit<KeywordContext, 'at'>): IncludeEntry[] {
  if (isNull(node)) return [];
  const items = flatItems(node) ?? [node];
  return items.flatMap((item) => entryOf(item, context) ?? []);
}

function entryOf(node: Node, context: Omit<KeywordContext, 'at'>): IncludeEntry[] | null {
  const { problems } = context;
  if (isText(node)) {
    const source = /^https?:\/\//.test(node.text) ? remoteOf(node.text) : null;
    return [{ mark: node.mark, local: node.text, source, rules: null, inputs: NO_INPUTS }];
  }
  if (!isMapping(node)) {
    problems.error(node.mark, 'include config should be an array of hashes or strings');
    return null;
  }
  const [kind, ...others] = KINDS.filter((each) => field(node, each));
  if (!kind || others.length > 0) {
    const wrong = kind
      ? `Each include must use only one of: ${SUBKEYS}`
      : `include config does not have a valid subkey for include. Valid subkeys are: ${SUBKEYS}`;
    problems.error(node.mark, wrong);
    return null;
  }
  const value = textOf(field(node, kind));
  if (!SCHEMAS[kind](node, AT, problems) || value === null) return null;
  const needed = kind in REQUIRED ? REQUIRED[kind as keyof typeof REQUIRED] : null;
  if (needed && textsOf(field(node, needed)).length === 0) {
    problems.error(node.mark, `include config ${MISSING[needed]}`);
    return null;
  }
  const rules = field(node, 'rules');
  const rest = {
    mark: node.entries.get(kind)!.value.mark,
    rules: rules
      ? ruleList(rules, { ...context, at: RULES_AT }, (rule) => ({
          when: (textOf(field(rule, 'when')) ?? 'always') as 'always' | 'never',
        }))
      : null,
    inputs: inputsOf(field(node, 'inputs')),
  };
  if (kind === 'local') return [{ ...rest, local: value, source: null }];
  if (kind === 'artifact') return [{ ...rest, local: value, source: { kind, job: textOf(field(node, 'job')) ?? '' } }];
  if (kind === 'remote') {
    const kept = field(node, 'cache');
    const seconds = booleanOf(kept) === null ? secondsOf(kept) : booleanOf(kept) ? USUAL_CACHE : null;
    return [{ ...rest, local: value, source: remoteOf(value, textOf(field(node, 'integrity')), seconds) }];
  }
  if (kind !== 'project') return [{ ...rest, local: value, source: { kind } }];
  const source = { kind, project: value, ref: textOf(field(node, 'ref')) } as const;
  return textsOf(field(node, 'file')).map((local) => ({ ...rest, local, source }));
}

function inputsOf(node: Node | undefined): ReadonlyMap<string, Node> {
  return isMapping(node) ? new Map([...node.entries].map(([name, { value }]) => [name, value])) : NO_INPUTS;
}

const remoteOf = (address: string, integrity: string | null = null, cache: number | null = null): IncludeSource => ({
  kind: 'remote',
  integrity,
  cache,
  shown: shownAddress(address),
});

/** An address as it is written, without what may be secret in it: names, passwords and parameters. */
function shownAddress(address: string): string {
  const [path = ''] = address.split(/[?#]/, 1);
  const known = path.replace(/^([a-z]+:\/\/)[^/]*@/i, '$1');
  return path.length < address.length ? `${known}?...` : known;
}
