import { describe, expect, test } from 'vitest';
import { parseComponent, releasedVersion } from './components.ts';

describe('addresses of components', () => {
  test.each([
    ['host:8080/a/b/c/test@1.0', { project: 'a/b/c', name: 'test', version: '1.0' }],
    ['host:8080/a/b/test@feature/x@y', { project: 'a/b', name: 'test', version: 'feature/x@y' }],
    ['other/a/b/test@1', 'it is not of this instance'],
    ['host:8080.evil/a/b/test@1', 'it is not of this instance'],
    ['host:8080/a/b/test', 'it has no version'],
    ['host:8080/a/b/test@', 'it has no version'],
    ['host:8080/a/test@1', 'it is not `HOST/GROUP/PROJECT/NAME@VERSION`'],
    ['host:8080/a/b/..@1', 'it is not `HOST/GROUP/PROJECT/NAME@VERSION`'],
  ])('%s', (address, expected) => {
    expect(parseComponent(address, 'host:8080')).toEqual(expected);
  });
});

test('versions are the highest release that fits; pre-releases only by name', () => {
  const tags = ['1.2.9', '1.10.0', 'v2.0.1', '2.0.0', '3.0.0-rc1', 'nightly', '1.2.10'];
  const found = (wanted: string) => releasedVersion(tags, wanted);
  expect(['~latest', '1', '1.2', '2', '2.0'].map(found)).toEqual(['v2.0.1', '1.10.0', '1.2.10', 'v2.0.1', 'v2.0.1']);
  expect(['3', '1.3', '4', 'nightly', 'none'].map(found)).toEqual([null, null, null, null, null]);
  expect(['3.0.0-rc1', '1.2.9'].map(found)).toEqual(['3.0.0-rc1', '1.2.9']);
  expect(releasedVersion([], '~latest')).toBeNull();
});
