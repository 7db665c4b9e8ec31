/** Texts of configuration values as values; each throws with what is accepted. */
import path from 'node:path';
import { type BudgetName, DEFAULT_BUDGETS, type GitBudget, type GitBudgets } from '@millrace/git';
import { parseMailbox } from '../mail/smtp-url.ts';
import { parseS3Url } from '../objects/s3/location.ts';

export const absolute = (text: string) => path.resolve(text);
export function port(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535) throw new Error('a port number from 0 to 65535');
  return value;
}
export function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 256) throw new Error('a whole number from 1 to 256');
  return value;
}
export function httpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.pathname !== '/') {
    throw new Error('an http or https URL without a path, like https://git.example.com');
  }
  return url.origin;
}
export function sshUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'ssh:' || url.hostname === '' || url.username === '' || url.password !== '' || url.search)
    throw new Error('an ssh URL with a username and without a path, like ssh://git@git.example.com:2222');
  if (url.pathname !== '' && url.pathname !== '/') throw new Error('an ssh URL without a path');
  return text.replace(/\/$/, '');
}
export const words = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
export function repositories(text: string): Record<string, string> {
  const pairs = words(text).map((pair) => /^([a-z][a-z0-9_-]*)=(.+)$/.exec(pair));
  if (pairs.length === 0 || pairs.some((pair) => pair === null))
    throw new Error('name=path pairs separated by commas, like default=/srv/git');
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? '', absolute(pair?.[2] ?? '')]));
}
const mebibyte = 1024 ** 2;
/** `processes:waiting:seconds to wait:seconds to run:MiB of memory`, as it is written. */
export const budgetText = (budget: GitBudget) =>
  [
    budget.concurrency,
    budget.queue,
    budget.waitMs / 1000,
    budget.timeoutMs / 1000,
    Math.ceil(budget.memoryBytes / mebibyte),
  ].join(':');
/** Less than this, and git fails at whatever it does. */
const leastMemory = 64;
export function gitBudgets(text: string): GitBudgets {
  const budgets: Partial<Record<BudgetName, GitBudget>> = {};
  for (const pair of words(text)) {
    const match = /^([a-z_]+)=(\d{1,4}):(\d{1,5}):(\d{1,5}):(\d{1,6})(?::(\d{1,7}))?$/.exec(pair);
    const name = match?.[1] as BudgetName | undefined;
    const known = name !== undefined && Object.hasOwn(DEFAULT_BUDGETS, name) ? DEFAULT_BUDGETS[name] : undefined;
    const [concurrency = 0, queue = 0, wait = 0, run = 0] = (match ?? []).slice(2, 6).map(Number);
    const memoryBytes = match?.[6] === undefined ? (known?.memoryBytes ?? 0) : Number(match[6]) * mebibyte;
    if (name === undefined || !known || concurrency < 1 || run < 1 || memoryBytes < leastMemory * mebibyte)
      throw new Error(
        `name=processes:waiting:wait:run:memory pairs separated by commas, like heavy=6:200:30:60:1024 with ${leastMemory} or more MiB of memory, with the names ${Object.keys(DEFAULT_BUDGETS).join(', ')}`,
      );
    budgets[name] = { concurrency, queue, waitMs: wait * 1000, timeoutMs: run * 1000, memoryBytes };
  }
  return { ...DEFAULT_BUDGETS, ...budgets };
}
export function objects(text: string): string {
  if (text.startsWith('s3:')) parseS3Url(text);
  else if (!text.startsWith('file:')) throw new Error('file:/path or s3://bucket');
  return text;
}
export function mailbox(text: string): string {
  parseMailbox(text);
  return text;
}
export const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
export function flag(text: string): boolean {
  const word = text.toLowerCase();
  if (word !== 'true' && word !== 'false') throw new Error('true or false');
  return word === 'true';
}
/** A name or address as a commit can hold it. */
export function committerWord(text: string): string {
  const word = text.trim();
  if (word === '' || /[<>\p{Cc}]/u.test(word)) throw new Error('text without angle brackets and line ends');
  return word;
}
export const textOrNull = (text: string) => text;
