/** The symbols that a file defines, from its syntax tree: names, what they are, where they are, and how deep they are nested. */
import type { Node } from 'web-tree-sitter';

export type SymbolKind =
  | 'class'
  | 'interface'
  | 'type'
  | 'enum'
  | 'function'
  | 'method'
  | 'property'
  | 'constant'
  | 'module';

export interface CodeSymbol {
  readonly name: string;
  readonly kind: SymbolKind;
  /** Counted from 1. */
  readonly line: number;
  /** How many other symbols it lies in. */
  readonly depth: number;
}

/** Files with more than this are generated, and nobody reads their outline. */
const most = 5_000;

/** Languages by the name of their grammar's file, with the kinds of nodes that define something. */
const javascript = {
  class_declaration: 'class',
  function_declaration: 'function',
  generator_function_declaration: 'function',
  method_definition: 'method',
} as const;
const typescript = {
  ...javascript,
  abstract_class_declaration: 'class',
  interface_declaration: 'interface',
  type_alias_declaration: 'type',
  enum_declaration: 'enum',
  internal_module: 'module',
  module: 'module',
  function_signature: 'function',
  method_signature: 'method',
  abstract_method_signature: 'method',
} as const;

const definitions = {
  bash: { function_definition: 'function' },
  'c-sharp': {
    class_declaration: 'class',
    struct_declaration: 'class',
    record_declaration: 'class',
    interface_declaration: 'interface',
    enum_declaration: 'enum',
    delegate_declaration: 'type',
    namespace_declaration: 'module',
    method_declaration: 'method',
    constructor_declaration: 'method',
    property_declaration: 'property',
    local_function_statement: 'function',
  },
  cpp: {
    class_specifier: 'class',
    struct_specifier: 'class',
    union_specifier: 'class',
    enum_specifier: 'enum',
    namespace_definition: 'module',
    alias_declaration: 'type',
    type_definition: 'type',
    function_definition: 'function',
    preproc_def: 'constant',
    preproc_function_def: 'constant',
  },
  go: {
    function_declaration: 'function',
    method_declaration: 'method',
    type_spec: 'type',
    type_alias: 'type',
    const_spec: 'constant',
  },
  java: {
    class_declaration: 'class',
    record_declaration: 'class',
    interface_declaration: 'interface',
    annotation_type_declaration: 'interface',
    enum_declaration: 'enum',
    method_declaration: 'method',
    constructor_declaration: 'method',
  },
  javascript,
  php: {
    class_declaration: 'class',
    trait_declaration: 'class',
    interface_declaration: 'interface',
    enum_declaration: 'enum',
    function_definition: 'function',
    method_declaration: 'method',
    const_element: 'constant',
  },
  python: { class_definition: 'class', function_definition: 'function' },
  ruby: {
    class: 'class',
    module: 'module',
    method: 'method',
    singleton_method: 'method',
  },
  rust: {
    struct_item: 'class',
    union_item: 'class',
    enum_item: 'enum',
    trait_item: 'interface',
    type_item: 'type',
    mod_item: 'module',
    function_item: 'function',
    function_signature_item: 'function',
    const_item: 'constant',
    static_item: 'constant',
    macro_definition: 'function',
  },
  tsx: typescript,
  typescript,
} as const satisfies Readonly<Record<string, Readonly<Record<string, SymbolKind>>>>;

/** A grammar by the name of its file. */
export type Grammar = keyof typeof definitions;

/** Names for what is bound to a function, or written in capitals at the top of a file. */
const functions = new Set(['arrow_function', 'function_expression', 'function', 'generator_function', 'lambda']);
const classes = new Set(['class', 'class_declaration']);
const variables = new Set(['variable_declarator', 'public_field_definition', 'field_definition', 'assignment']);
const topOf = new Set(['program', 'module', 'export_statement', 'lexical_declaration', 'expression_statement']);

/** Declarators of C lie in one another; the name is in the innermost. */
function declaredName(node: Node): Node | null {
  let at = node.childForFieldName('declarator');
  for (let inner = at; inner; inner = inner.childForFieldName('declarator')) at = inner;
  return at;
}

function nameOf(node: Node): string | null {
  const name =
    node.childForFieldName('name') ?? declaredName(node) ?? (node.type === 'const_element' ? node.namedChild(0) : null);
  return name === null || name.text.length > 200 ? null : (name.text.split('\n', 1)[0] ?? null);
}

/** What a name is bound to that is a symbol: functions and classes anywhere, other values at the top of a file. */
function boundKind(node: Node): SymbolKind | null {
  const value = node.childForFieldName('value') ?? node.childForFieldName('right');
  const name = node.childForFieldName('name') ?? node.childForFieldName('property') ?? node.childForFieldName('left');
  if (name === null || !/^#?[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name.text)) return null;
  if (value !== null && functions.has(value.type))
    return node.type.endsWith('field_definition') ? 'method' : 'function';
  if (value !== null && classes.has(value.type)) return 'class';
  for (let above = node.parent; above !== null; above = above.parent) if (!topOf.has(above.type)) return null;
  return node.type === 'variable_declarator' || /^[A-Z_][A-Z0-9_]*$/.test(name.text) ? 'constant' : null;
}

const boundName = (node: Node) =>
  (node.childForFieldName('name') ?? node.childForFieldName('property') ?? node.childForFieldName('left'))?.text ??
  null;

/** Names of what stands for the type that its methods lie in, but is no symbol itself. */
const holders = new Set(['impl_item']);

function kindOf(node: Node, grammar: Grammar, inside: SymbolKind | null): SymbolKind | null {
  if (variables.has(node.type)) return boundKind(node);
  const kinds: Readonly<Record<string, SymbolKind>> = definitions[grammar];
  const kind = Object.hasOwn(kinds, node.type) ? kinds[node.type] : undefined;
  if (kind === undefined) return null;
  // Uses of a type of C look like its definition, without a body.
  if (/_specifier$/.test(node.type) && node.childForFieldName('body') === null) return null;
  return kind === 'function' && (inside === 'class' || inside === 'interface') ? 'method' : kind;
}

/** All symbols of a tree, in the order of the text. Walks without recursion: text that nests deeply overflows no stack. */
export function symbolsOf(root: Node, grammar: Grammar): CodeSymbol[] {
  const found: CodeSymbol[] = [];
  const waiting: { node: Node; depth: number; inside: SymbolKind | null }[] = [{ node: root, depth: 0, inside: null }];
  for (let next = waiting.pop(); next !== undefined && found.length < most; next = waiting.pop()) {
    const { node, depth } = next;
    let { inside } = next;
    let below = depth;
    const kind = node.isNamed ? kindOf(node, grammar, inside) : null;
    const name = kind === null ? null : variables.has(node.type) ? boundName(node) : nameOf(node);
    if (kind !== null && name !== null) {
      found.push({ name, kind, line: node.startPosition.row + 1, depth });
      below += 1;
      inside = kind;
    } else if (holders.has(node.type)) inside = 'class';
    const children = node.namedChildren;
    for (let index = children.length - 1; index >= 0; index -= 1) {
      const child = children[index];
      if (child) waiting.push({ node: child, depth: below, inside });
    }
  }
  return found;
}
