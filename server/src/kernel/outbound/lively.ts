/** Answers that are read as they come: who hangs or breaks off ends them in words. */
import type { Opened } from './exchange.ts';

/** The other side ended before its answer did; another try may help. */
export class BrokenOff extends Error {
  override readonly name = 'BrokenOff';
}

/** The bytes of an answer. Throws BrokenOff where it breaks off, or brings nothing for `silence` milliseconds. */
export async function* lively(
  { body, close }: { readonly body: AsyncIterable<Buffer>; readonly close: Opened['close'] },
  silence: number,
): AsyncGenerator<Buffer> {
  let hangs = false;
  const hung = () => {
    hangs = true;
    close();
  };
  let timer = setTimeout(hung, silence);
  try {
    for await (const chunk of body) {
      clearTimeout(timer);
      yield chunk;
      // How long the reader takes is not the other side's fault.
      timer = setTimeout(hung, silence);
    }
  } catch (cause) {
    const said = hangs ? `The other side sent nothing for ${silence / 1000} seconds` : 'The connection broke off';
    throw new BrokenOff(said, { cause });
  } finally {
    clearTimeout(timer);
  }
}
