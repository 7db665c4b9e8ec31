/** The value of `include`: which files, under which rules. */
import type { Mark } from '../diagnostics.ts';
import { hasReference } from '../inputs/value.ts';
import type { KeywordContext } from '../keywords/keyword.ts';
import { field, textOf, textsOf } from '../keywords/read.ts';
import { ruleList, ruleListSchema } from '../keywords/rule.ts';
import { flatItems, hash, isText, oneOf, type Schema, text, textOrTexts } from '../keywords/schema.ts';
import type { Conditions } from '../rules/rules.ts';
import { isMapping, type Node } from '../yaml/tree.ts';

type IncludeRule = Conditions & { readonly when: 'always' | 'never' };

/** Where a file is that is not in the repository of the file that includes it. */
export type IncludeSource =
  | { readonly kind: 'project'; readonly project: string; readonly ref: string | null }
  /** What a job of the parent pipeline has left. */
  | { readonly kind: 'artifact'; readonly job: string };

export type IncludeEntry = {
  readonly mark: Mark;
  /** Path of the file. */
  readonly local: string;
  /** Null: the repository of the file that includes it. */
  readonly source: IncludeSource | null;
  readonly rules: readonly IncludeRule[] | null;
  /** Values for the inputs of the files. */
  readonly inputs: ReadonlyMap<string, Node>;
};

const OTHER_KINDS = ['remote', 'template', 'component'];
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
const SCHEMAS: Readonly<Record<'local' | 'project' | 'artifact', Schema>> = {
  local: hash({ keys: { ...common, local: text } }),
  project: hash({ keys: { ...common, project: text, file: textOrTexts, ref: text }, required: ['project', 'file'] }),
  artifact: hash({ keys: { ...common, artifact: text, job: text }, required: ['artifact', 'job'] }),
};
const KINDS = ['local', 'project', 'artifact'] as const;
const NO_INPUTS: ReadonlyMap<string, Node> = new Map();

/** The entries that can be followed; what is wrong with the others is reported. */
export function includeEntries(node: Node, context: Omit<KeywordContext, 'at'>): IncludeEntry[] {
  const items = flatItems(node) ?? [node];
  return items.flatMap((item) => entryOf(item, context) ?? []);
}

function entryOf(node: Node, context: Omit<KeywordContext, 'at'>): IncludeEntry[] | null {
  const { problems } = context;
  if (isText(node)) {
    if (!/^https?:\/\//.test(node.text))
      return [{ mark: node.mark, local: node.text, source: null, rules: null, inputs: NO_INPUTS }];
    problems.error(node.mark, 'include:remote is not supported yet, only include:local and include:project');
    return null;
  }
  if (!isMapping(node)) {
    problems.error(node.mark, 'include config should be an array of hashes or strings');
    return null;
  }
  const other = OTHER_KINDS.find((kind) => node.entries.has(kind));
  const mark = other && node.entries.get(other)?.keyMark;
  if (mark) {
    problems.error(mark, `include:${other} is not supported yet, only include:local and include:project`);
    return null;
  }
  const kind = KINDS.find((each) => node.entries.has(each));
  if (!kind) {
    problems.error(
      node.mark,
      'include config does not have a valid subkey for include. Valid subkeys are: `local`, `project`',
    );
    return null;
  }
  const value = textOf(field(node, kind));
  if (!SCHEMAS[kind](node, AT, problems) || value === null) return null;
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
  const source = { kind, project: value, ref: textOf(field(node, 'ref')) } as const;
  return textsOf(field(node, 'file')).map((local) => ({ ...rest, local, source }));
}

function inputsOf(node: Node | undefined): ReadonlyMap<string, Node> {
  return isMapping(node) ? new Map([...node.entries].map(([name, { value }]) => [name, value])) : NO_INPUTS;
}
