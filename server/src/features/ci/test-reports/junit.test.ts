/** JUnit reports as test runners write them, broken ones, and hostile ones. */
import { describe, expect, test } from 'vitest';
import { readJunitFiles } from './junit.ts';

const wrapped = (inside: string) => `<testsuites><testsuite name="s">${inside}</testsuite></testsuites>`;
const readJunit = (text: string) => readJunitFiles([text]);
const errorOf = async (text: string) => (await readJunit(text)).error;

describe('JUnit reports', () => {
  test('have cases with status, time and output', async () => {
    const { cases, time, error } = await readJunit(`<?xml version="1.0" encoding="UTF-8"?>
      <!-- made by a test -->
      <testsuites name="all">
        <testsuite name="Calculator" tests="4">
          <properties><property name="error" value="x"/></properties>
          <testcase classname="calc.Add" name="adds &lt;two&gt; &#38; two" time="1.5" file="./add.rb"/>
          <testcase classname="calc.Add" name="divides" time="0.25">
            <failure message="wrong" type="Assertion"><![CDATA[expected <1>]]> got &quot;2&quot;</failure>
            <system-out>seen [[ATTACHMENT|shots/a.png]]</system-out>
            <system-err>oops</system-err>
          </testcase>
          <testcase classname="calc.Add" name="crashes" time="no"><error message="exit 1"/></testcase>
          <testcase name="later"><skipped/><system-out>quiet</system-out></testcase>
          <testsuite name="Nested"><testcase name="inner" time="1"/></testsuite>
        </testsuite>
      </testsuites>`);
    expect(error).toBeNull();
    expect(time).toBe(2.75);
    const other = { file: null, attachment: null, output: null, suite: 'Calculator', classname: 'calc.Add' };
    expect(cases).toEqual([
      { ...other, status: 'success', name: 'adds <two> & two', time: 1.5, file: './add.rb' },
      {
        ...other,
        status: 'failed',
        name: 'divides',
        time: 0.25,
        output: 'expected <1> got "2"\n\nSystem Out:\n\nseen [[ATTACHMENT|shots/a.png]]\n\nSystem Err:\n\noops',
        attachment: 'shots/a.png',
      },
      { ...other, status: 'error', name: 'crashes', time: 0, output: 'exit 1' },
      { ...other, status: 'skipped', name: 'later', classname: null, time: 0 },
      { ...other, status: 'success', name: 'inner', classname: null, time: 1, suite: 'Nested' },
    ]);
  });

  test('may be several documents, one after the other', async () => {
    const one = (name: string) =>
      `<?xml version="1.0"?>\n<testsuite name="${name}"><testcase name="a" time="1"/></testsuite>\n`;
    const { cases } = await readJunit(`\uFEFF${one('x')}\uFEFF${one('y')}`);
    expect(cases.map(({ suite, name }) => [suite, name])).toEqual([
      ['x', 'a'],
      ['y', 'a'],
    ]);
  });

  test('count a case with the same name and status once, and its time each time', async () => {
    const report = await readJunit(wrapped('<testcase name="a" time="1"/><testcase name="a" time="2"/>'));
    expect([report.cases.length, report.cases[0]?.time, report.time]).toEqual([1, 2, 3]);
  });

  test('have no cases outside of suites', async () => {
    expect(await readJunit('<testcase name="a"/>')).toEqual({ cases: [], time: 0, error: null });
    expect((await readJunit('<html><testsuite><testcase name="a"/></testsuite></html>')).cases).toEqual([]);
  });
});

describe('broken reports', () => {
  test.each([
    ['', '1:1: FATAL: Document is empty'],
    ['  \n', '1:1: FATAL: Document is empty'],
    ['<a>\n<b></a>', '2:4: FATAL: Opening and ending tag mismatch: b and a'],
    ['<testsuites>', '1:13: FATAL: premature end of data in tag testsuites'],
    ['<a/></b>', '1:5: FATAL: b is closed and was not opened'],
    ['<a>&nope;</a>', '1:4: FATAL: entity nope is not defined'],
    ['<a>x & y</a>', '1:6: FATAL: unescaped &'],
    ['<a>&#0;</a>', '1:4: FATAL: invalid character reference'],
    ['<a>&#xD800;</a>', '1:4: FATAL: invalid character reference'],
    ['<a b=c/>', '1:6: FATAL: the value of attribute b is not quoted'],
    ['<a b="<"/>', '1:7: FATAL: the value of attribute b contains <'],
    ['<a b="1" b="2"/>', '1:11: FATAL: attribute b redefined'],
    ['<a b="1"c="2"/>', '1:9: FATAL: attributes are separated by spaces'],
    ['<a b="', '1:7: FATAL: the value of attribute b is not closed'],
    ['<a', '1:3: FATAL: the tag is not closed'],
    ['<a/>words', '1:5: FATAL: text outside of the document'],
    ['<a><!-- b</a>', '1:8: FATAL: a comment is not closed'],
    ['{"json": true}', '1:1: FATAL: text outside of the document'],
    [`${'<a>'.repeat(101)}`, '1:301: FATAL: elements may be 100 levels deep'],
  ])('say where: %j', async (text, message) => {
    expect(await errorOf(text)).toBe(`JUnit XML parsing failed: ${message}`);
  });

  test('[security 11] entities of a document are refused, whatever they expand to', async () => {
    const bomb = '<!DOCTYPE b [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><testsuite><testcase name="&b;"/></testsuite>';
    const file = '<!DOCTYPE b [<!ENTITY a SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&a;"/></testsuite>';
    for (const text of [bomb, file])
      expect(await errorOf(text)).toContain('a document type with declarations is not allowed');
    // One that only names its kind is of no effect, nor is where it points.
    const plain = '<!DOCTYPE testsuite SYSTEM "http://127.0.0.1/x.dtd"><testsuite><testcase name="a"/></testsuite>';
    expect((await readJunit(plain)).cases).toHaveLength(1);
  });

  test('[security 11] more cases than the limit are an error that states it', async () => {
    const text = wrapped('<testcase/>'.repeat(100_001));
    expect(await errorOf(text)).toBe('JUnit data parsing failed: number of test cases exceeded the limit of 100000');
  });

  test('[security 10] hostile text is read in time that grows with its length', async () => {
    const texts = [
      '<a '.repeat(300_000),
      '&'.repeat(1_000_000),
      `<a>${'&amp'.repeat(250_000)}</a>`,
      '<!--'.repeat(250_000),
    ];
    // Of the processor: how busy the machine is does not matter.
    const before = process.cpuUsage();
    for (const text of texts) expect(await errorOf(text)).toContain('parsing failed');
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(5_000);
  });
});
