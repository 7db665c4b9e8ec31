/** Pure rules of variables, dotenv reports, durations, coverage. */

import { nameSlug, parseDotenv } from '@millrace/ci-config';
import { describe, expect, it } from 'vitest';
import { durationSeconds } from '../artifacts/duration.ts';
import { entryPath } from '../artifacts/store.ts';
import { coverageScanner } from '../traces/coverage.ts';
import { scopeCovers, variableProblems } from './masking.ts';
import { commitVariables, jobVariables, serverVariables } from './predefined.ts';

const variable = { key: 'KEY', value: 'value', masked: false, raw: false, environment_scope: '*' };

describe('stored variables', () => {
  it.each([
    [{ key: 'A-B' }, 'key'],
    [{ key: '' }, 'key'],
    [{ key: 'x'.repeat(256) }, 'key'],
    [{ value: 'short', masked: true }, 'value'],
    [{ value: 'two words here', masked: true }, 'value'],
    [{ value: 'has$dollar', masked: true }, 'value'],
    [{ value: 'x'.repeat(10_001) }, 'value'],
    [{ environment_scope: 'a,b' }, 'environment_scope'],
  ])('refuses %j', (change, field) => {
    expect(Object.keys(variableProblems({ ...variable, ...change }))).toEqual([field]);
  });

  it.each([
    {},
    { value: '', key: 'lower_1' },
    { value: 'longEnough+/=@:.~-_', masked: true },
    { value: 'raw$values?', masked: true, raw: true },
    { environment_scope: 'review/*' },
  ])('[security 21] takes %j', (change) => {
    expect(variableProblems({ ...variable, ...change })).toEqual({});
  });

  it.each([
    ['*', null, true],
    ['prod', null, false],
    ['prod', 'prod', true],
    ['review/*', 'review/x', true],
    ['review/*', 'reviews', false],
    ['*/eu/*', 'prod/eu/1', true],
    ['a*a', 'a', false],
    ['re*ew', 'review', true],
  ])('scope %s covers %s: %s', (scope, environment, covers) => {
    expect(scopeCovers(scope, environment)).toBe(covers);
  });
});

describe('names', () => {
  it('slugs are host names', () => {
    expect(nameSlug('Feature/Ünïcode--')).toBe('feature--n-code');
    expect(nameSlug(`-${'x'.repeat(100)}`)).toHaveLength(62);
  });

  it('the server is told with both spellings of the marker', () => {
    const names = serverVariables({ externalUrl: 'https://forge.test/base', ssh: null });
    const of = (key: string) => names.find((item) => item.key === key)?.value;
    expect([of('GITLAB_CI'), of('MILLRACE_CI'), of('CI')]).toEqual(['true', 'true', 'true']);
    expect(of('CI_API_V4_URL')).toBe('https://forge.test/base/api/v4');
    expect([of('CI_SERVER_HOST'), of('CI_SERVER_PORT'), of('CI_SERVER_VERSION_MAJOR')]).toEqual([
      'forge.test',
      '443',
      '18',
    ]);
  });
});

describe('commits and runners', () => {
  const facts = {
    ...{ sha: 'a'.repeat(40), beforeSha: '0'.repeat(40), ref: 'main', tag: false, refProtected: false },
    ...{ source: 'push', mergeRequest: null },
  };
  const title = 't'.repeat(100);
  it.each([
    ['Line', 'Line', ''],
    ['Line\n\nBody\n', 'Line', '\nBody'],
    ['One\nTwo\n\nBody', 'One', 'Two\n\nBody'],
    [`${title}\n\nBody\n`, title, `${title}\n\nBody\n`],
  ])('[20/4] the message %j has a title and a description', (message, expected, description) => {
    const commit = { message, committed_date: '', author_name: '', author_email: '' };
    const found = commitVariables(facts, commit as Parameters<typeof commitVariables>[1]);
    const of = (key: string) => found.find((item) => item.key === key)?.value;
    expect([of('CI_COMMIT_TITLE'), of('CI_COMMIT_DESCRIPTION')]).toEqual([expected, description]);
  });

  it('[20/4] tags of runners are a list', () => {
    const found = jobVariables({
      ...{ job: { name: 'a', stage: 'test' }, plan: { image: null, parallel: null }, token: 'x', projectUrl: '' },
      ...{
        repositoryUrl: '',
        runner: { id: 1, description: '', tag_list: ['docker', 'big "one"'] },
        timeoutSeconds: 1,
      },
    } as unknown as Parameters<typeof jobVariables>[0]);
    expect(found.find(({ key }) => key === 'CI_RUNNER_TAGS')?.value).toBe('["docker", "big \\"one\\""]');
  });
});

