/**
 * `npm run examples`: makes the examples of the API that are missing or no longer true from requests of the tests. Those
 * that still fit the document stay as they are, so that running it again changes nothing. With a folder as argument, takes
 * what an earlier run recorded in it.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { described } from '../server/src/main.ts';
import type { Candidate } from '../server/test/examples.ts';
import type { OpenApi, Parameter, Schema } from '../server/test/openapi.ts';
import {
  exampleChecker,
  exampleFile,
  examplesDirectory,
  readExamples,
  type StoredExample,
  type StoredExamples,
} from '../server/test/stored-examples.ts';

const root = join(import.meta.dirname, '..');
const { openApi, declaredRoutes } = await described();
const document = openApi() as unknown as OpenApi;
const check = exampleChecker(document);

/** Runs the tests of the features with a record. */
function recordInto(directory: string): void {
  const env = { ...process.env, MILLRACE_EXAMPLES: directory };
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  spawnSync(process.execPath, [vitest, 'run', 'server/src/features'], { cwd: root, stdio: 'inherit', env });
}

function candidates(directory: string): Candidate[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(join(directory, name), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line) as Candidate);
}

/** Text of a query or path as the type that its parameter has. */
function typed(schema: Schema, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => typed(schema.items ?? {}, item));
  if (typeof value !== 'string') return value;
  const types = [schema, ...(schema.oneOf ?? [])].flatMap(({ type }) => type ?? []);
  if ((types.includes('integer') || types.includes('number')) && /^-?\d+(\.\d+)?$/.test(value)) return Number(value);
  if (types.includes('boolean') && /^(true|false)$/.test(value)) return value === 'true';
  return value;
}

/** Values of parameters in their types, unknown ones left out. */
function values(given: Readonly<Record<string, unknown>>, parameters: readonly Parameter[], where: string) {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => {
      const wanted = name === '*' ? 'path' : name;
      const parameter = parameters.find((each) => each.in === where && each.name.replace('[]', '') === wanted);
      return parameter ? [[name, typed(parameter.schema, value)]] : [];
    }),
  );
}

function exampleOf({ route: key, path, query, ...rest }: Candidate): StoredExample {
  const [method = '', address = ''] = key.split(' ');
  const place = address.replaceAll(/:([a-z_]+)/g, '{$1}').replace(/\*$/, '{path}');
  const parameters = document.paths[place]?.[method.toLowerCase()]?.parameters ?? [];
  const kept = query && values(query, parameters, 'query');
  return {
    ...(path ? { path: values(path, parameters, 'path') } : {}),
    ...(kept && Object.keys(kept).length > 0 ? { query: kept } : {}),
    ...rest,
  };
}

/** How far an example is from a short, plain one: lower is better. */
function strangeness(example: StoredExample): number {
  const text = JSON.stringify(example);
  const empty = Array.isArray(example.answer) && example.answer.length === 0;
  const parameters = Object.keys({ ...example.query, ...(example.body as object | undefined) }).length;
  return (
    (empty ? 1000 : 0) +
    (/[^ -~]|\.\.\/|\\u00/.test(text) ? 400 : 0) +
    Math.abs(text.length - 1500) / 50 +
    (parameters === 0 ? 5 : Math.max(0, parameters - 3) * 5)
  );
}

const given = process.argv[2];
const directory = given ?? mkdtempSync(join(tmpdir(), 'millrace-examples-'));
if (given === undefined) recordInto(directory);
const found = new Map<string, StoredExample[]>();
for (const candidate of candidates(directory)) {
  const example = exampleOf(candidate);
  if (check(candidate.route, example).length === 0)
    found.set(candidate.route, [...(found.get(candidate.route) ?? []), example]);
}
if (given === undefined) rmSync(directory, { recursive: true, force: true });

const stored = readExamples();
const byFile = new Map<string, StoredExamples>();
const missing: string[] = [];
for (const route of declaredRoutes()) {
  const key = `${route.method} ${route.path}`;
  const old = stored[key];
  const best = (found.get(key) ?? [])
    .map((example) => ({ example, text: JSON.stringify(example), score: strangeness(example) }))
    .sort((a, b) => a.score - b.score || (a.text < b.text ? -1 : 1))[0]?.example;
  const example = old && check(key, old).length === 0 ? old : best;
  if (!example) missing.push(key);
  else byFile.set(exampleFile(route.tag), { ...byFile.get(exampleFile(route.tag)), [key]: example });
}
rmSync(examplesDirectory, { recursive: true, force: true });
mkdirSync(examplesDirectory, { recursive: true });
for (const [name, examples] of byFile)
  writeFileSync(join(examplesDirectory, name), `${JSON.stringify(examples, null, 1)}\n`);
console.log(missing.length === 0 ? 'every route has an example' : `without an example:\n${missing.join('\n')}`);
