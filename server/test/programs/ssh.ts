/**
 * Stands in for `ssh` where git starts it, with ssh2's client: the tests need no OpenSSH. `KEYFILE` comes first, then what
 * git gives: options, host, command.
 */
import { readFileSync } from 'node:fs';
import ssh2 from 'ssh2';

const [keyFile = '', ...given] = process.argv.slice(2);
let port = 22;
const rest: string[] = [];
for (let at = 0; at < given.length; at += 1) {
  const word = given[at] ?? '';
  if (word === '-p') port = Number(given[++at]);
  else if (word === '-o') at += 1;
  else rest.push(word);
}
const [target = '', ...words] = rest;
const [username, host] = target.includes('@') ? target.split('@') : ['git', target];
const env = process.env.GIT_PROTOCOL === undefined ? {} : { GIT_PROTOCOL: process.env.GIT_PROTOCOL };

const client = new ssh2.Client();
const fail = (error: Error) => {
  process.stderr.write(`${username}@${host}: ${error.message}\n`);
  process.exit(255);
};
client.on('error', fail);
client.on('ready', () => {
  client.exec(words.join(' '), { env }, (error, channel) => {
    if (error) return fail(error);
    let code = 255;
    process.stdin.pipe(channel);
    channel.pipe(process.stdout);
    channel.stderr.pipe(process.stderr);
    channel.on('exit', (status: number) => {
      code = status;
    });
    channel.on('close', () => {
      process.exitCode = code;
      client.end();
      process.stdin.destroy();
    });
  });
});
client.connect({ host: host ?? '', port, username: username ?? '', privateKey: readFileSync(keyFile, 'utf8') });
