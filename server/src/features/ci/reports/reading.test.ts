/** Reports as tools write them, broken ones, and hostile ones. */
import { describe, expect, test } from 'vitest';
import { accessibility, compareAccessibility } from './accessibility.ts';
import { codeQuality, compareQuality } from './code-quality.ts';
import { cobertura, coverageOf, jacoco, rootBelow } from './coverage.ts';
import type { ReportKind } from './kind.ts';
import { compareLicenses, licenses, mergedLicenses } from './licenses.ts';
import { compareMetrics, metrics } from './metrics.ts';
import { browserPerformance, comparePerformance, loadPerformance } from './performance.ts';
import { terraform } from './terraform.ts';

const place = { projectPath: 'sea/harbour' };
const read = async <T>(kind: ReportKind<T>, text: string) => await kind.read(text, place);

const coberturaText = `<?xml version="1.0"?>
<!DOCTYPE coverage SYSTEM "http://cobertura.sourceforge.net/xml/coverage-04.dtd">
<coverage line-rate="0.5">
  <sources><source>/builds/sea/harbour/src</source><source>.</source></sources>
  <packages><package name="p"><classes>
    <class name="Berth" filename="berth.rb"><methods><method name="m"><lines><line number="2" hits="3"/></lines></method></methods>
      <lines><line number="1" hits="1"/><line number="2" hits="0"/><line number="3" hits="0" branch="true"/></lines></class>
    <class name="Berth2" filename="berth.rb"><lines><line number="3" hits="4"/></lines></class>
    <class name="Odd" filename="odd.rb"><lines><line number="x" hits="1"/><line number="4" hits="-1"/></lines></class>
  </classes></package></packages>
</coverage>`;
const jacocoText = `<report name="r"><package name="com/sea"><class name="com/sea/Ship" sourcefilename="Ship.java"/>
  <sourcefile name="Ship.java"><line nr="7" mi="0" ci="3"/><line nr="8" mi="2" ci="0"/><counter type="LINE" missed="1" covered="1"/></sourcefile>
</package></report>`;

describe('coverage', () => {
  test('of Cobertura counts lines by file, below the source directories', async () => {
    const { content, summary } = await read(cobertura, coberturaText);
    expect(summary).toEqual({ files: 1, lines: 3, covered: 3 });
    expect(content.roots).toEqual(['src', '']);
    const covered = { 1: 1, 2: 3, 3: 4 };
    expect(coverageOf([content], ['src/berth.rb', 'lib/berth.rb', 'berth.rb'])).toEqual({
      'src/berth.rb': covered,
      'berth.rb': covered,
    });
  });

  test('of JaCoCo is found wherever the source directory is', async () => {
    const { content } = await read(jacoco, jacocoText);
    const lines = { 7: 3, 8: 0 };
    expect(coverageOf([content], ['app/src/main/java/com/sea/Ship.java', 'Ship.java'])).toEqual({
      'app/src/main/java/com/sea/Ship.java': lines,
    });
  });

  test('of several reports is the highest of each line', async () => {
    const report = (hits: number) =>
      read(cobertura, `<coverage><class filename="a"><line number="1" hits="${hits}"/></class></coverage>`);
    const [one, two] = [await report(0), await report(2)];
    expect(coverageOf([two.content, one.content], ['a'])).toEqual({ a: { 1: 2 } });
  });

  test('[security 11] names of files are data', async () => {
    const text = '<coverage><class filename="__proto__"><line number="1" hits="1"/></class></coverage>';
    const { content } = await read(cobertura, text);
    const found = coverageOf([content], ['__proto__', 'constructor']);
    expect(Object.keys(found)).toEqual(['__proto__']);
    expect(({} as Record<string, unknown>)['1']).toBeUndefined();
  });

  test('[security 11] entities are refused, and lines are limited', async () => {
    const bomb = '<!DOCTYPE c [<!ENTITY a "aaaa">]><coverage><class filename="&a;"/></coverage>';
    await expect(read(cobertura, bomb)).rejects.toThrow('a document type with declarations is not allowed');
    await expect(read(cobertura, '<coverage>')).rejects.toThrow('XML parsing failed: 1:11');
    const many = '<line number="1" hits="1"/>'.repeat(20_000);
    const { summary } = await read(cobertura, `<coverage><class filename="a">${many}</class></coverage>`);
    expect(summary.lines).toBe(1);
  });

  test.each([
    ['/builds/sea/harbour/', ''],
    ['/builds/sea/harbour/app/lib', 'app/lib'],
    ['/home/x/sea/harbour', ''],
    ['/elsewhere', null],
    ['./src/', 'src'],
    ['C:\\builds\\sea\\harbour\\src', 'src'],
  ])('source %s is %s', (source, root) => {
    expect(rootBelow(source, 'sea/harbour')).toBe(root);
  });
});

