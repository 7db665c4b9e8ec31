/** Reading and writing comma-separated values. */
import { describe, expect, it } from 'vitest';
import { csvLine, inert, readCsv } from '../../../kernel/csv.ts';
import { issueRows } from './rows.ts';

const read = (text: string) => [...readCsv(text)].map(({ line, fields }) => [line, ...fields]);
const rows = (text: string) => issueRows(Buffer.from(text));

describe('reading', () => {
  it('takes quotes, line breaks of both kinds, empty fields, and knows where a row began', () => {
    expect(read('a,b\r\n"x ""y"", z","1\n2"\r\n\n,\nlast')).toEqual([
      [1, 'a', 'b'],
      [2, 'x "y", z', '1\n2'],
      [5, '', ''],
      [6, 'last'],
    ]);
  });
  it('finds the separator in the header', () => {
    expect(read('a;b,c;d\n1;2;3')).toEqual([
      [1, 'a', 'b,c', 'd'],
      [2, '1', '2', '3'],
    ]);
    expect(read('"a,,,;"\tb\n1\t2')).toEqual([
      [1, 'a,,,;', 'b'],
      [2, '1', '2'],
    ]);
  });
  it('says on which line it cannot go on', () => {
    expect(() => read('a,b\n1,"2\n3')).toThrow('Line 2: a quoted field is not closed');
    expect(() => read('a,b\n"1"2,3')).toThrow('Line 2: text follows a quoted field');
    expect(() => read(`a,b\n${','.repeat(100_000)}`)).toThrow('Line 2: more than 1000 columns');
  });
});

describe('writing', () => {
  it('quotes what needs it, and reads back', () => {
    const fields = ['plain', 'a,b', 'say "x"', 'two\nlines', '', 'ü'];
    expect(csvLine(fields)).toBe('plain,"a,b","say ""x""","two\nlines",,ü\n');
    expect(read(csvLine(fields))).toEqual([[1, ...fields]]);
  });
  it('leaves no text that a spreadsheet runs', () => {
    for (const text of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1']) expect(inert(text)).toBe(`'${text}`);
    for (const text of ['a=1', '1-1', '', ' =1']) expect(inert(text)).toBe(text);
  });
});

describe('rows of issues', () => {
  it('go by the names of the columns, in any case and order, and pass over others', () => {
    const bom = '\uFEFF';
    expect(
      rows(`${bom}Extra, DESCRIPTION ,Title,Due_Date,milestone,type\nx,text, A ,2030-01-02,v1,incident\n,,B`),
    ).toEqual([
      { line: 2, title: 'A', description: 'text', due_date: '2030-01-02', milestone: 'v1', type: 'incident' },
      { line: 3, title: 'B', description: '', due_date: '', milestone: '', type: '' },
    ]);
  });
  it('are refused as a whole without their columns, as no text, and when there are too many', () => {
    expect(() => rows('')).toThrow('The file is empty');
    expect(() => rows('title,body\nx,y')).toThrow('The file has no column "description"');
    expect(() => rows('title,description,TITLE\nx,y')).toThrow('The file has two columns "title"');
    expect(() => issueRows(Buffer.from([0x74, 0xff, 0xfe]))).toThrow('The file is not UTF-8 text');
    expect(() => rows('title,description\na\0b,c')).toThrow('The file is not UTF-8 text');
    expect(() => rows(`title,description\n${'a,b\n'.repeat(10_001)}`)).toThrow('The file has more than 10000 rows');
  });
});
