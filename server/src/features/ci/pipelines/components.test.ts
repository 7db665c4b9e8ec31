import { describe, expect, test } from 'vitest';
import { parseComponent, publishedRange } from './components.ts';

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

test.each([
  ['~latest', { major: null, minor: null }],
  ['1', { major: 1, minor: null }],
  ['1.20', { major: 1, minor: 20 }],
  ['1.2.3', null],
  ['v1', null],
  ['main', null],
])('%s asks the catalog for %j', (wanted, expected) => {
  expect(publishedRange(wanted)).toEqual(expected);
});