describe('code quality', () => {
  const finding = (fingerprint: string, more: object = {}) => ({
    description: 'Too long',
    check_name: 'length',
    fingerprint,
    severity: 'major',
    location: { path: './lib/a.rb', lines: { begin: 3 } },
    ...more,
  });
  test('has findings with place and severity', async () => {
    const positions = { path: 'b.rb', positions: { begin: { line: 9, column: 1 } } };
    const list = [finding('1'), finding('2', { severity: 'odd', location: positions, engine_name: 'x' }), finding('1')];
    const { content, summary } = await read(codeQuality, JSON.stringify(list));
    expect(summary).toEqual({ findings: 2 });
    expect(content).toEqual([
      { fingerprint: '1', description: 'Too long', severity: 'major', path: 'lib/a.rb', line: 3, engine: null },
      { fingerprint: '2', description: 'Too long', severity: 'unknown', path: 'b.rb', line: 9, engine: 'x' },
    ]);
  });
  test('is compared by fingerprint, the worst first', async () => {
    const { content: base } = await read(codeQuality, JSON.stringify([finding('1'), finding('2')]));
    const { content: head } = await read(
      codeQuality,
      JSON.stringify([finding('2'), finding('3', { severity: 'info' }), finding('4', { severity: 'blocker' })]),
    );
    const found = compareQuality(base, head);
    const prints = (of: readonly { fingerprint: string }[]) => of.map(({ fingerprint }) => fingerprint);
    expect([prints(found.added), prints(found.resolved), prints(found.existing)]).toEqual([['4', '3'], ['1'], ['2']]);
  });
  test.each([
    ['{', 'JSON parsing failed'],
    ['{}', 'Invalid degradation format: the report is not a list'],
    ['[1]', 'Invalid degradation format: finding 1 has no location'],
    ['[{"location": {"path": "a"}}]', 'Invalid degradation format: finding 1 has no fingerprint or path'],
    [JSON.stringify(Array(50_001).fill(1)), 'number of findings exceeded the limit of 50000'],
  ])('%# is refused', async (text, message) => {
    await expect(read(codeQuality, text)).rejects.toThrow(message);
  });
});

test('terraform plans are three numbers', async () => {
  expect((await read(terraform, '{"create": 1, "update": 0, "delete": 2, "more": 1}')).content).toEqual({
    ...{ create: 1, update: 0, delete: 2 },
  });
  for (const text of ['{"create": 1, "update": 0}', '{"create": "1", "update": 0, "delete": 0}', '[]', '{"create":-1}'])
    await expect(read(terraform, text)).rejects.toThrow('missing_report_keys');
});

test('metrics have names with labels, and values', async () => {
  const text = '# HELP size\nsize{file="a b }",x="1\\"2"} 12.5 1700000000\n\ntime 3\n';
  const { content } = await read(metrics, text);
  expect(content).toEqual([
    { name: 'size{file="a b }",x="1\\"2"}', value: '12.5' },
    { name: 'time', value: '3' },
  ]);
  await expect(read(metrics, 'nothing\n')).rejects.toThrow('a line has no value');
  expect(
    compareMetrics(
      [...content, { name: 'gone', value: '1' }],
      [
        { name: 'time', value: '4' },
        { name: 'new', value: '1' },
      ],
    ),
  ).toEqual({
    added: [{ name: 'new', value: '1' }],
    existing: [{ name: 'time', value: '4', previous: '3' }],
    removed: [content[0], { name: 'gone', value: '1' }],
  });
});

describe('accessibility', () => {
  const report = (list: readonly object[]) => JSON.stringify({ results: { 'https://a.example/': list } });
  const error = { code: 'WCAG', type: 'error', message: 'No name', context: '<a>', selector: '#a', runner: 'htmlcs' };

  test('keeps errors, and compares them by page, rule and element', async () => {
    const text = report([error, { ...error, type: 'notice' }, { message: 'Timeout' }]);
    const { content, summary } = await read(accessibility, text);
    expect(summary).toEqual({ errors: 2 });
    expect(content).toMatchObject([
      { url: 'https://a.example/', code: 'WCAG', selector: '#a' },
      { code: '', message: 'Timeout', type: 'error' },
    ]);
    const [first, second] = content;
    if (!first || !second) throw new Error('no findings');
    const other = { ...first, message: 'Other words' };
    expect(compareAccessibility([first], [other, second])).toEqual({
      added: [second],
      resolved: [],
      existing: [other],
    });
  });

  test.each(['[]', '{}', '{"results": {"u": 1}}', '{"results": {"u": [{}]}}', '{"results": {"u": [null]}}', '{'])(
    'refuses %s',
    async (text) => {
      await expect(read(accessibility, text)).rejects.toThrow();
    },
  );
});

