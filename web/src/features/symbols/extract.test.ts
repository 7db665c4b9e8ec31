import { createRequire } from 'node:module';
import { beforeAll, expect, it } from 'vitest';
import { Language, Parser } from 'web-tree-sitter';
import { type Grammar, symbolsOf } from './extract.ts';

const { resolve } = createRequire(import.meta.url);
beforeAll(() => Parser.init());

/** Each symbol as `kind name@line`, indented by its depth. */
async function outline(grammar: Grammar, text: string): Promise<string[]> {
  const parser = new Parser();
  parser.setLanguage(await Language.load(resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`)));
  const tree = parser.parse(text);
  if (!tree) throw new Error('not parsed');
  return symbolsOf(tree.rootNode, grammar).map(
    ({ name, kind, line, depth }) => `${'  '.repeat(depth)}${kind} ${name}@${line}`,
  );
}

const cases: readonly (readonly [Grammar, string, readonly string[]])[] = [
  [
    'typescript',
    'export const limit = 3;\nnamespace N { export function q() { const inner = 1; } }\nabstract class A<T> {\n  abstract x(): void;\n  y = () => 1;\n  #z() {}\n}\ninterface I { f(): void }\ntype T = 1;\nenum E { P }\n',
    [
      'constant limit@1',
      'module N@2',
      '  function q@2',
      'class A@3',
      '  method x@4',
      '  method y@5',
      '  method #z@6',
      'interface I@8',
      '  method f@8',
      'type T@9',
      'enum E@10',
    ],
  ],
  [
    'tsx',
    'export const X = () => <a />;\nexport default function Page() {\n  const f = () => 1;\n  return <b />;\n}\n',
    ['function X@1', 'function Page@2', '  function f@3'],
  ],
  [
    'javascript',
    'class C extends D { static m() {} f = function () {} }\nconst { a } = b;\n',
    ['class C@1', '  method m@1', '  method f@1'],
  ],
  [
    'python',
    'MAX = 3\nlow = 2\nclass A:\n  def m(self):\n    def inner(): pass\n@dec\ndef f(): pass\n',
    ['constant MAX@1', 'class A@3', '  method m@4', '    function inner@5', 'function f@7'],
  ],
  [
    'go',
    'package x\ntype T struct{}\nfunc (t *T) M() {}\nfunc F() {}\nconst (\n A = 1\n)\n',
    ['type T@2', 'method M@3', 'function F@4', 'constant A@6'],
  ],
  [
    'java',
    'class A { A() {} void m() {} interface I { void q(); } }\nrecord R(int a) {}\n',
    ['class A@1', '  method A@1', '  method m@1', '  interface I@1', '    method q@1', 'class R@2'],
  ],
  [
    'rust',
    'struct S;\nimpl S { fn m(&self) {} }\ntrait T { fn q(&self); }\nmod m { pub fn f() {} }\nconst C: u8 = 1;\n',
    ['class S@1', 'method m@2', 'interface T@3', '  method q@3', 'module m@4', '  function f@4', 'constant C@5'],
  ],
  [
    'ruby',
    'module M\n  class A\n    def x; end\n    def self.y; end\n  end\nend\n',
    ['module M@1', '  class A@2', '    method x@3', '    method y@4'],
  ],
  [
    'php',
    '<?php\nconst Q = 1;\nfunction f() {}\nclass A { const B = 1; function m() {} }\n',
    ['constant Q@2', 'function f@3', 'class A@4', '  constant B@4', '  method m@4'],
  ],
  [
    'cpp',
    '#define MAX 3\nclass A { void m() {} };\nstruct S *f(struct S *p) { return p; }\nvoid A::m() {}\n',
    ['constant MAX@1', 'class A@2', '  method m@2', 'function f@3', 'function A::m@4'],
  ],
  [
    'c-sharp',
    'namespace N { class B { int P { get; } void M() {} } }\n',
    ['module N@1', '  class B@1', '    property P@1', '    method M@1'],
  ],
  ['bash', 'f() { echo; }\n', ['function f@1']],
];

it.each(cases)('the outline of a file: %s', async (grammar, text, expected) => {
  expect(await outline(grammar, text)).toEqual(expected);
});

it('broken text has the symbols that can be read, and deep nesting is walked', async () => {
  expect(await outline('typescript', 'function a() {}\nclass {{{ \nfunction b() {}\n')).toContain('function a@1');
  const deep = `${'if (x) {'.repeat(5_000)}function f() {}${'}'.repeat(5_000)}`;
  expect(await outline('javascript', deep)).toEqual(['function f@1']);
});
