/** Browsers in words. */
import { expect, it } from 'vitest';
import { deviceOf } from './device.ts';

it('names browser and system, the more special mark first', () => {
  const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36';
  expect(deviceOf(chrome)).toBe('Chrome on Linux');
  expect(deviceOf(`${chrome.replace('X11; Linux x86_64', 'Windows NT 10.0')} Edg/140.0`)).toBe('Edge on Windows');
  expect(deviceOf('Mozilla/5.0 (Linux; Android 15) Firefox/140.0')).toBe('Firefox on Android');
  expect(deviceOf('curl/8.1')).toBe('curl');
  expect(deviceOf(null)).toBe('Unknown browser');
  expect(deviceOf('x'.repeat(100))).toHaveLength(60);
});