describe('licenses', () => {
  test('of the present format and of the old one', async () => {
    const now = await read(
      licenses,
      JSON.stringify({
        licenses: [{ id: 'MIT', name: 'MIT License', url: 'javascript:alert(1)' }],
        dependencies: [
          { name: 'b', version: '2', licenses: ['MIT', 'Odd'] },
          { name: 'a', licenses: [{ id: 'MIT' }] },
          { name: 'c', licenses: [] },
        ],
      }),
    );
    expect(now.content).toEqual([
      { id: 'MIT', name: 'MIT License', url: null, dependencies: ['a', 'b 2'] },
      { id: null, name: 'Odd', url: null, dependencies: ['b 2'] },
      { id: null, name: 'Unknown', url: null, dependencies: ['c'] },
    ]);
    const old = await read(
      licenses,
      '{"licenses": [{"count": 1, "name": "BSD"}], "dependencies": [{"license": {"name": "BSD"}, "dependency": {"name": "d"}}]}',
    );
    expect(old).toEqual({
      content: [{ id: null, name: 'BSD', url: null, dependencies: ['d'] }],
      summary: { licenses: 1, dependencies: 1 },
    });
    const { added, removed, existing } = compareLicenses(old.content, now.content);
    expect([added.length, removed.map(({ name }) => name), existing]).toEqual([3, ['BSD'], []]);
    expect(mergedLicenses([old.content, old.content.map((use) => ({ ...use, dependencies: ['e'] }))])).toMatchObject([
      { name: 'BSD', dependencies: ['d', 'e'] },
    ]);
  });

  test.each([
    '[]',
    '{}',
    '{"licenses": 1}',
    '{"dependencies": [{}]}',
    '{"dependencies": [1]}',
    '{"licenses": ["MIT"]}',
  ])('refuses %s', async (text) => {
    await expect(read(licenses, text)).rejects.toThrow();
  });
});

describe('performance', () => {
  const [pages, legacy] = browserPerformance;
  if (!pages || !legacy) throw new Error('no readers');
  const score = (value: unknown) => ({ name: 'Total Score', value, desiredSize: 'larger' });

  test('of pages, better or worse by what is wanted', async () => {
    const speed = (value: number) => ({ name: 'Speed Index', value, desiredSize: 'smaller' });
    const page = (subject: string, ...metrics: object[]) => ({ subject, metrics });
    const before = await read(
      pages,
      JSON.stringify([page('/', score('90'), speed(800), { ...speed(1), name: 'Same' })]),
    );
    const now = await read(
      legacy,
      JSON.stringify([page('/', score(86), speed(700), { ...speed(1), name: 'Same' }), page('/new', score(50.126))]),
    );
    expect(now.content[3]).toEqual({ subject: '/new', name: 'Total Score', value: 50.13, larger: true });
    const names = (threshold?: number) => {
      const { degraded, improved, unchanged, added } = comparePerformance(before.content, now.content, threshold);
      return [degraded, improved, unchanged, added].map((list) => list.map(({ name }) => name));
    };
    expect(names()).toEqual([['Total Score'], ['Speed Index'], ['Same'], ['Total Score']]);
    expect(names(4)[0]).toEqual(['Total Score']);
    expect(names(5)).toEqual([[], ['Speed Index'], ['Total Score', 'Same'], ['Total Score']]);
    expect((await read(pages, JSON.stringify([page('/', score('n/a'))]))).content).toEqual([]);
  });

  test('under load, in four numbers', async () => {
    const metrics = {
      checks: { passes: 9, fails: 1 },
      http_req_waiting: { 'p(90)': 120.456, 'p(95)': 200 },
      http_reqs: { count: 10, rate: 33.333 },
      vus: { value: 1 },
    };
    const { content } = await read(loadPerformance, JSON.stringify({ metrics }));
    expect(content.map(({ name, value }) => [name, value])).toEqual([
      ['Checks (%)', 90],
      ['TTFB P90 (ms)', 120.46],
      ['TTFB P95 (ms)', 200],
      ['RPS', 33.33],
    ]);
    expect((await read(loadPerformance, '{"metrics": {"checks": {"passes": 0, "fails": 0}}}')).content).toEqual([]);
  });

  test.each(['{}', '[1]', '[{"subject": "/"}]', '[{"metrics": [1]}]', '[{"metrics": [{"value": 1}]}]', '['])(
    'of pages refuses %s',
    async (text) => {
      await expect(read(pages, text)).rejects.toThrow();
    },
  );
  test.each(['[]', '{}', '{"metrics": 1}', '{'])('under load refuses %s', async (text) => {
    await expect(read(loadPerformance, text)).rejects.toThrow();
  });
});
