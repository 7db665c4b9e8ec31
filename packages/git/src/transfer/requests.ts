/** What clients send over a two-way connection (SSH): requests of version 2, each answered by itself as over HTTP, and the lines of earlier versions. */
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

/** What a version 0 or 1 client sends, line by line to its end. Throws `invalid` on broken framing. */
export async function* checkedPackets(input: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const reader = createPacketReader(input);
  for (let packet = await reader.next(); packet.type !== 'end'; packet = await reader.next())
    yield packet.type === 'data' ? pktLine(packet.data) : packet.type === 'flush' ? FLUSH : DELIMITER;
}
