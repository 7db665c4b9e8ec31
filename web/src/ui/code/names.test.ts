import { expect, it } from 'vitest';
import { nameAround } from './names.ts';

it('the name around a place, and none between names or in numbers', () => {
  const text = 'const größe = $a_1.value(42);';
  expect(nameAround(text, 8)).toBe('größe');
  expect(nameAround(text, 6)).toBe('größe');
  expect(nameAround(text, 14)).toBe('$a_1');
  expect(nameAround(text, 20)).toBe('value');
  expect(nameAround(text, 13)).toBeNull();
  expect(nameAround(text, 26)).toBeNull();
  expect(nameAround('', 0)).toBeNull();
});
