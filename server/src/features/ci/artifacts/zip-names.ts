/** Names in archives: those that lead out of the place where an archive is unpacked belong in none. */
import yauzl from 'yauzl';

declare module 'yauzl' {
  interface Entry {
    readonly fileNameRaw: Buffer;
  }
  function getFileNameLowLevel(
    flags: number,
    name: Buffer,
    extraFields: Entry['extraFields'],
    strictFileNames: boolean,
  ): string;
}

/** The name as programs that unpack it read it; the library itself ends at the first name that it does not like. */
export const nameOf = (entry: yauzl.Entry): string =>
  yauzl.getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, false);

/** Longest path of a file in an archive. */
export const maxPathLength = 4096;

/** Whether unpacking the name could write somewhere else, or confuse whoever reads it. */
const isHostileName = (name: string): boolean =>
  name === '' ||
  name.length > maxPathLength ||
  name.startsWith('/') ||
  /^[A-Za-z]:/.test(name) ||
  /\p{Cc}/u.test(name) ||
  name.split('/').includes('..');

const openFile = (path: string): Promise<yauzl.ZipFile> =>
  new Promise((resolve, reject) => {
    yauzl.open(path, { lazyEntries: true, decodeStrings: false }, (error, zip) =>
      error ? reject(error) : resolve(zip),
    );
  });

/** Why a file is not taken as an archive, in words for the log of its job; null when it is. */
export async function archiveProblem(path: string): Promise<string | null> {
  try {
    const zip = await openFile(path);
    return await new Promise((resolve, reject) => {
      zip.on('entry', (entry: yauzl.Entry) => {
        const name = nameOf(entry);
        if (isHostileName(name)) {
          zip.close();
          resolve(`The archive holds a file whose name is not allowed: ${JSON.stringify(name.slice(0, 255))}`);
        } else zip.readEntry();
      });
      zip.once('end', () => resolve(null));
      zip.once('error', reject);
      zip.readEntry();
    });
  } catch {
    return 'The file is not a zip archive, or it is damaged';
  }
}
