/** YAML that is no pipeline, as plain values: with the same limits on aliases, depth and size. */
import { CompileFailure, collectProblems, formatLocated } from '../diagnostics.ts';
import { DEFAULT_LIMITS, type Limits } from '../limits.ts';
import { parseYaml } from './parse.ts';
import { mergeBudget, type Node } from './tree.ts';

/** A text that is no YAML, or more of it than is read. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
}

/** A value as JavaScript has it. */
export function plainValue(node: Node): unknown {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'sequence':
      return node.items.map(plainValue);
    case 'mapping':
      return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, plainValue(value)]));
    case 'reference':
      throw new YamlError('!reference has no meaning here');
  }
}

/** The value of one YAML document; null of an empty one. Throws YamlError. */
export function readYaml(file: string, text: string, limits: Limits = DEFAULT_LIMITS): unknown {
  const problems = collectProblems();
  try {
    const root = parseYaml(file, text, { limits, problems, budget: mergeBudget(limits) });
    const [first] = problems.errors;
    if (first) throw new YamlError(formatLocated(first));
    return root && plainValue(root);
  } catch (error) {
    throw error instanceof CompileFailure ? new YamlError(formatLocated(error.located)) : error;
  }
}
