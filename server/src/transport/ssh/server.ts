/**
 * The SSH server: connections, their limits and their sign-in by key. ssh2 speaks the protocol; the sockets are ours, so
 * that what it leaves open is bounded here.
 */
import { createServer, type Server as NetServer, type Socket } from 'node:net';
import type { AuthContext, Connection, ServerChannel, Session } from 'ssh2';
import type { SshSignIn } from '../../features/identity/index.ts';
import type { Config } from '../../kernel/config/config.ts';
import { algorithms } from './algorithms.ts';
import type { HostKeys } from './host-keys.ts';
import { createConnectionLimits } from './limits.ts';
import type { SessionRequest } from './session.ts';
import { type CommandStream, commandStream } from './stream.ts';
import { isAccepted, isSigned } from './verify.ts';

export interface SshServerDependencies {
  readonly config: Pick<
    Config,
    'sshConnections' | 'sshLogins' | 'sshLoginSeconds' | 'sshLoginTries' | 'sshAddressRate' | 'sshStallSeconds'
  >;
  readonly user: string;
  readonly hostKeys: () => Promise<HostKeys>;
  readonly find: SshSignIn['find'];
  readonly session: (stream: CommandStream, request: SessionRequest) => Promise<void>;
  readonly log: {
    debug(details: object, message: string): void;
    error(details: object, message: string): void;
  };
}

export interface SshServer {
  /** Answers the port. */
  listen(options: { readonly host: string; readonly port: number; readonly reusePort?: true }): Promise<number>;
  /** Takes no more connections, lets running commands end for a while, and closes what is left. */
  close(): Promise<void>;
  /** Whether the port is answered. */
  listening(): boolean;
  /** Whether it was to be answered and is taken by somebody else. */
  taken(): boolean;
  connections(): number;
}

/** Sessions of one connection at once, as in OpenSSH. */
const mostSessions = 10;
const keepAliveMilliseconds = 60_000;
const lostKeepAlives = 3;
/** Running commands get this long when the process stops. */
const longestEnd = 2500;

/** ssh2 keeps the socket of a connection to itself. */
const socketOf = (connection: Connection): Socket => (connection as unknown as { readonly _sock: Socket })._sock;

