/**
 * Puts what every file needs of the bundler into the first one, which is there before any other: in a file of its own it would
 * be one more request of every page.
 */
import type { Plugin } from 'vite';

/** `a as b, c` as pairs of what it is and what it is called. */
const pairs = (list: string): Array<readonly [is: string, called: string]> =>
  list.split(',').map((each) => {
    const [is = '', called = is] = each.trim().split(/\s+as\s+/);
    return [is, called];
  });
const held = (name: string) => `$runtime_${name}`;
const nameOf = (file: string) => file.slice(file.lastIndexOf('/') + 1);

export const runtimeInFirst = (): Plugin => ({
  name: 'runtime-in-first',
  enforce: 'post',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((each) => each.type === 'chunk');
    const runtime = chunks.find(({ name }) => name === 'rolldown-runtime');
    const first = chunks.find(({ isEntry }) => isEntry);
    if (!runtime || !first) return;
    const exported = /export\s*\{([^}]*)\};?\s*$/.exec(runtime.code);
    if (!exported?.[1]) this.error('the runtime of the bundler exports nothing');
    const names = pairs(exported[1]);
    const made = `(()=>{${runtime.code.slice(0, exported.index)};return{${names.map(([is, called]) => `${called}:${is}`)}}})()`;
    const statement = new RegExp(`import\\s*\\{([^}]*)\\}\\s*from\\s*["'\`]\\./${nameOf(runtime.fileName)}["'\`];?`);
    for (const chunk of chunks) {
      if (chunk === runtime) continue;
      if (chunk.imports.includes(runtime.fileName)) {
        const found = statement.exec(chunk.code);
        if (!found?.[1]) this.error(`${chunk.fileName} takes the runtime of the bundler in another way`);
        const taken = pairs(found[1]);
        const code =
          chunk === first
            ? `const{${names.map(([, called]) => `${called}:${held(called)}`)}}=${made},${taken.map(([is, called]) => `${called}=${held(is)}`)};`
            : `import{${taken.map(([is, called]) => `${held(is)} as ${called}`)}}from"./${nameOf(first.fileName)}";`;
        chunk.code = chunk.code.replace(statement, () => code);
        const others = chunk.imports.filter((name) => name !== runtime.fileName && name !== first.fileName);
        chunk.imports = chunk === first ? others : [...others, first.fileName];
      }
      // What is fetched along with a file that is loaded later.
      chunk.code = chunk.code.replaceAll(runtime.fileName, first.fileName);
    }
    first.code += `export{${names.map(([, called]) => held(called))}};`;
    const document = bundle['index.html'];
    if (document?.type === 'asset')
      document.source = String(document.source).replace(
        new RegExp(`\\s*<link[^>]*${nameOf(runtime.fileName)}[^>]*>`),
        '',
      );
    delete bundle[runtime.fileName];
  },
});
