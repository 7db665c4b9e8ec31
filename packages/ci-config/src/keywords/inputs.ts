/** `inputs` of a job: values that whoever starts the job may change, which the runner puts into its script. */
import { type InputSpec, readJobInputs } from '../inputs/spec.ts';
import { inputValues } from '../inputs/values.ts';
import type { Keyword } from './keyword.ts';
import { isHash } from './schema.ts';

export const inputs: Keyword<InputSpec[]> = {
  name: 'inputs',
  schema: (node, at, problems) => {
    if (isHash(node)) return true;
    problems.error(node.mark, `${at.path} ${at.noun} should be a hash`);
    return false;
  },
  normalise: (node, { at, problems, limits }) => {
    const specs = isHash(node) ? readJobInputs(node, at.path, { problems, limits }) : [];
    // Reports defaults that do not fit.
    inputValues(specs, { mark: null, values: new Map() }, { problems, limits });
    return specs;
  },
};
