/** The value of `include`: which files, under which rules. */
import type { Mark } from '../diagnostics.ts';
import { hasReference } from '../inputs/value.ts';
import type { KeywordContext } from '../keywords/keyword.ts';
import { field, textOf } from '../keywords/read.ts';
import { ruleList, ruleListSchema } from '../keywords/rule.ts';
import { flatItems, hash, isText, oneOf, type Schema, text } from '../keywords/schema.ts';
import type { Conditions } from '../rules/rules.ts';
import { isMapping, type Node } from '../yaml/tree.ts';

type IncludeRule = Conditions & { readonly when: 'always' | 'never' };
export type IncludeEntry = {
  readonly mark: Mark;
  readonly local: string;
  readonly rules: readonly IncludeRule[] | null;
  /** Values for the inputs of the files. */
  readonly inputs: ReadonlyMap<string, Node>;
};

const OTHER_KINDS = ['remote', 'project', 'template', 'component', 'artifact'];
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
const schema: Schema = hash({
  keys: { local: text, rules: ruleListSchema({ when: oneOf(['always', 'never']) }), inputs },
});
const NO_INPUTS: ReadonlyMap<string, Node> = new Map();

/** The entries that can be followed; what is wrong with the others is reported. */
export function includeEntries(node: Node, context: Omit<KeywordContext, 'at'>): IncludeEntry[] {
  const items = flatItems(node) ?? [node];
  return items.flatMap((item) => entryOf(item, context) ?? []);
}

function entryOf(node: Node, context: Omit<KeywordContext, 'at'>): IncludeEntry | null {
  const { problems } = context;
  if (isText(node)) {
    if (!/^https?:\/\//.test(node.text)) return { mark: node.mark, local: node.text, rules: null, inputs: NO_INPUTS };
    problems.error(node.mark, 'include:remote is not supported yet, only include:local');
    return null;
  }
  if (!isMapping(node)) {
    problems.error(node.mark, 'include config should be an array of hashes or strings');
    return null;
  }
  const other = OTHER_KINDS.find((kind) => node.entries.has(kind));
  const mark = other && node.entries.get(other)?.keyMark;
  if (mark) {
    problems.error(mark, `include:${other} is not supported yet, only include:local`);
    return null;
  }
  const local = textOf(field(node, 'local'));
  if (local === null && !node.entries.has('local')) {
    problems.error(node.mark, 'include config does not have a valid subkey for include. Valid subkeys are: `local`');
    return null;
  }
  if (!schema(node, AT, problems) || local === null) return null;
  const rules = field(node, 'rules');
  return {
    mark: node.entries.get('local')!.value.mark,
    local,
    rules: rules
      ? ruleList(rules, { ...context, at: RULES_AT }, (rule) => ({
          when: (textOf(field(rule, 'when')) ?? 'always') as 'always' | 'never',
        }))
      : null,
    inputs: inputsOf(field(node, 'inputs')),
  };
}

function inputsOf(node: Node | undefined): ReadonlyMap<string, Node> {
  return isMapping(node) ? new Map([...node.entries].map(([name, { value }]) => [name, value])) : NO_INPUTS;
}
