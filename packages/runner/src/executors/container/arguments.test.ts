/** What an engine is told of a container. */
import { expect, test } from 'vitest';
import { type ContainerSpec, createArguments } from './arguments.ts';

const spec: ContainerSpec = {
  ...{ name: 'job-1', labels: {}, image: 'sha256:1', entrypoint: null, command: ['sh'], envFile: '/spool/build.env' },
  ...{ user: undefined, imageUser: '', platform: undefined, directories: [], volumes: [], workdir: undefined },
  ...{ network: { name: 'host', hosts: [] }, aliases: [], limits: {} },
};

test.each([
  [undefined, '', true],
  [undefined, '0:0', true],
  [undefined, 'worker', false],
  ['root', 'worker', true],
  ['worker:root', '', false],
  // A variable without a value: the user is that of the image.
  ['', 'worker', false],
])('of the user %o in an image of %o, whether it has capabilities of root: %s', (user, imageUser, expected) => {
  const given = createArguments({ ...spec, user, imageUser });
  expect(given).toContain('--cap-drop=ALL');
  expect(given.some((each) => each.startsWith('--cap-add'))).toBe(expected);
});
