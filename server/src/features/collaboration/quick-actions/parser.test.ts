/** Which lines of a text are quick actions. */
import { describe, expect, it } from 'vitest';
import { dayIn } from './arguments.ts';
import { commandsIn } from './parser.ts';

const known = new Set(['close', 'label', 'due']);

describe('quick actions', () => {
  it('are lines of their own that begin with a known name, in any case and with any line end', () => {
    expect(commandsIn('Done.\n/close\r\n/LABEL ~a ~"b c"  \n/unknown x\n /close\nsee /close', known)).toEqual({
      text: 'Done.\n/unknown x\n /close\nsee /close',
      commands: [
        { name: 'close', argument: '' },
        { name: 'label', argument: '~a ~"b c"' },
      ],
    });
    expect(commandsIn('/close', known)).toEqual({ text: '', commands: [{ name: 'close', argument: '' }] });
  });

  it('are none in code and quotations, where the text stays as it was', () => {
    for (const text of ['```\n/close\n```', '~~~~\n~~~\n/close\n~~~~', '>>>\n/close\n>>>', '> /close', '/closed', '/'])
      expect(commandsIn(text, known)).toEqual({ text, commands: [] });
    expect(commandsIn('```\n/close\n```\n/close', known)).toEqual({
      text: '```\n/close\n```',
      commands: [{ name: 'close', argument: '' }],
    });
  });

  it('write a face where they stand', () => {
    expect(commandsIn('Well\n/shrug who knows', known).text).toBe('Well\nwho knows ¯\\＿(ツ)＿/¯');
    expect(commandsIn('/tableflip', known)).toEqual({ text: '(╯°□°)╯︵ ┻━┻', commands: [] });
  });

  it.each([
    ['2030-01-31', '2030-01-31'],
    ['today', '2026-12-30'],
    ['tomorrow', '2026-12-31'],
    ['in 2 days', '2027-01-01'],
    ['in 1 week', '2027-01-06'],
    ['in 2 months', '2027-02-28'],
    ['next monday', '2027-01-04'],
    ['December 31st', '2026-12-31'],
    ['jan 2', '2027-01-02'],
    ['2030-02-31', null],
    ['someday', null],
  ])('read %s as the day %s', (text, day) => {
    expect(dayIn(text, new Date('2026-12-30T23:00:00Z'))).toBe(day);
  });
});
