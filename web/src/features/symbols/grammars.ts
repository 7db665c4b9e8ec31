/** Which files have an outline, by their names: the grammars that are fetched for them. */
import type { Grammar } from './extract.ts';

const extensions: Readonly<Record<string, Grammar>> = {
  bash: 'bash',
  sh: 'bash',
  c: 'cpp',
  cc: 'cpp',
  cpp: 'cpp',
  cxx: 'cpp',
  h: 'cpp',
  hh: 'cpp',
  hpp: 'cpp',
  cs: 'c-sharp',
  go: 'go',
  java: 'java',
  cjs: 'javascript',
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  php: 'php',
  py: 'python',
  pyi: 'python',
  rake: 'ruby',
  rb: 'ruby',
  rs: 'rust',
  cts: 'typescript',
  mts: 'typescript',
  ts: 'typescript',
  tsx: 'tsx',
};

/** Larger texts are not parsed: they are generated, or no code. */
export const mostCharacters = 1_000_000;

/** The grammar of a file; null where there is none. */
export function grammarOf(fileName: string): Grammar | null {
  const name = fileName.toLowerCase();
  const extension = name.slice(name.lastIndexOf('.') + 1);
  return name.includes('.') && Object.hasOwn(extensions, extension) ? (extensions[extension] ?? null) : null;
}
