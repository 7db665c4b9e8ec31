/** Lines to copy that include a component. */
import { expect, test } from 'vitest';
import { snippetOf } from './snippet.ts';

const input = { type: 'string', description: null, required: true, default: null, options: null, regex: null };

test('a component is included by the variable of the host, with the inputs that must be given', () => {
  const inputs = [
    { ...input, name: 'image' },
    { ...input, name: 'stage', options: ['check', 'test'] },
    { ...input, name: 'a key', type: 'number' },
    { ...input, name: 'late', required: false, default: 'x' },
  ];
  expect(snippetOf({ include: 'ci.example:8080/group/parts/test@1.0.0', inputs })).toBe(`include:
  - component: $CI_SERVER_FQDN/group/parts/test@1.0.0
    inputs:
      image: ""
      stage: "check"
      "a key": 0`);
  expect(snippetOf({ include: 'ci.example/a/b/c@1.0.0', inputs: [] })).toBe(
    'include:\n  - component: $CI_SERVER_FQDN/a/b/c@1.0.0',
  );
});