describe('dotenv reports', () => {
  const limits = { bytes: 60, variables: 4 };
  it('[20/7] takes values as they are written; the last one of a key wins', () => {
    expect(parseDotenv('A=1\r\nB="two words"\nA = 3\nC=a=b # c\nD=\n', limits)).toEqual({
      ok: true,
      variables: [
        { key: 'A', value: '3' },
        { key: 'B', value: '"two words"' },
        { key: 'C', value: 'a=b # c' },
        { key: 'D', value: '' },
      ],
    });
    expect(parseDotenv('', limits)).toEqual({ ok: true, variables: [] });
  });
  it.each([
    ['no equals', 'Invalid Format: line 1'],
    ['A=1\n\nB=2', 'Invalid Format: line 2'],
    ['# hello\nA=1', 'Invalid Format: line 1'],
    ['A=1\n# B=2', "Key can contain only letters, digits and '_': line 2"],
    ['A=1\n1B=2', "Key can contain only letters, digits and '_': line 2"],
    [`A=${'x'.repeat(59)}`, 'Dotenv Artifact Too Big. Maximum Allowable Size: 60'],
    ['A=\nB=\nC=\nD=\nE=', 'Dotenv files cannot have more than 4 variables'],
  ])('[20/7] refuses a bad report and says why: %j', (text, reason) => {
    const result = parseDotenv(text, limits);
    expect(result.ok ? '' : result.reason).toContain(reason);
  });
});

describe('durations', () => {
  it.each([
    ['30 days', 2_592_000],
    ['1h 30min', 5400],
    ['3 mins 4 sec', 184],
    ['1 week and 2 days', 777_600],
    ['42', 42],
    ['never', 0],
    ['', 0],
    ['2 hours, 5 minutes', 7500],
    ['soon', null],
    ['5 lightyears', null],
    ['- 4 days', null],
  ])('%j is %s seconds', (text, seconds) => {
    expect(durationSeconds(text)).toBe(seconds);
  });
});

describe('coverage', () => {
  const found = (expression: string, ...parts: string[]) => {
    const scanner = coverageScanner(expression);
    for (const part of parts) scanner?.push(part);
    return scanner?.result();
  };
  it('[2/fields.job/8] takes the last match, across pieces and terminal colours', () => {
    expect(
      found('/All files\\s*\\|\\s*([\\d.]+)/', 'All files | 12.5\nAll fi', 'les | \u001b[32m97.25\u001b[0m\nend'),
    ).toBe('97.25');
    expect(found('/Coverage: \\d+%/', 'Coverage: 80%\n')).toBe('80.00');
    expect(found('/^Coverage: \\d+%/', '2026-11-27T03:15:06.098722Z 01O Coverage: 81%\n')).toBe('81.00');
    expect(found('/nothing/', 'Coverage: 80%')).toBeNull();
    expect(found('/\\d+/', '250')).toBeNull();
  });
  it.each([
    ['/(?:LOC\\s\\(\\d+\\.\\d+%|Line Coverage:\\s\\d+\\.\\d+%)/', '10 / 20 LOC (93.1%) covered.', '93.10'],
    ['/(?i)total.*? (100(?:\\.0+)?\\%|[1-9]?\\d(?:\\.\\d+)?\\%)$/', 'ToTaL: 75.5%', '75.50'],
    ['/^Statements\\s*:\\s*([^%]+)/', 'Statements   : 83.33% ( 5/6 )', '83.33'],
    ['/(Visited Points).*\\((.*)\\)/', 'Visited Points 10 of 12 (83.3)', '83.30'],
    ['/Covered (\\d{1,3}(\\.|,)?\\d{0,2}%)/', 'Covered 74.5% / 75%', '74.50'],
    ['/(\\d+(\\.\\d+)?)% of (lines|files)/', '87.5% of lines', '87.50'],
  ])('[20/7] %s finds the number in the last group that has one', (expression, line, expected) => {
    expect(found(expression, line)).toBe(expected);
  });
  it('[security 10] an expression that backtracks elsewhere is linear here', () => {
    const before = process.cpuUsage();
    expect(found('/(a+)+$/', `${'a'.repeat(100_000)}!\n`)).toBeNull();
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2);
    expect(coverageScanner('/(unclosed/')).toBeNull();
  });
});

describe('paths in archives', () => {
  it.each(['', '/etc/passwd', '../x', 'a/../b', 'a//b', 'a/./b', 'a\\..\\b', 'a\0b', 'dir/'])(
    '[2/api.job-artifacts/4] [security 2] %j is 400',
    (path) => {
      expect(() => entryPath(path)).toThrow('400');
    },
  );
  it('plain ones pass', () => {
    expect(entryPath('dist/a b/ü.txt')).toBe('dist/a b/ü.txt');
  });
});
