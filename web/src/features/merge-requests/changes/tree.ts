/** Changed files as a tree of folders; folders with nothing but one folder are one line. Pure. */

export interface TreeFolder {
  readonly name: string;
  readonly path: string;
  readonly folders: readonly TreeFolder[];
  /** Positions in the list of files. */
  readonly files: readonly number[];
}

interface Open {
  folders: Map<string, Open>;
  files: number[];
}

const empty = (): Open => ({ folders: new Map(), files: [] });

function closed(name: string, path: string, open: Open): TreeFolder {
  const [only, ...more] = open.folders;
  if (only && more.length === 0 && open.files.length === 0 && path !== '')
    return closed(`${name}/${only[0]}`, `${path}/${only[0]}`, only[1]);
  return {
    name,
    path,
    files: open.files,
    folders: [...open.folders].map(([folder, below]) =>
      closed(folder, path === '' ? folder : `${path}/${folder}`, below),
    ),
  };
}

export function fileTree(paths: readonly string[]): TreeFolder {
  const root = empty();
  for (const [index, path] of paths.entries()) {
    let at = root;
    for (const part of path.split('/').slice(0, -1)) {
      const next = at.folders.get(part) ?? empty();
      at.folders.set(part, next);
      at = next;
    }
    at.files.push(index);
  }
  return closed('', '', root);
}
