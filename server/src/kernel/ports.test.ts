/** Ports: late providers, and a start that is refused when one is missing. */
import { expect, test } from 'vitest';
import { createPorts, everyPort, onePort } from './ports.ts';

interface Greeter {
  greet(name: string): string;
}
const greeter = onePort<Greeter>('somebody who greets');
const listeners = everyPort<{ heard(word: string): void }>('listeners');

test('a face is handed on before its provider exists and used after it', () => {
  const ports = createPorts();
  const face = ports.one(greeter);
  const { greet: early } = face;
  expect(() => face.greet('Ada')).toThrow('No feature provides: somebody who greets');
  ports.provide(greeter, { greet: (name) => `Hello, ${name}` });
  ports.complete();
  expect(face.greet('Ada')).toBe('Hello, Ada');
  expect(early('Bob')).toBe('Hello, Bob');
});

test('a port that is used and not provided refuses the start; a second provider is refused', () => {
  const ports = createPorts();
  ports.complete();
  ports.one(greeter);
  expect(() => ports.complete()).toThrow('No feature provides: somebody who greets');
  ports.provide(greeter, { greet: () => '' });
  expect(() => ports.provide(greeter, { greet: () => '' })).toThrow('Provided twice: somebody who greets');
});

test('every provider is there, in the order in which they came, also for who asked before', () => {
  const ports = createPorts();
  const before = ports.every(listeners);
  const heard: string[] = [];
  ports.provide(listeners, { heard: (word) => void heard.push(`1 ${word}`) });
  ports.provide(listeners, { heard: (word) => void heard.push(`2 ${word}`) });
  for (const each of before) each.heard('rain');
  expect(heard).toEqual(['1 rain', '2 rain']);
  ports.complete();
});
