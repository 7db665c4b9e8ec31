/** For tests: a bare HTTP server that composes a push and a fetch from this package's pieces, as the product does. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGunzip } from 'node:zlib';
import { openRepository, type Repo } from './context.ts';
import { isGitError } from './errors.ts';
import { createQuarantine, discardQuarantine, migrateQuarantine, type Quarantine } from './objects/quarantine.ts';
import { refsSnapshot } from './refs/snapshot.ts';
import { updateRefs, updateRefsSeparately } from './refs/update.ts';
import {
  protocolVersion,
  receivePackAdvertisement,
  serviceHeader,
  uploadPackAdvertisement,
} from './transfer/advertise.ts';
import { checkConnectivity, ingestPack } from './transfer/ingest.ts';
import { answerLsRefs, parseV2Request } from './transfer/ls-refs.ts';
import {
  type CommandOutcome,
  type PushCommand,
  readReceiveRequest,
  receiveMessage,
  receiveReport,
} from './transfer/receive-pack.ts';
import { uploadPack } from './transfer/upload-pack.ts';
import type { RefName } from './types.ts';

export interface TestServer {
  url: string;
  /** Milliseconds that the server's side of each push took, by step. */
  timings: Record<string, number>[];
  close(): Promise<void>;
}

export interface TestServerOptions {
  maxBytes?: number;
  hideRefs?: string[];
  /** Throw to refuse one reference with that message. */
  policy?: (quarantine: Quarantine, command: PushCommand, pushOptions: string[]) => Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of decoded(request)) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function decoded(request: IncomingMessage) {
  return request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request;
}

/** Serves one repository at any path below the URL. */
export async function startTestServer(repo: Repo, options: TestServerOptions = {}): Promise<TestServer> {
  let generation = 1;
  const timings: Record<string, number>[] = [];
  const visible = (ref: RefName) => !(options.hideRefs ?? []).some((prefix) => ref.startsWith(`${prefix}/`));
  const hidden = { hideRefs: options.hideRefs ?? [] };

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const steps: Record<string, number> = {};
    let last = performance.now();
    const lap = (name: string) => {
      steps[name] = performance.now() - last;
      last = performance.now();
    };
    response.setHeader('content-type', 'application/x-git-receive-pack-result');
    const push = await readReceiveRequest(decoded(request));
    if (push.commands.length === 0) {
      response.end();
      return;
    }
    lap('parse');
    const quarantine = await createQuarantine(repo);
    lap('quarantine');
    const fail = (unpackError: string) =>
      response.end(
        receiveReport(push.capabilities, {
          unpackError,
          outcomes: push.commands.map(({ name }) => ({ name, error: 'unpacker error' })),
        }),
      );
    try {
      if (push.pack) {
        const ingested = await ingestPack(quarantine, push.pack, { maxBytes: options.maxBytes ?? 100_000_000 });
        lap('ingest');
        await checkConnectivity(
          quarantine,
          push.commands.map((command) => command.new),
          ingested,
          push.commands.flatMap(({ ref }) => ref ?? []),
        );
        lap('connectivity');
      }
      const outcomes = new Map<string, CommandOutcome>();
      const accepted = [];
      for (const command of push.commands) {
        try {
          if (!command.ref) throw new Error('not an acceptable reference name');
          await options.policy?.(quarantine, command, push.pushOptions);
          accepted.push({ ref: command.ref, old: command.old, new: command.new });
        } catch (error) {
          outcomes.set(command.name, { name: command.name, error: error instanceof Error ? error.message : 'refused' });
        }
      }
      lap('policy');
      if (accepted.length === 0 || (push.capabilities.atomic && outcomes.size > 0)) {
        for (const { name } of push.commands) {
          if (!outcomes.has(name)) outcomes.set(name, { name, error: 'atomic push was refused' });
        }
        await discardQuarantine(quarantine);
      } else {
        await migrateQuarantine(quarantine);
        lap('migrate');
        if (push.capabilities.atomic) {
          await updateRefs(repo, accepted);
          for (const { ref } of accepted) outcomes.set(ref, { name: ref, error: null });
        } else {
          for (const { ref, error } of await updateRefsSeparately(repo, accepted)) {
            outcomes.set(ref, { name: ref, error: error ? `failed to update ref (${error.code})` : null });
          }
        }
        lap('refs');
        generation += 1;
      }
      timings.push(steps);
      response.write(receiveMessage(push.capabilities, 'hello from the server'));
      response.end(receiveReport(push.capabilities, { unpackError: null, outcomes: [...outcomes.values()] }));
    } catch (error) {
      await discardQuarantine(quarantine);
      if (!isGitError(error)) throw error;
      fail(error.message);
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const header = request.headers['git-protocol'];
    const version = protocolVersion(typeof header === 'string' ? header : undefined);
    const service = url.searchParams.get('service');
    if (service === 'git-upload-pack') {
      response.setHeader('content-type', 'application/x-git-upload-pack-advertisement');
      const advertisement = await uploadPackAdvertisement(repo, { ...hidden, version, generation });
      response.end(version === 2 ? advertisement : Buffer.concat([serviceHeader(service), advertisement]));
    } else if (service === 'git-receive-pack') {
      response.setHeader('content-type', 'application/x-git-receive-pack-advertisement');
      const snapshot = await refsSnapshot(repo, generation);
      response.end(Buffer.concat([serviceHeader(service), receivePackAdvertisement(snapshot, visible)]));
    } else if (url.pathname.endsWith('/git-upload-pack')) {
      response.setHeader('content-type', 'application/x-git-upload-pack-result');
      const body = await bodyOf(request);
      if (version === 2) {
        const answer = answerLsRefs(await parseV2Request(body), await refsSnapshot(repo, generation), visible);
        if (answer) {
          response.end(answer);
          return;
        }
      }
      const controller = new AbortController();
      response.on('close', () => controller.abort());
      const caller = openRepository(repo.git, repo.path, { signal: controller.signal });
      (await uploadPack(caller, { ...hidden, version, body })).on('error', () => response.destroy()).pipe(response);
    } else if (url.pathname.endsWith('/git-receive-pack')) await receive(request, response);
    else response.writeHead(404).end();
  }

  const server: Server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(isGitError(error, 'invalid', 'limit') ? 400 : 500);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/repo.git`,
    timings,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
