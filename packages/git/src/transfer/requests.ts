/** The requests of one protocol version 2 connection (SSH): each is answered by itself, as over HTTP. */
import { createPacketReader, FLUSH, pktLine } from './pkt-line.ts';

const DELIMITER = Buffer.from('0001');

export interface RequestReader {
  /** The bytes of the next request, to be read to their end; null when the client has none any more. */
  next(): Promise<AsyncGenerator<Buffer> | null>;
}

/** Splits what a version 2 client sends into its requests. Throws `invalid` on broken framing. */
export function createRequestReader(input: AsyncIterable<Uint8Array>): RequestReader {
  const reader = createPacketReader(input);

  async function* request(first: Buffer): AsyncGenerator<Buffer> {
    yield first;
    for (;;) {
      const packet = await reader.next();
      if (packet.type === 'data') yield pktLine(packet.data);
      else if (packet.type === 'delimiter') yield DELIMITER;
      else {
        if (packet.type === 'flush') yield FLUSH;
        return;
      }
    }
  }

  return {
    async next() {
      const packet = await reader.next();
      // A flush in place of a request ends the connection.
      return packet.type === 'data' ? request(pktLine(packet.data)) : null;
    },
  };
}
