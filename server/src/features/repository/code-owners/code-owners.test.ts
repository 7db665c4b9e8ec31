/** CODEOWNERS: patterns, sections, owners. */
import { describe, expect, it } from 'vitest';
import { ownersOf, ownerText, parseCodeOwners } from './code-owners.ts';
import { matchesGlob, readGlob } from './globs.ts';

const owners = (text: string, path: string) =>
  ownersOf(parseCodeOwners(text), path).map((found) => [found.section, found.owners.map(ownerText).join(' ')]);
const lines = (...all: string[]) => all.join('\n');

describe('patterns', () => {
  it.each([
    ['*', 'a/b/.c', true],
    ['README.md', 'README.md', true],
    ['README.md', 'lib/deep/README.md', true],
    ['/README.md', 'lib/README.md', false],
    ['internal/README.md', 'docs/internal/README.md', true],
    ['*.rb', 'a/b/c.rb', true],
    ['*.rb', 'a/b/c.rbx', false],
    ['/docs/', 'docs/a/b.md', true],
    ['/docs/', 'docs', false],
    ['docs/', 'lib/docs/a', true],
    ['/docs/*', 'docs/a.md', true],
    ['/docs/*', 'docs/a/b.md', false],
    ['/docs/**/*.md', 'docs/a.md', true],
    ['/docs/**/*.md', 'docs/a/b/c.md', true],
    ['/docs/**/index.md', 'docs/index.md', true],
    ['/docs/*/README.md', 'docs/api/README.md', true],
    ['/docs/*/README.md', 'docs/api/v4/README.md', false],
    ['/docs/*spec*', 'docs/qa_specs.rb', true],
    ['/a/**/b/**/c', 'a/b/x/b/y/c', true],
    ['/a/**/b/**/c', 'a/x/y/c', false],
    ['file?.txt', 'file1.txt', true],
    ['file?.txt', 'file12.txt', false],
    ['/[a-c]*.ts', 'beta.ts', true],
    ['/[!a-c]*.ts', 'beta.ts', false],
    ['/[a', '[a', true],
    ['with\\ space.txt', 'x/with space.txt', true],
    ['\\#hash', '#hash', true],
    ['/ä*', 'äöü', true],
    ['docs', 'docs/a.md', false],
  ])('%s and %s: %s', (pattern, path, expected) => {
    expect(matchesGlob(readGlob(pattern), path)).toBe(expected);
  });

  it('security 10: no pattern makes a match slow', () => {
    const before = process.cpuUsage();
    expect(matchesGlob(readGlob(`${'*a'.repeat(500)}b`), 'a'.repeat(2000))).toBe(false);
    expect(matchesGlob(readGlob(`${'**/a/'.repeat(200)}b`), 'a/'.repeat(1000))).toBe(false);
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(1);
  });
});

describe('entries', () => {
  it('the last pattern that matches wins, comments and blank lines say nothing', () => {
    const text = lines('# @nobody', '', '* @all', '*.md @docs @group/sub', '/docs/secret.md security@example.com');
    expect(owners(text, 'x.ts')).toEqual([['codeowners', '@all']]);
    expect(owners(text, 'x.md')).toEqual([['codeowners', '@docs @group/sub']]);
    expect(owners(text, 'docs/secret.md')).toEqual([['codeowners', 'security@example.com']]);
  });

  it('roles are those of the project, in one or many', () => {
    const { sections, problems } = parseCodeOwners('/config/ @@maintainer @@Developers @@guest @ok');
    expect(sections[0]?.entries[0]?.owners).toEqual([
      { kind: 'role', text: '@@maintainer', level: 40 },
      { kind: 'role', text: '@@Developers', level: 30 },
      { kind: 'name', text: 'ok' },
    ]);
    expect(problems).toEqual([]);
  });

  it('an entry without owners takes its files from the one before', () => {
    const text = lines('* @all', '/generated/');
    expect([owners(text, 'a'), owners(text, 'generated/a')]).toEqual([[['codeowners', '@all']], []]);
    expect(parseCodeOwners(text).problems).toEqual([{ line: 2, reason: 'no owner' }]);
  });

  it('what a section leaves out stays out, in that section alone', () => {
    const text = lines('* @all', '!pom.xml', 'pom.xml @late', '[Java]', 'pom.xml @java', '!/legacy/');
    expect(owners(text, 'pom.xml')).toEqual([['Java', '@java']]);
    expect(owners(text, 'legacy/pom.xml')).toEqual([]);
    expect(owners(text, 'Main.java')).toEqual([['codeowners', '@all']]);
  });
});

describe('sections', () => {
  it('each is asked for itself; default owners are for entries without their own', () => {
    const text = lines(
      '* @all',
      '[Docs] @writers @group',
      'docs/',
      'README.md @readme',
      '[Data base][2] @dba',
      '*.sql',
    );
    expect(owners(text, 'docs/x.sql')).toEqual([
      ['codeowners', '@all'],
      ['Docs', '@writers @group'],
      ['Data base', '@dba'],
    ]);
    expect(owners(text, 'README.md')).toEqual([
      ['codeowners', '@all'],
      ['Docs', '@readme'],
    ]);
    expect(ownersOf(parseCodeOwners(text), 'x.sql').at(-1)).toMatchObject({ approvals: 2, optional: false });
  });

  it('headings of the same name are one section: required if one is, with the most approvals', () => {
    const text = lines('^[Go][3] @go', '*.go', '[go] @other', 'go.mod', '^[Style]', '*.css @css');
    const { sections } = parseCodeOwners(text);
    expect(sections.map(({ name, optional, approvals }) => [name, optional, approvals])).toEqual([
      ['Go', false, 3],
      ['Style', true, 1],
    ]);
    expect([owners(text, 'a.go'), owners(text, 'go.mod')]).toEqual([[['Go', '@go']], [['Go', '@other']]]);
  });

  it('what looks like a heading and is none is a path', () => {
    const text = lines('[Broken @a', '[] @b', '[ ] @c');
    expect(parseCodeOwners(text).sections.map(({ name }) => name)).toEqual(['codeowners']);
  });

  it('any text has an answer', () => {
    for (const text of ['\\', '!', '[', '^', '!\\ ', '\u0000', '[a]['.repeat(1000), ' '.repeat(10_000)])
      expect(() => ownersOf(parseCodeOwners(text), 'a/b')).not.toThrow();
  });
});
