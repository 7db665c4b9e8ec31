import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { exportsOf } from './script.ts';

test.each(['/bin/sh', '/bin/bash'])(
  '%s gets every variable that it can have, whatever the others are called',
  (shell) => {
    const text = exportsOf({
      BEFORE: "it's",
      '1A': 'x',
      'a(b': 'x',
      'a.b': 'x',
      UID: '5',
      PPID: '6',
      AFTER: '$HOME\n2',
    });
    expect(execFileSync(shell, ['-c', `${text}printenv BEFORE AFTER`], { encoding: 'utf8' })).toBe("it's\n$HOME\n2\n");
  },
);
