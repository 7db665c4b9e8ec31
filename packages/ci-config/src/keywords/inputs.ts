/** `inputs` of a job: values that whoever starts the job may change, which the runner puts into its script. */
import { collectProblems } from '../diagnostics.ts';
import { type InputSpec, readJobInputs } from '../inputs/spec.ts';
import { inputValues } from '../inputs/values.ts';
import type { Keyword } from './keyword.ts';
import { isHash, subjectOf } from './schema.ts';

export const inputs: Keyword<InputSpec[]> = {
  name: 'inputs',
  schema: (node, at, problems) => {
    if (isHash(node)) return true;
    problems.error(node.mark, `${subjectOf(at)} should be a hash`);
    return false;
  },
  normalise: (node, { at, problems, limits }) => {
    const specs = isHash(node) ? readJobInputs(node, at.path, { problems, limits }) : [];
    // Defaults that do not fit.
    const found = collectProblems();
    inputValues(specs, { mark: null, values: new Map() }, { problems: found, limits });
    for (const { message, limit, ...mark } of found.errors)
      problems.error(mark, `${at.path.replace(/:inputs$/, ' inputs')} ${message.replace('` input:', '`:')}`, limit);
    return specs;
  },
};
