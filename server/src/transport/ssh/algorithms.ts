/** What is offered to clients, best first: ADR 0012 says why. */
import type { ServerConfig } from 'ssh2';

export const algorithms = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group18-sha512',
    'diffie-hellman-group14-sha256',
  ],
  serverHostKey: ['ssh-ed25519', 'ecdsa-sha2-nistp256'],
  // AES-GCM by OpenSSL. ChaCha20 is WebAssembly here and costs twice as much; counter mode is for clients without GCM.
  cipher: ['aes256-gcm@openssh.com', 'aes128-gcm@openssh.com', 'aes256-ctr', 'aes128-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  // git packs are compressed already, and a stream of zlib for each connection costs memory.
  compress: ['none'],
} as const satisfies { readonly [K in keyof NonNullable<ServerConfig['algorithms']>]: readonly string[] };
