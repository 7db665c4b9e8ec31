/** Each component of the library that is used has its styles. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const library = dirname(createRequire(import.meta.url).resolve('@mantine/core/styles.css'));
const read = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8');

test('the styles of all components that are imported are loaded', () => {
  const loaded = new Set([...read('mantine-styles.ts').matchAll(/styles\/(\w+)\.css/g)].map(([, name]) => name));
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  const used = files
    .filter((file) => file.endsWith('.tsx'))
    .flatMap((file) => [...read(file).matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)])
    .flatMap(([, names = '']) => names.split(',').map((name) => name.trim().split(' ')[0] ?? ''))
    .filter((name) => existsSync(join(library, 'styles', `${name}.css`)));
  expect(used.length).toBeGreaterThan(50);
  expect([...new Set(used)].filter((name) => !loaded.has(name))).toEqual([]);
});
