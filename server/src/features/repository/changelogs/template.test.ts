/** Templates, versions and sections of changelogs. */
import { describe, expect, it } from 'vitest';
import { changelogConfig } from './config.ts';
import { sectionOf, withSection } from './section.ts';
import { parseTemplate, renderTemplate } from './template.ts';
import { compareVersions, formatDate, versionOf, versionReader } from './versions.ts';

const render = (source: string, data: unknown) => renderTemplate(parseTemplate(source), data);

describe('templates', () => {
  it('print values, choose and repeat; statements take their line end along', () => {
    expect(render('---\n{% if foo %}\nbar\n{% end %}\n---\n', { foo: true })).toBe('---\nbar\n---\n');
    expect(render('{% if x %}yes{% else %}no{% end %}', { x: [] })).toBe('no');
    expect(render('{% each users %}{{name}},{% end %}', { users: [{ name: 'a' }, { name: 'b' }] })).toBe('a,b,');
    expect(render('{% each list %}{{ it }}{% end %}{{ list.0 }}', { list: ['x', 'y'] })).toBe('xyx');
    expect(render('{{ users.0.name }}|{{ users.9.name }}|{{ users }}', { users: [{ name: 'a' }] })).toBe('a||');
    expect(render('a\\\nb', {})).toBe('ab');
    // Inside a loop there is nothing but its value, and nothing that JavaScript brings along.
    expect(render('{% each a %}{{ outer }}{{ constructor }}{{ __proto__ }}{% end %}', { a: [{}], outer: 'x' })).toBe(
      '',
    );
    for (const [value, shown] of [
      [0, 'y'],
      [false, 'n'],
      ['', 'n'],
      [{}, 'n'],
      [null, 'n'],
    ] as const)
      expect([value, render('{% if v %}y{% else %}n{% end %}', { v: value })]).toEqual([value, shown]);
  });

  it('security 10: what is no template is refused, and none takes long', () => {
    for (const source of [
      '{% if x %}',
      '{% end %}',
      '{% else %}',
      '{% each x y %}{% end %}',
      '{% run x %}',
      '{{ a b }}',
    ])
      expect(() => parseTemplate(source), source).toThrow(/without|is no/);
    expect(() => parseTemplate('{% if a %}'.repeat(40) + '{% end %}'.repeat(40))).toThrow(/deeper than 16/);
    const list = Array.from({ length: 100 }, () => ({ list: [] as unknown[] }));
    for (const each of list) each.list = list;
    const nested = `${'{% each list %}'.repeat(8)}x${'{% end %}'.repeat(8)}`;
    expect(() => render(nested, { list })).toThrow(/more than 200000 steps/);
    const long = Array.from({ length: 1000 }, () => 'x'.repeat(10_000));
    expect(() => render('{% each it %}{{ it }}{% end %}', long)).toThrow(/more than 4194304 characters/);
  });
});

it('versions are ordered as semantic versioning orders them', () => {
  const ordered = [
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    'v1.0.0',
    '1.0.1',
    '1.10.0',
  ];
  const versions = ordered.map((text) => versionOf(text) ?? expect.fail(text));
  for (const [at, version] of versions.entries())
    for (const [other, against] of versions.entries())
      expect(Math.sign(compareVersions(version, against)), `${ordered[at]} ${ordered[other]}`).toBe(
        Math.sign(at - other),
      );
  for (const text of ['1.0', '01.0.0', 'x1.0.0', '1.0.0.0', '1.0.99999999999'])
    expect([text, versionOf(text)]).toEqual([text, null]);
  const own = versionReader('^version-(?P<major>\\d+)\\.(?P<minor>\\d+)\\.(?P<patch>\\d+)$');
  expect([own?.('version-1.2.3'), own?.('v1.2.3'), versionReader('(')]).toEqual([
    { major: 1, minor: 2, patch: 3, pre: null },
    null,
    null,
  ]);
  expect(formatDate('%Y-%m-%d %B %-d %a %j %% %Q', new Date('2026-02-03T04:05:06Z'))).toBe(
    '2026-02-03 February 3 Tue 034 % %Q',
  );
});

it('sections go before the first older one, or into their own', () => {
  const section = (version: string, body = `- ${version}`) =>
    sectionOf(version, new Date('2026-01-02Z'), '%Y-%m-%d', body);
  let text = '';
  for (const version of ['1.0.0', '2.0.0', '1.5.0', '0.9.0']) text = withSection(text, section(version));
  expect([...text.matchAll(/^## (\S+)/gm)].map(([, version]) => version)).toEqual(['2.0.0', '1.5.0', '1.0.0', '0.9.0']);
  text = withSection(text, section('1.5.0', '- more\n\n\n\n- and more'));
  expect(text).toContain('## 1.5.0 (2026-01-02)\n\n- more\n\n- and more\n\n- 1.5.0\n\n## 1.0.0');
  expect(withSection('# About\n\nText\n', section('1.0.0'))).toBe(
    '## 1.0.0 (2026-01-02)\n\n- 1.0.0\n\n# About\n\nText\n',
  );
});

it('security 11: configurations are read with limits', () => {
  const bomb = `a: &a [${'x,'.repeat(50)}x]\n${'bcdefghij'
    .split('')
    .map((name, at) => `${name}: &${name} [${`*${'abcdefghij'[at]},`.repeat(50)}*${'abcdefghij'[at]}]`)
    .join('\n')}`;
  for (const text of [
    bomb,
    'categories: [',
    '- a',
    'categories: text',
    'template: "{% if x %}"',
    'tag_regex: "("',
    'include_groups: 7',
    'date_format: [1]',
  ])
    expect(() => changelogConfig('config.yml', text), text.slice(0, 40)).toThrow();
  expect(changelogConfig('config.yml', null).dateFormat).toBe('%Y-%m-%d');
});