export function sshServer(deps: SshServerDependencies): SshServer {
  const { config, log } = deps;
  const limits = createConnectionLimits({
    connections: config.sshConnections,
    logins: config.sshLogins,
    addressRate: config.sshAddressRate,
  });
  const sockets = new Map<Socket, { entered: () => void }>();
  const running = new Set<Promise<void>>();
  let closing = false;
  let listening: NetServer | null = null;
  let taken = false;

  /** The one key that signed in, by its id. */
  function authenticate(connection: Connection, entered: (keyId: number) => void): void {
    let tries = 0;
    const decide = async (context: AuthContext): Promise<void> => {
      const reject = () => {
        if (context.method !== 'none') tries += 1;
        if (tries >= config.sshLoginTries) connection.end();
        else context.reject(['publickey']);
      };
      if (context.method !== 'publickey' || context.username !== deps.user || !isAccepted(context)) return reject();
      const keyId = await deps.find(context.key.algo, context.key.data);
      if (keyId === null) return reject();
      // Without a signature the client only asks whether the key would do.
      if (context.signature && !(await isSigned(context))) return reject();
      if (context.signature) entered(keyId);
      context.accept();
    };
    connection.on('authentication', (context) => {
      decide(context).catch((error: unknown) => {
        log.error({ err: error }, 'an SSH sign-in failed');
        connection.end();
      });
    });
  }

  function command(connection: Connection, session: Session, keyId: () => number): void {
    const socket = socketOf(connection);
    let protocol: string | undefined;
    session.on('error', (error: unknown) => log.debug({ err: error }, 'an SSH session failed'));
    session.on('env', (accept, reject, { key, val }) => {
      if (key !== 'GIT_PROTOCOL') return reject?.();
      protocol = val.slice(0, 200);
      accept?.();
    });
    const start = (accept: (() => ServerChannel) | undefined, line: string | null) => {
      const channel = accept?.();
      if (!channel) return;
      const stream = commandStream(channel, socket, config.sshStallSeconds);
      const clientAddress = socket.remoteAddress ?? '';
      const work = deps
        .session(stream, { keyId: keyId(), clientAddress, command: line, protocol })
        .finally(() => running.delete(work));
      running.add(work);
    };
    session.on('exec', (accept, _reject, { command: line }) => start(accept, line));
    session.on('shell', (accept) => start(accept, null));
  }

  function serve(connection: Connection): void {
    const socket = socketOf(connection);
    let keyId: number | null = null;
    let sessions = 0;
    connection.on('error', (error) => log.debug({ err: error }, 'an SSH connection failed'));
    authenticate(connection, (id) => {
      keyId = id;
    });
    connection.on('ready', () => sockets.get(socket)?.entered());
    connection.on('session', (accept, reject) => {
      const signedIn = keyId;
      if (signedIn === null || closing || sessions >= mostSessions) return reject();
      const session = accept();
      sessions += 1;
      session.once('close', () => {
        sessions -= 1;
      });
      command(connection, session, () => signedIn);
    });
  }

  function connected(socket: Socket, hand: (socket: Socket) => void): void {
    const admission = limits.admit(socket.remoteAddress ?? '');
    if (typeof admission === 'string') {
      log.debug({ address: socket.remoteAddress, limit: admission }, 'an SSH connection was turned away');
      socket.on('error', () => {});
      // Lines before the protocol's own are allowed: clients show them when asked to be verbose.
      socket.end(`Millrace has no place for this connection: ${admission}\r\n`);
      setTimeout(() => socket.destroy(), 1000).unref();
      return;
    }
    const late = setTimeout(() => socket.destroy(), config.sshLoginSeconds * 1000);
    const entered = () => {
      clearTimeout(late);
      admission.entered();
    };
    sockets.set(socket, { entered });
    socket.setNoDelay(true);
    socket.setMaxListeners(4 * mostSessions);
    socket.once('close', () => {
      clearTimeout(late);
      sockets.delete(socket);
      admission.left();
    });
    hand(socket);
  }

  return {
    listening: () => listening !== null && !closing,
    taken: () => taken,
    connections: limits.count,
    listen: async (options) => {
      const [{ default: ssh2 }, keys] = await Promise.all([import('ssh2'), deps.hostKeys()]);
      const protocol = new ssh2.Server(
        {
          hostKeys: [...keys.private],
          ident: 'Millrace',
          algorithms: Object.fromEntries(Object.entries(algorithms).map(([name, list]) => [name, [...list]])),
          keepaliveInterval: keepAliveMilliseconds,
          keepaliveCountMax: lostKeepAlives,
        },
        serve,
      );
      const net = createServer((socket) => connected(socket, (each) => protocol.injectSocket(each)));
      await new Promise<void>((resolve, reject) => {
        net.once('error', (error) => {
          taken = true;
          reject(error);
        });
        net.listen(options, () => {
          net.removeAllListeners('error');
          net.on('error', (error) => log.error({ err: error }, 'the SSH server failed'));
          resolve();
        });
      });
      listening = net;
      taken = false;
      const address = net.address();
      return typeof address === 'object' && address !== null ? address.port : options.port;
    },
    close: async () => {
      closing = true;
      const closed = new Promise<void>((resolve) => {
        if (listening) listening.close(() => resolve());
        else resolve();
      });
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, longestEnd);
      });
      await Promise.race([Promise.allSettled(running), late]);
      clearTimeout(timer);
      for (const socket of sockets.keys()) socket.destroySoon();
      setTimeout(() => {
        for (const socket of sockets.keys()) socket.destroy();
      }, 200).unref();
      await closed;
    },
  };
}
